// expect: compile_error
// problem: zip
// row: emulator
//
// Includes a file of the machine by a path from where the compiler runs.

#include "etc/passwd"
