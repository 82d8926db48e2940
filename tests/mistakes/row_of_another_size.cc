/* SPDX-License-Identifier: MIT
 *
 * row_of_another_size.cc - in C++, a row whose kind the member does not fit.
 *
 * refused: always
 * gcc: ward: the member does not fit the kind of its row
 * clang: ward: the member does not fit the kind of its row
 */
#include <ward/codec.h>

struct reading {
#ifdef CORRECT
	double degrees;
#else
	float degrees;
#endif
};
WARD_MESSAGE_FIELDS(reading, 1, WARD_FIELD(FLOAT, reading, degrees));
