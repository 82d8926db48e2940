/* SPDX-License-Identifier: MIT
 *
 * digits.h - numbers as text, without a sign, blanks or zeros in front.
 */
#ifndef WARDI_NET_DIGITS_H
#define WARDI_NET_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a number up to `max`. False: these `size` bytes are none. */
static inline bool wardi_digits(const char *text, size_t size, uint64_t max, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (size == 0 || size > 10 || (size > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(text[i] - '0');
	}
	*ret_number = number;
	return number <= max;
}

#endif
