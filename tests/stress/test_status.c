/* SPDX-License-Identifier: MIT
 *
 * test_status.c - statuses are written, cleared and end with their incarnations, while they are
 * looked at.
 *
 * Method: each status is one letter many times over; whoever looks must never see two letters in
 * one. Actors fail now and then, so records come and go; they go on until enough was seen, and at
 * the end nothing is shown.
 */
#include <string.h>

#include "support/stress.h"

enum { ACTORS = 24, LETTERS = 60, SEEN_MIN = 1000 };

struct turn {
	uint64_t left;
};
WARD_MESSAGE(turn);

static _Atomic uint64_t done, seen, torn;

static ward_result show_letter(ward_self *self, uint64_t dice)
{
	char text[LETTERS + 1];

	memset(text, 'a' + (int)(dice / 8 % 26), LETTERS);
	text[LETTERS] = '\0';
	if (dice % 2 == 0)
		ward_status_set(self, "%s", text);
	else
		ward_status_countdown(self, 100, "%s{}%s", text, text);
	return WARD_DONE;
}

static ward_result show(ward_self *self, void *state, const ward_msg *msg)
{
	const struct turn *turn = ward_match(msg, turn);
	uint64_t dice = ward_random(self);

	(void)state;
	if (turn == NULL)
		return WARD_UNHANDLED;
	if (turn->left == 0 && stress_get(&seen) >= SEEN_MIN) {
		ward_status_clear(self);
		stress_add(&done, 1);
		return WARD_DONE;
	}
	ward_tell(self, ward_self_ref(self), turn, .left = turn->left == 0 ? 0 : turn->left - 1);
	switch (dice % 16) {
	case 0:
		return ward_failed(self, &ward_exception, "now and then");
	case 1:
		ward_status_clear(self);
		return WARD_DONE;
	default:
		return show_letter(self, dice / 16);
	}
}

static const ward_behavior shower = {.name = "shower", .receive = show};

static void look(void *arg, const ward_actor_info *info)
{
	const char *text = info->status;

	(void)arg;
	if (text[0] == '\0')
		return;
	stress_add(&seen, 1);
	if (strspn(text, (char[]){text[0], '\0'}) < LETTERS)
		stress_add(&torn, 1);
}

static void look_at_line(void *arg, const char *text)
{
	(void)arg, (void)text;
}

static void *observe(void *arg)
{
	ward_kit *kit = arg;

	while (stress_get(&done) < ACTORS) {
		ward_system_actors(ward_kit_system(kit), look, NULL);
		ward_assert_ok(ward_system_tree(ward_kit_system(kit), look_at_line, NULL));
		sched_yield();
	}
	return NULL;
}

WARD_TEST(status_is_whole_whenever_it_is_looked_at)
{
	static const ward_strategy quiet = {.otherwise = WARD_RESTART, .quiet = true};
	ward_kit *kit = stress_start(
		&(ward_kit_options){.system.workers = 2, .system.user_strategy = &quiet});
	ward_ref actors[ACTORS];
	pthread_t observer;

	for (int i = 0; i < ACTORS; i++)
		ward_assert_ok(
			ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&shower), &actors[i]));
	observer = stress_thread(observe, kit);
	for (int i = 0; i < ACTORS; i++)
		ward_system_tell(ward_kit_system(kit), actors[i], turn,
				 .left = stress_size(400, 200000));
	stress_join(observer);
	ward_assert_eq(stress_get(&torn), 0);
	atomic_store_explicit(&seen, 0, memory_order_relaxed);
	ward_system_actors(ward_kit_system(kit), look, NULL);
	ward_assert_eq(stress_get(&seen), 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
