/* SPDX-License-Identifier: MIT
 *
 * row_of_other_sign.c - a row without a sign for a member with one.
 *
 * refused: always
 * gcc: the member does not fit the kind of its row
 * clang: the member does not fit the kind of its row
 */
#include <ward/codec.h>

struct step {
	int32_t by;
};
#ifdef CORRECT
WARD_MESSAGE_FIELDS(step, 1, WARD_FIELD(INT, step, by));
#else
WARD_MESSAGE_FIELDS(step, 1, WARD_FIELD(UINT, step, by));
#endif
