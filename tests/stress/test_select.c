/* SPDX-License-Identifier: MIT
 *
 * test_select.c - selections on threads, while those that they select come and go.
 *
 * Goal: one thing becomes of each copy, none overtakes another on the same path, nothing is left.
 * Method: threads outside select all workers, and all below the boss, with numbers that rise;
 * workers check that those of one thread rise; the boss stops workers and starts others meanwhile.
 * A crate owns a count.
 */
#include <stdio.h>

#include "support/stress.h"

enum { SENDERS = 3, WORKERS = 300, BELOW = 2 };

static _Atomic int64_t crates, delivered;
static _Atomic uint64_t overtaken;

struct crate {
	int sender;
	int number;
	int way;
};
static void crate_drop(struct crate *crate)
{
	(void)crate;
	atomic_fetch_sub(&crates, 1);
}
static ward_err crate_clone(struct crate *to, const struct crate *from)
{
	*to = *from;
	atomic_fetch_add(&crates, 1);
	return WARD_OK;
}
WARD_MESSAGE_CLONE(crate, crate_drop, crate_clone);
WARD_SIGNAL(change);

struct worker {
	int last[SENDERS][2];
};

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct worker *worker = state;
	const struct crate *crate = ward_match(msg, crate);

	(void)self;
	if (crate == NULL)
		return WARD_UNHANDLED;
	atomic_fetch_add(&delivered, 1);
	if (crate->number <= worker->last[crate->sender][crate->way])
		atomic_fetch_add(&overtaken, 1);
	worker->last[crate->sender][crate->way] = crate->number;
	return WARD_DONE;
}

static const ward_behavior below = {
	.name = "below", .state_size = sizeof(struct worker), .receive = worker_receive};

static ward_result start_below(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < BELOW; i++)
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&below), NULL));
	return WARD_DONE;
}

static const ward_behavior worker = {.name = "worker",
				     .state_size = sizeof(struct worker),
				     .pre_start = start_below,
				     .receive = worker_receive};

struct boss {
	int next;
	ward_ref workers[WORKERS];
};

static void hire(ward_self *self, struct boss *boss)
{
	char name[16];
	int at = boss->next % WORKERS;

	ward_stop(self, boss->workers[at]);
	snprintf(name, sizeof(name), "w%d", boss->next++);
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&worker, .name = name), &boss->workers[at]));
}

static ward_result start_workers(ward_self *self, void *state)
{
	for (int i = 0; i < WORKERS; i++)
		hire(self, state);
	return WARD_DONE;
}

static ward_result boss_receive(ward_self *self, void *state, const ward_msg *msg)
{
	if (ward_match(msg, change) == NULL)
		return WARD_UNHANDLED;
	for (int i = 0; i < 5; i++)
		hire(self, state);
	return WARD_DONE;
}

static const ward_behavior boss = {.name = "boss",
				   .state_size = sizeof(struct boss),
				   .pre_start = start_workers,
				   .receive = boss_receive};

struct sender {
	ward_system *system;
	ward_ref boss;
	int number, count;
};

static void *send_all(void *arg)
{
	static const char *const paths[] = {"/user/boss/w*", "/user/boss/**"};
	struct sender *sender = arg;
	ward_ref ref;

	for (int i = 1; i <= sender->count; i++) {
		int way = i % 2;
		atomic_fetch_add(&crates, 1);
		ward_system_select_tell(sender->system, paths[way], crate, .sender = sender->number,
					.number = i, .way = way);
		ward_system_tell(sender->system, sender->boss, change);
		if (i % 16 == 0)
			(void)!ward_system_resolve(sender->system, "/user/boss", WARD_MINUTE, &ref);
	}
	return NULL;
}

static void play(bool ends_amid)
{
	struct sender senders[SENDERS];
	pthread_t threads[SENDERS];
	ward_kit *kit = stress_start(&(ward_kit_options){
		.system.workers = 2, .keeps_no_events = true, .may_leave_mail = true});
	ward_ref ref = ward_kit_spawn(kit, &boss, .name = "boss");

	atomic_store(&crates, 0);
	atomic_store(&delivered, 0);
	for (int i = 0; i < SENDERS; i++) {
		senders[i] =
			(struct sender){ward_kit_system(kit), ref, i, (int)stress_size(40, 2000)};
		threads[i] = stress_thread(send_all, &senders[i]);
	}
	if (ends_amid)
		ward_system_stop(ward_kit_system(kit), ref);
	for (int i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	if (!ends_amid) {
		ward_kit_run(kit);
		ward_assert_eq(atomic_load(&crates), 0);
		ward_assert(atomic_load(&delivered) > WORKERS);
	}
	ward_kit_finish(kit);
	ward_assert_eq(atomic_load(&crates), 0);
	ward_assert_eq(atomic_load(&overtaken), 0);
}

WARD_TEST(selections_to_those_that_come_and_go_are_each_done_with_once, "S58")
{
	play(false);
}

WARD_TEST(selections_to_a_tree_that_ends_leave_nothing, "S58")
{
	play(true);
}

static void count_line(void *arg, const char *text)
{
	(void)text;
	++*(size_t *)arg;
}

static void *look_at_tree(void *arg)
{
	struct sender *sender = arg;

	for (int i = 0; i < sender->count; i++) {
		size_t lines = 0;
		ward_assert_ok(ward_system_tree(sender->system, count_line, &lines));
		ward_assert(lines >= 3);
	}
	return NULL;
}

WARD_TEST(tree_is_written_while_everything_moves)
{
	ward_kit *kit = stress_start(&(ward_kit_options){
		.system.workers = 2, .keeps_no_events = true, .may_leave_mail = true});
	ward_ref ref = ward_kit_spawn(kit, &boss, .name = "boss");
	struct sender looker = {ward_kit_system(kit), ref, 0, (int)stress_size(20, 1000)};
	pthread_t thread = stress_thread(look_at_tree, &looker);

	for (int i = 0; i < 200; i++)
		ward_kit_tell(kit, ref, change);
	pthread_join(thread, NULL);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
