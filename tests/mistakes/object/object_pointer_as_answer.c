/* SPDX-License-Identifier: MIT
 *
 * object_pointer_as_answer.c - an answer is a pointer, into what others change.
 *
 * refused: always
 * gcc: note.get: its answer is a pointer: answer with a struct by value
 * clang: note.get: its answer is a pointer: answer with a struct by value
 */
#include "object.h"

#ifdef CORRECT
#define NOTE(TELL, ASK) ASK(note, get, struct iban)
#else
#define NOTE(TELL, ASK) ASK(note, get, struct iban *)
#endif
WARD_OBJECT(note, NOTE);
