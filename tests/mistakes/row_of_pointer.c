/* SPDX-License-Identifier: MIT
 *
 * row_of_pointer.c - a text that is a pointer, not an array.
 *
 * refused: always
 * gcc: the member does not fit the kind of its row
 * clang: the member does not fit the kind of its row
 */
#include <ward/codec.h>

#ifdef CORRECT
struct letter {
	char text[24];
};
#else
struct letter {
	char *text;
};
#endif
WARD_MESSAGE_FIELDS(letter, 1, WARD_FIELD(TEXT, letter, text));
