/* SPDX-License-Identifier: MIT
 *
 * object_pointer_as_argument.c - a parameter is a pointer, to what may be gone.
 *
 * refused: always
 * gcc: note.put: its parameter text is a pointer: pass a struct by value
 * clang: note.put: its parameter text is a pointer: pass a struct by value
 */
#include "object.h"

#ifdef CORRECT
#define NOTE(TELL, ASK) TELL(note, put, (struct iban, text))
#else
#define NOTE(TELL, ASK) TELL(note, put, (const char *, text))
#endif
WARD_OBJECT(note, NOTE);
