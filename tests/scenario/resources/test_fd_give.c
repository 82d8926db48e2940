/* SPDX-License-Identifier: MIT
 *
 * test_fd_give.c - a descriptor that moves in a message: one owner at a time, and closed wherever
 * the message ends.
 *
 * Method: the read end of a pipe moves from a to b, and in some stories on to c.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* What b and c do with a descriptor that they are given. */
enum use { TAKES, IGNORES, FAILS, TAKES_AND_FAILS, FORWARDS, STASHES };

static struct scene {
	ward_kit *kit;
	struct script a, b, c;
	enum use use; /* of b */
	int ends[2];
	int taken;
} scene;

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static ward_result take_it(ward_self *self)
{
	int fd = -1;

	ward_assert_ok(ward_try_fd_take(self, &fd));
	journal_note("%s:has it in %u", script_of(self)->name, ward_incarnation(self));
	scene.taken = fd;
	ward_assert_err(ward_try_fd_take(self, &fd), WARD_ENOENT);
	ward_fd_watch(self, scene.taken, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result use_it(ward_self *self, const ward_msg *msg)
{
	bool is_b = script_of(self) == &scene.b;

	if (ward_match(msg, ward_fd_ready)) {
		journal_note("%s:ready", script_of(self)->name);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_fd))
		return WARD_UNHANDLED;
	switch (is_b ? scene.use : TAKES) {
	case IGNORES:
		return WARD_DONE;
	case FAILS:
		return ward_failed(self, &bad_luck, "not taken");
	case TAKES_AND_FAILS:
		(void)take_it(self);
		return ward_failed(self, &bad_luck, "taken");
	case FORWARDS:
		return ward_forward(self, scene.c.ref);
	case STASHES:
		ward_assert_ok(ward_try_stash(self));
		return WARD_DONE;
	case TAKES:
	default:
		return take_it(self);
	}
}

static void start(enum use use)
{
	scene = (struct scene){.use = use,
			       .taken = -1,
			       .a = {.name = "a", .receive = use_it},
			       .b = {.name = "b", .receive = use_it},
			       .c = {.name = "c", .receive = use_it}};
	ward_assert_eq(pipe2(scene.ends, O_CLOEXEC | O_NONBLOCK), 0);
	scene.kit = script_start(NULL);
	script_spawn(scene.kit, &scene.a);
	script_spawn(scene.kit, &scene.b);
	script_spawn(scene.kit, &scene.c);
	journal_clear();
}

static void stop(struct script *script)
{
	ward_system_stop(ward_kit_system(scene.kit), script->ref);
	ward_kit_run(scene.kit);
}

/* The descriptor is closed with its last owner. */
static void finish(void)
{
	script_finish(scene.kit);
	ward_assert(!is_open(scene.ends[0]));
	close(scene.ends[1]);
}

static ward_result give(ward_self *self, void *to)
{
	ward_adopt_fd(self, scene.ends[0]);
	ward_fd_watch(self, scene.ends[0], WARD_FD_READ);
	ward_fd_give(self, ((struct script *)to)->ref, scene.ends[0]);
	return WARD_DONE;
}

static void do_give(void)
{
	script_do(scene.kit, scene.a.ref, give, &scene.b);
	ward_kit_run(scene.kit);
}

static void write_byte(void)
{
	ward_assert_eq(write(scene.ends[1], "x", 1), 1);
	ward_kit_run(scene.kit);
}

WARD_TEST(given_descriptor_is_taken_without_a_copy_and_is_its_owners_alone)
{
	start(TAKES);
	do_give();
	ward_assert_eq(scene.taken, scene.ends[0]);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 2); /* adopted once, watched once */
	stop(&scene.a);
	ward_assert(is_open(scene.ends[0]));
	write_byte();
	assert_journal("b:has it in 1;a:post_stop;b:ready");
	stop(&scene.b);
	ward_assert(!is_open(scene.ends[0]));
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	finish();
}

WARD_TEST(given_descriptor_that_nobody_takes_is_closed)
{
	static const enum use uses[] = {IGNORES, FAILS, TAKES_AND_FAILS};

	for (int i = 0; i < 3; i++) {
		start(uses[i]);
		do_give();
		ward_assert(!is_open(scene.ends[0]));
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
		finish();
	}
}

WARD_TEST(descriptor_in_a_dead_letter_is_closed)
{
	start(TAKES);
	stop(&scene.b);
	do_give();
	ward_assert(!is_open(scene.ends[0]));
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 1);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	finish();
}

static ward_result try_to_give(ward_self *self, void *to)
{
	ward_adopt_fd(self, scene.ends[0]);
	ward_assert_err(ward_try_fd_give(self, ((struct script *)to)->ref, scene.ends[0]),
			WARD_EDEAD);
	ward_assert_err(ward_try_fd_give(self, scene.c.ref, -1), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "-1 is not a descriptor");
	return WARD_DONE;
}

WARD_TEST(refused_descriptor_is_still_the_givers)
{
	start(TAKES);
	stop(&scene.b);
	script_do(scene.kit, scene.a.ref, try_to_give, &scene.b);
	ward_kit_run(scene.kit);
	ward_assert(is_open(scene.ends[0]));
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	stop(&scene.a);
	ward_assert(!is_open(scene.ends[0]));
	finish();
}

