/* SPDX-License-Identifier: MIT
 *
 * schedule.c - the ways of choosing in one table, and their names in replay lines.
 */
#include "testkit/simulate/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/simulate/schedule_exhaustive.h"
#include "testkit/simulate/schedule_pct.h"
#include "testkit/simulate/schedule_random.h"

static const struct wardi_schedule_way *const ways[] = {
	[WARD_ORDER_RANDOM] = &wardi_schedule_random,
	[WARD_ORDER_PCT] = &wardi_schedule_pct,
	[WARD_ORDER_EXHAUSTIVE] = &wardi_schedule_exhaustive,
};

void wardi_schedule_init(struct wardi_schedule *order, ward_order kind, uint32_t change_points)
{
	*order = (struct wardi_schedule){.kind = kind, .current = kind};
	if (kind == WARD_ORDER_EXHAUSTIVE)
		return;
	if (change_points == 0)
		change_points = 3;
	order->pct.changes_wanted =
		change_points < WARDI_PCT_CHANGES_MAX ? change_points : WARDI_PCT_CHANGES_MAX;
}

void wardi_schedule_begin(struct wardi_schedule *order, uint64_t seed)
{
	order->current = order->kind;
	order->matters = true;
	if (order->kind == WARD_ORDER_MIXED)
		order->current = seed % 2 == 1 ? WARD_ORDER_RANDOM : WARD_ORDER_PCT;
	order->chance = wardi_chance(seed, WARDI_CHANCE_ORDER);
	if (ways[order->current]->begin != NULL)
		ways[order->current]->begin(order);
}

size_t wardi_schedule_choose(struct wardi_schedule *order, const ward_system *system, size_t count)
{
	return ways[order->current]->choose(order, system, count);
}

/* ---- as a word ---------------------------------------------------------------------------- */

struct out {
	char *text;
	size_t max;
	size_t length;
};

static void put(struct out *out, const char *part)
{
	size_t length = strlen(part);
	if (out->length < out->max)
		snprintf(out->text + out->length, out->max - out->length, "%s", part);
	out->length += length;
}

static void put_choice(struct out *out, unsigned choice)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char part[16];
	if (choice < sizeof(digits) - 1)
		snprintf(part, sizeof(part), "%c", digits[choice]);
	else
		snprintf(part, sizeof(part), "(%u)", choice);
	put(out, part);
}

size_t wardi_schedule_text(const struct wardi_schedule *order, char *text, size_t max)
{
	struct out out = {text, max, 0};
	put(&out,
	    ways[order->current == WARD_ORDER_MIXED ? WARD_ORDER_RANDOM : order->current]->name);
	if (order->current != WARD_ORDER_EXHAUSTIVE)
		return out.length;
	const struct wardi_choices *choices = &order->choices;
	uint32_t count = choices->depth;
	while (count > 0 && choices->taken[count - 1] == 0)
		count--;
	put(&out, ":");
	for (uint32_t i = 0; i < count; i++)
		put_choice(&out, choices->taken[i]);
	return out.length;
}

/* Reads a choice and advances *at past it. Returns -1 if there is none. */
static long parse_choice(const char **at)
{
	char c = **at;
	if (c >= '0' && c <= '9')
		return *(*at)++ - '0';
	if (c >= 'a' && c <= 'z')
		return *(*at)++ - 'a' + 10;
	if (c != '(')
		return -1;
	char *end;
	long value = strtol(*at + 1, &end, 10);
	if (end == *at + 1 || *end != ')' || value > UINT16_MAX)
		return -1;
	*at = end + 1;
	return value;
}

static bool parse_choices(struct wardi_choices *choices, const char *at)
{
	uint32_t count = 0;
	while (*at != '\0') {
		long choice = parse_choice(&at);
		if (choice < 0 || count == WARDI_CHOICES_MAX)
			return false;
		choices->taken[count++] = (uint16_t)choice;
	}
	choices->count = count;
	return true;
}

bool wardi_schedule_parse(struct wardi_schedule *order, const char *text)
{
	static const char prefix[] = "exhaustive:";
	uint32_t changes = order->kind == WARD_ORDER_EXHAUSTIVE ? 0 : order->pct.changes_wanted;
	if (strncmp(text, prefix, sizeof(prefix) - 1) == 0) {
		wardi_schedule_init(order, WARD_ORDER_EXHAUSTIVE, 0);
		return parse_choices(&order->choices, text + sizeof(prefix) - 1);
	}
	for (ward_order kind = WARD_ORDER_RANDOM; kind <= WARD_ORDER_PCT; kind++) {
		if (strcmp(text, ways[kind]->name) == 0) {
			wardi_schedule_init(order, kind, changes);
			return true;
		}
	}
	return false;
}
