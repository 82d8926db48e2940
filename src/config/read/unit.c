/* SPDX-License-Identifier: MIT
 *
 * unit.c - numbers with a unit: durations and sizes.
 *
 * A number may have a decimal point, "1.5 s", but the result must be whole: 0.5 ms is refused.
 *
 * Threads: knows nothing but its arguments.
 */
#include "config/read/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/types.h>

enum { WHOLE_DIGITS_MAX = 15, PART_DIGITS_MAX = 9 };

struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit durations[] = {
	{"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000},
};

static const struct unit sizes[] = {
	{"B", 1},
	{"KiB", INT64_C(1) << 10},
	{"MiB", INT64_C(1) << 20},
	{"GiB", INT64_C(1) << 30},
};

/* Reads at most `max` digits. Returns how many there were; -1: too many. */
static int digits(const char *text, int max, int64_t *ret_value)
{
	int count = 0;

	*ret_value = 0;
	for (; text[count] >= '0' && text[count] <= '9'; count++) {
		if (count == max)
			return -1;
		*ret_value = *ret_value * 10 + (text[count] - '0');
	}
	return count;
}

/* Adds the digits after the point, times the factor. False: the result is not whole. */
static bool add_part(int64_t part, int places, int64_t factor, int64_t *value)
{
	int64_t power = 1;

	for (; places > 0; places--)
		power *= 10;
	/* At most 9 digits and a day, or a GiB: there is room. */
	if (part * factor % power != 0)
		return false;
	*value += part * factor / power;
	return true;
}

static bool read_number(const char *text, const struct unit *units, size_t count,
			int64_t *ret_value)
{
	int64_t whole, part = 0;
	int length = digits(text, WHOLE_DIGITS_MAX, &whole), places = 0;

	*ret_value = 0;
	if (length <= 0)
		return false;
	text += length;
	if (*text == '.') {
		places = digits(text + 1, PART_DIGITS_MAX, &part);
		if (places <= 0)
			return false;
		text += 1 + places;
	}
	text += strspn(text, " ");
	for (size_t i = 0; i < count; i++) {
		int64_t value;

		if (strcmp(text, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(whole, units[i].factor, &value) || value > INT64_MAX / 2)
			return false;
		if (!add_part(part, places, units[i].factor, &value)) {
			*ret_value = WARDI_UNIT_PART;
			return false;
		}
		*ret_value = value;
		return true;
	}
	return false;
}

/* In the largest unit in which it is whole. */
static void write_number(int64_t value, const struct unit *units, size_t count, char *text,
			 size_t max)
{
	size_t at = count - 1;

	while (at > 0 && (value == 0 || value % units[at].factor != 0))
		at--;
	snprintf(text, max, "%" PRId64 " %s", value / units[at].factor, units[at].name);
}

bool wardi_config_duration(const char *text, int64_t *ret_ms)
{
	if (strcmp(text, "forever") == 0) {
		*ret_ms = WARD_FOREVER;
		return true;
	}
	return read_number(text, durations, sizeof durations / sizeof durations[0], ret_ms);
}

bool wardi_config_size(const char *text, int64_t *ret_bytes)
{
	return read_number(text, sizes, sizeof sizes / sizeof sizes[0], ret_bytes);
}

void wardi_config_duration_text(int64_t ms, char *text, size_t max)
{
	if (ms == WARD_FOREVER)
		snprintf(text, max, "forever");
	else
		write_number(ms, durations, sizeof durations / sizeof durations[0], text, max);
}

void wardi_config_size_text(int64_t bytes, char *text, size_t max)
{
	write_number(bytes, sizes, sizeof sizes / sizeof sizes[0], text, max);
}
