/* SPDX-License-Identifier: MIT
 *
 * rule_too_many.c - a strategy has more rules than there is room for.
 *
 * refused: with -Werror
 * gcc: excess elements in array initializer
 * clang: excess elements in array initializer
 */
#include "common.h"

extern const ward_strategy strategy;
const ward_strategy strategy = {
	.rules =
		{
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
			{&broken, WARD_STOP},
#ifndef CORRECT
			{&broken, WARD_STOP},
#endif
		},
};
