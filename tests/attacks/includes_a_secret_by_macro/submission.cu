// expect: compile_error
// problem: zip
// row: emulator
//
// Includes a file of the machine by a macro, which only the preprocessor can read.

#define SECRET </etc/passwd>
#include SECRET
