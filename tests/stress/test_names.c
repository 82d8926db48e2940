/* SPDX-License-Identifier: MIT
 *
 * test_names.c - whoever was notified of an end gets the name, however early.
 *
 * Method: threads and actors stop what has a name, each in a way of its own hears that it is gone,
 * and has the name given to another one at once: that must not be refused. What is stopped leaves
 * mail behind, of which each message takes a while to drop: so there is time to hear of an end
 * before the parent does.
 */
#include <stdio.h>

#include "support/stress.h"

enum { THREADS = 2, WATCHERS = 2, BURDENS = 3 };

struct burden {
	uint64_t weight;
};

static void put_down(struct burden *burden)
{
	(void)burden;
	sched_yield();
}
WARD_MESSAGE_DROP(burden, put_down);

static ward_kit *kit;
static uint64_t rounds;

/* ---- what has a name --------------------------------------------------------------------- */

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static const ward_behavior named = {.name = "named", .receive = ignore};

/* It handles what comes before the stop, and leaves the rest. */
static void load_and_stop(ward_ref who)
{
	for (uint64_t i = 0; i < BURDENS; i++)
		ward_system_tell(ward_kit_system(kit), who, burden, i);
	ward_system_stop(ward_kit_system(kit), who);
}

/* ---- threads outside --------------------------------------------------------------------- */

static void until_dead(ward_ref who)
{
	while (ward_system_is_alive(ward_kit_system(kit), who))
		sched_yield();
}

static void until_refused(ward_ref who)
{
	while (ward_system_try_tell(ward_kit_system(kit), who, burden, 1) == WARD_OK)
		sched_yield();
}

static void hear_of_the_end(ward_ref who, uint64_t way)
{
	ward_system *system = ward_kit_system(kit);

	if (way == 0) {
		ward_assert_ok(ward_system_ask_stop(system, who, WARD_FOREVER));
		return;
	}
	load_and_stop(who);
	if (way == 1) {
		ward_assert_ok(ward_system_wait_for(system, who, WARD_FOREVER));
	} else if (way == 2) {
		until_dead(who);
	} else if (way == 3) {
		until_refused(who);
	} else {
		until_dead(who);
		ward_assert_ok(ward_system_wait_for(system, who, 0));
	}
}

static void *use_a_name(void *arg)
{
	ward_ref who;

	for (uint64_t i = 0; i < rounds; i++) {
		ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
						 WARD_PROPS(&named, .name = arg), &who));
		hear_of_the_end(who, i % 5);
	}
	return NULL;
}

static void at_the_top(uint32_t workers)
{
	static char names[THREADS][8];
	pthread_t threads[THREADS];

	rounds = stress_size(500, 50000);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	for (int i = 0; i < THREADS; i++) {
		snprintf(names[i], sizeof names[i], "x%d", i);
		threads[i] = stress_thread(use_a_name, names[i]);
	}
	for (int i = 0; i < THREADS; i++)
		stress_join(threads[i]);
	ward_kit_finish(kit);
}

STRESS_WORKERS(at_the_top, "S54", "S62")

/* ---- actors ------------------------------------------------------------------------------ */

struct make {
	uint64_t number; /* of the watcher: each has a name of its own */
};
WARD_MESSAGE(make);
struct made {
	ward_ref who;
};
WARD_MESSAGE(made);
WARD_SIGNAL(look);

static ward_ref mother_ref;
static _Atomic uint64_t through;

static ward_result mother_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct make *make = ward_match(msg, make);
	char name[24];
	ward_ref child;

	(void)state;
	ward_assert(make != NULL);
	snprintf(name, sizeof name, "child-%llu", (unsigned long long)make->number);
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&named, .name = name), &child));
	ward_assert(ward_ref_equal(ward_child(self, name), child));
	ward_tell(self, ward_msg_sender(msg), made, child);
	return WARD_DONE;
}

static const ward_behavior mother = {.name = "mother", .receive = mother_receive};

struct watcher {
	ward_ref child;
	uint64_t round;
	uint64_t number;
};

static void end_it(ward_self *self, struct watcher *me, ward_ref child)
{
	me->child = child;
	for (uint64_t i = 0; i < BURDENS; i++)
		ward_tell(self, child, burden, i);
	ward_stop(self, child);
	ward_tell(self, ward_self_ref(self), look);
}

/* Looks until it is gone, and then asks to be told. */
static void look_for_it(ward_self *self, struct watcher *me)
{
	if (ward_system_is_alive(ward_kit_system(kit), me->child)) {
		sched_yield();
		ward_tell(self, ward_self_ref(self), look);
	} else if (me->round % 2 == 0) {
		ward_assert_ok(ward_try_watch(self, me->child));
	} else {
		ward_assert_ok(ward_try_link(self, me->child));
	}
}

static void next_round(ward_self *self, struct watcher *me)
{
	if (++me->round < rounds)
		ward_tell(self, mother_ref, make, me->number);
	else
		stress_add(&through, 1);
}

static ward_result watcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct make *make = ward_match(msg, make);
	const struct made *made = ward_match(msg, made);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	struct watcher *me = state;

	if (make != NULL) {
		ward_trap_exit(self, true);
		me->number = make->number;
		ward_tell(self, mother_ref, make, me->number);
	} else if (made != NULL) {
		end_it(self, me, made->who);
	} else if (ward_match(msg, look) != NULL) {
		look_for_it(self, me);
	} else {
		ward_assert(gone != NULL || exited != NULL);
		ward_assert(gone == NULL || gone->end == WARD_END_UNKNOWN);
		next_round(self, me);
	}
	return WARD_DONE;
}

static const ward_behavior watcher = {
	.name = "watcher",
	.state_size = sizeof(struct watcher),
	.receive = watcher_receive,
};

static void below_a_parent(uint32_t workers)
{
	rounds = stress_size(500, 50000);
	atomic_store_explicit(&through, 0, memory_order_relaxed);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&mother), &mother_ref));
	for (uint64_t i = 0; i < WATCHERS; i++) {
		ward_ref who;

		ward_assert_ok(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&watcher), &who));
		ward_system_tell(ward_kit_system(kit), who, make, i);
	}
	STRESS_UNTIL(kit, stress_get(&through) == WATCHERS);
	ward_kit_finish(kit);
}

STRESS_WORKERS(below_a_parent, "S54", "S62", "S117")

WARD_TEST_MAIN
