// expect: compile_error
// problem: zip
// row: emulator
//
// Includes a file of the machine by a directive in two lines.

#incl\
ude "/etc/passwd"