static ward_result misuse(ward_self *self, void *arg)
{
	int fd;

	(void)arg;
	ward_assert_err(ward_try_fd_take(self, &fd), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "the current message has no descriptor");
	ward_fd_give(self, scene.b.ref, -1);
	return WARD_DONE;
}

WARD_TEST(what_is_no_descriptor_fails_the_giver)
{
	start(TAKES);
	script_do(scene.kit, scene.a.ref, misuse, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 1);
	assert_journal_of("b", "");
	close(scene.ends[0]);
	finish();
}

WARD_TEST(descriptor_that_waits_reaches_the_next_incarnation)
{
	start(TAKES);
	script_break(scene.kit, scene.b.ref, &bad_luck);
	script_do(scene.kit, scene.a.ref, give, &scene.b);
	ward_kit_run(scene.kit);
	ward_assert_part(journal_of("b"), "has it in ");
	ward_assert(is_open(scene.ends[0]));
	finish();
}

static ward_result keep_it(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	int fd = scene.taken;

	(void)why, (void)msg;
	scene.taken = -1; /* an incarnation that could not take it has nothing to give */
	if (fd >= 0)
		ward_fd_give(self, ward_self_ref(self), fd);
	return WARD_DONE;
}

WARD_TEST(descriptor_that_pre_restart_gives_to_its_own_actor_outlives_the_restart)
{
	start(TAKES);
	scene.b.pre_restart = keep_it;
	do_give();
	script_break(scene.kit, scene.b.ref, &bad_luck);
	ward_kit_run(scene.kit);
	ward_assert_part(journal_of("b"), "has it in 2");
	write_byte();
	ward_assert_part(journal_of("b"), "ready");
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 1);
	finish();
}

WARD_TEST(forwarded_descriptor_is_the_last_receivers)
{
	start(FORWARDS);
	do_give();
	assert_journal("c:has it in 1");
	stop(&scene.a);
	stop(&scene.b);
	ward_assert(is_open(scene.ends[0]));
	finish();
}

WARD_TEST(stashed_descriptor_is_closed_with_the_stash_or_taken_from_it)
{
	for (int unstashed = 0; unstashed < 2; unstashed++) {
		start(STASHES);
		do_give();
		ward_assert(is_open(scene.ends[0]));
		scene.use = TAKES;
		if (unstashed)
			script_break(scene.kit, scene.b.ref, &bad_luck); /* un-stashes all */
		ward_kit_run(scene.kit);
		ward_assert_eq(is_open(scene.ends[0]), 1);
		ward_assert_eq(scene.taken >= 0, unstashed);
		stop(&scene.b);
		ward_assert(!is_open(scene.ends[0]));
		finish();
	}
}

WARD_TEST(descriptor_that_waits_at_the_end_of_the_system_is_closed)
{
	start(TAKES);
	script_do(scene.kit, scene.a.ref, give, &scene.b);
	while (ward_kit_stats(scene.kit).payloads == 0)
		ward_assert(ward_kit_step(scene.kit));
	finish(); /* b has not run */
}

static ward_result take_without_memory(ward_self *self, const ward_msg *msg)
{
	int fd;

	if (!ward_match(msg, ward_fd))
		return WARD_UNHANDLED;
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_assert_err(ward_try_fd_take(self, &fd), WARD_ENOMEM);
	ward_kit_fail_all_allocations(scene.kit, false);
	ward_assert(is_open(scene.ends[0]));
	return take_it(self);
}

WARD_TEST(descriptor_that_finds_no_memory_stays_in_its_message)
{
	start(TAKES);
	scene.b.receive = take_without_memory;
	do_give();
	ward_assert_eq(scene.taken, scene.ends[0]);
	finish();
}

/* ---- routers ----------------------------------------------------------------------------- */

static _Atomic int routees_with_one;

static ward_result routee_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ward_fd))
		return WARD_UNHANDLED;
	ward_assert(is_open(ward_fd_take(self)));
	routees_with_one++;
	return WARD_DONE;
}

static const ward_behavior routee = {.name = "routee", .receive = routee_receive};

static ward_result give_to(ward_self *self, void *arg)
{
	ward_fd_give(self, *(ward_ref *)arg, scene.ends[0]);
	return WARD_DONE;
}

/* Returns how many routees got one. */
static int give_to_pool(ward_routing routing, bool without_copies)
{
	struct ward_router args = {.routing = routing, .routees = 2, .routee.behavior = &routee};
	struct rlimit limit, few;
	ward_ref pool;

	routees_with_one = 0;
	start(TAKES);
	pool = ward_kit_spawn(scene.kit, &ward_pool, .args = {WARD_COPY(ward_router, &args)});
	ward_kit_run(scene.kit);
	ward_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = 3;
	if (without_copies)
		ward_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	script_do(scene.kit, scene.a.ref, give_to, &pool);
	ward_kit_run(scene.kit);
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, without_copies);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, routees_with_one);
	finish();
	return routees_with_one;
}

WARD_TEST(pool_moves_a_descriptor_or_copies_it_for_each_routee_or_closes_it)
{
	ward_assert_eq(give_to_pool(WARD_ROUTE_ROUND_ROBIN, false), 1);
	ward_assert_eq(give_to_pool(WARD_ROUTE_BROADCAST, false), 2);
	ward_assert_eq(give_to_pool(WARD_ROUTE_BROADCAST, true), 0);
}

WARD_TEST_MAIN
