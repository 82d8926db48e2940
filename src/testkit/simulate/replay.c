/* SPDX-License-Identifier: MIT
 *
 * replay.c - reading and writing the words of a replay line.
 */
#include "testkit/simulate/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the value of "key=value", or NULL. */
static const char *value_of(const char *word, const char *key)
{
	size_t length = strlen(key);
	return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool parse_seed(const char *text, uint64_t *ret_seed)
{
	char *end;
	errno = 0;
	*ret_seed = strtoull(text, &end, 10);
	return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && *ret_seed != 0;
}

/* Returns what is wrong with the word, or NULL. */
static const char *parse_word(const char *word, struct wardi_replay *replay)
{
	const char *value;

	if ((value = value_of(word, "seed")) != NULL)
		return parse_seed(value, &replay->seed) ? NULL : "not a seed, from 1 on";
	if ((value = value_of(word, "order")) != NULL)
		return wardi_schedule_parse(&replay->order, value)
			       ? NULL
			       : "not an order: random, pct or exhaustive:CHOICES";
	if ((value = value_of(word, "faults")) != NULL) {
		replay->plan_given = true;
		return wardi_plan_parse(&replay->plan, value)
			       ? NULL
			       : "not a plan of faults, as in fail@17,stall@3:250";
	}
	return "not one of seed=, order=, faults=";
}

enum wardi_replay_said wardi_replay_parse(const char *words, const ward_simulation_test *test,
					  struct wardi_replay *ret_replay, const char **ret_why)
{
	char copy[WARD_REPLAY_TEXT];
	char *rest;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", words) >= sizeof(copy)) {
		*ret_why = "too long";
		return WARDI_REPLAY_WRONG;
	}
	const char *word = strtok_r(copy, " ", &rest);
	if (word == NULL || strcmp(word, test->name) != 0)
		return WARDI_REPLAY_OTHER;
	ret_replay->seed = 1;
	ret_replay->plan_given = false;
	wardi_schedule_init(&ret_replay->order, test->order, test->change_points);
	while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
		*ret_why = parse_word(word, ret_replay);
		if (*ret_why != NULL)
			return WARDI_REPLAY_WRONG;
	}
	return WARDI_REPLAY_THIS;
}

size_t wardi_replay_text(const struct wardi_replay *replay, const char *name, char *text,
			 size_t max)
{
	char order[WARD_REPLAY_TEXT];
	char plan[WARD_REPLAY_TEXT * 4];

	wardi_schedule_text(&replay->order, order, sizeof(order));
	wardi_plan_text(&replay->plan, plan, sizeof(plan));
	return (size_t)snprintf(
		text, max, "%s seed=%llu order=%s%s%s", name, (unsigned long long)replay->seed,
		order, replay->plan_given ? " faults=" : "", replay->plan_given ? plan : "");
}
