/* SPDX-License-Identifier: MIT
 *
 * test_link.c - links in a storm: each link is heard of exactly once, none after an unlink (S117).
 *
 * Method: a nursery spawns targets into places; linkers (on several workers) trap exits, link with
 * and unlink from what is in the places, and end it in every way there is. Each has a table of whom
 * it is linked with; a ward_exited must be in it, and leaves it. Targets are linked among each
 * other, so that one end brings others; and mayflies link both with targets and with each other,
 * and are stopped in the middle of it. At the end all targets are stopped, and all tables must run
 * empty.
 */
#include <stdio.h>

#include "target_nursery.h"

enum { PLACES = 48, LINKERS = 8 };

struct meet {
	ward_ref who;
	bool part;
};
WARD_MESSAGE(meet);

static struct table tables[LINKERS];
static _Atomic uint64_t links, exits, unlinks;

/* ---- targets ----------------------------------------------------------------------------- */

static ward_result target_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct meet *meet = ward_match(msg, meet);

	(void)state;
	if (meet != NULL && meet->part) {
		ward_unlink(self, meet->who);
	} else if (meet != NULL) {
		ward_assert_ok(ward_try_link(self, meet->who));
	} else {
		ward_assert(ward_match(msg, fail) != NULL);
		ward_fail(self, &ward_exception, "as told");
	}
	return WARD_DONE;
}

static const ward_behavior target = {.name = "target", .receive = target_receive};

/* ---- linkers ----------------------------------------------------------------------------- */

static void link_with(ward_self *self, struct table *table, ward_ref who)
{
	if (table_is_full(table))
		return;
	ward_assert_ok(ward_try_link(self, who));
	table_add(table, who, false);
	stress_add(&links, 1);
}

static void end(ward_self *self, ward_ref who, uint64_t dice)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_KILL};

	switch (dice % 6) {
	case 4:
		reason = (ward_exit_reason){.kind = WARD_EXIT_OTHER, .name = "enough"};
		ward_assert_ok(ward_exit(self, who, &reason));
		break;
	case 5:
		ward_assert_ok(ward_exit(self, who, &reason));
		break;
	default:
		end_target(self, who, dice % 6);
		break;
	}
}

static ward_result do_step(ward_self *self, struct table *table)
{
	uint64_t dice = ward_random(self);
	uint32_t number = (uint32_t)(dice >> 32) % PLACES;
	ward_ref who = place(number), other = place((uint32_t)(dice >> 48) % PLACES);
	uint32_t at = table_find(table, who);

	if (at == table->count) {
		link_with(self, table, who);
	} else if (dice % 3 == 0) {
		ward_unlink(self, who);
		table_take_out(table, at);
		stress_add(&unlinks, 1);
	}
	if (dice % 5 == 0)
		end(self, who, dice >> 16);
	if (dice % 4 == 0)
		ward_tell(self, who, meet, .who = other, .part = dice >> 20 & 1);
	if (dice % 7 == 0)
		ward_tell(self, nursery.ref, replace, .place = number);
	/* The last step may come behind finish, which has a timer run: no failure then. */
	if (stress_add(&nursery.steps, 1) >= nursery.steps_max)
		return WARD_DONE;
	ward_tell(self, ward_self_ref(self), step);
	if (dice % 64 == 1) /* links outlive the incarnation */
		return ward_failed(self, &ward_exception, "now and then");
	return WARD_DONE;
}

static ward_result linker_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	ward_assert(!ward_trap_exit(self, true));
	return WARD_DONE;
}

static ward_result linker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct table *table = &tables[((const struct seat *)ward_args(self))->number];
	const struct ward_exited *gone = ward_match(msg, ward_exited);

	(void)state;
	if (ward_match(msg, step) != NULL)
		return do_step(self, table);
	if (ward_match(msg, finish) != NULL) {
		table_finish(self, table);
		return WARD_DONE;
	}
	ward_assert(gone != NULL);
	table_notice(msg, table, gone->who, false);
	stress_add(&exits, 1);
	return WARD_DONE;
}

static const ward_behavior linker = {
	.name = "linker",
	.args = &ward_type_seat,
	.init = linker_init,
	.receive = linker_receive,
};

/* ---- mayflies ---------------------------------------------------------------------------- */

static ward_result mayfly_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct meet *meet = ward_match(msg, meet);

	(void)state;
	if (meet == NULL)
		return WARD_DONE; /* exits are welcome */
	(void)ward_trap_exit(self, ward_random(self) % 2 == 0);
	if (!ward_ref_is_nobody(meet->who))
		ward_assert_ok(ward_try_link(self, meet->who));
	for (int i = 0; i < 3; i++) {
		ward_ref who = place((uint32_t)(ward_random(self) % PLACES));

		ward_assert_ok(ward_try_link(self, who));
		if (ward_random(self) % 2 == 0)
			ward_unlink(self, who);
	}
	return WARD_DONE;
}

static const ward_behavior mayfly = {.name = "mayfly", .receive = mayfly_receive};

/* Two of them, each of which links with the other. */
static void *breed_mayflies(void *arg)
{
	ward_system *system = ward_kit_system(nursery.kit);

	(void)arg;
	while (going_on()) {
		ward_ref one, other;

		ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&mayfly), &one));
		ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&mayfly), &other));
		ward_system_tell(system, one, meet, .who = other);
		ward_system_tell(system, other, meet, .who = one);
		ward_system_stop(system, one);
		ward_assert(ward_system_wait_for(system, one, WARD_MINUTE) == WARD_OK);
		ward_system_stop(system, other);
		ward_assert(ward_system_wait_for(system, other, WARD_MINUTE) == WARD_OK);
	}
	return NULL;
}

static void storm(uint32_t workers)
{
	ward_ref refs[LINKERS];
	pthread_t breeder;

	nursery_open(workers, PLACES, &target);
	actors_start(&linker, LINKERS, refs);
	breeder = stress_thread(breed_mayflies, NULL);
	STRESS_UNTIL(nursery.kit, !going_on());
	stress_join(breeder);

	nursery_close(refs, LINKERS);
	printf("%llu links: %llu exits, %llu unlinked\n", (unsigned long long)stress_get(&links),
	       (unsigned long long)stress_get(&exits), (unsigned long long)stress_get(&unlinks));
	ward_assert_eq(stress_get(&links), stress_get(&exits) + stress_get(&unlinks));
	ward_kit_finish(nursery.kit);
}

STRESS_WORKERS(storm, "S117")

WARD_TEST_MAIN
