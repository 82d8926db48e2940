/* SPDX-License-Identifier: MIT
 *
 * row_of_no_member.c - a row for a member that the struct does not have.
 *
 * refused: always
 * gcc: 'struct reading' has no member named 'degree'
 * clang: no member named 'degree' in 'struct reading'
 */
#include <ward/codec.h>

struct reading {
	double degrees;
};
#ifdef CORRECT
WARD_MESSAGE_FIELDS(reading, 1, WARD_FIELD(FLOAT, reading, degrees));
#else
WARD_MESSAGE_FIELDS(reading, 1, WARD_FIELD(FLOAT, reading, degree));
#endif
