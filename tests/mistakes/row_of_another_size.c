/* SPDX-License-Identifier: MIT
 *
 * row_of_another_size.c - a row whose kind the member does not fit.
 *
 * refused: always
 * gcc: the member does not fit the kind of its row
 * clang: the member does not fit the kind of its row
 */
#include <ward/codec.h>

#ifdef CORRECT
struct reading {
	double degrees;
};
#else
struct reading {
	float degrees;
};
#endif
WARD_MESSAGE_FIELDS(reading, 1, WARD_FIELD(FLOAT, reading, degrees));
