// expect: compile_error
// problem: zip
// row: emulator
//
// Includes a file of the machine by its path.

#include "/etc/passwd"
