/* SPDX-License-Identifier: MIT
 *
 * row_that_owns.c - a string in a message that does not own its strings.
 *
 * refused: always
 * gcc: 'ward_fields_own_letter' undeclared
 * clang: undeclared identifier 'ward_fields_own_letter'
 */
#include <ward/codec.h>

struct letter {
	char *text;
};
#ifdef CORRECT
WARD_MESSAGE_FIELDS_OWNED(letter, 1, WARD_FIELD(STRING, letter, text));
#else
WARD_MESSAGE_FIELDS(letter, 1, WARD_FIELD(STRING, letter, text));
#endif
