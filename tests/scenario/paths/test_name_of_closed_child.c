/* SPDX-License-Identifier: MIT
 *
 * test_name_of_closed_child.c - a child that has closed beside others of its name, until the parent
 * is told.
 *
 * Method: real threads. The end of a child is held up at a message that it leaves behind: it is
 * closed then, so its name is free, and its parent has not been told. Meanwhile the parent does
 * what concerns all its children.
 */
#include <stdio.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "blocking_drop.h"

/* ---- parent and children ----------------------------------------------------------------- */

struct spawn {
	char name[8];
	bool refused; /* for a dispatcher that is not there */
};
WARD_MESSAGE(spawn);
WARD_SIGNAL(look);
WARD_SIGNAL(end);
WARD_SIGNAL(fail);
struct seen {
	ward_ref child, x; /* the one that was spawned; the one of that name */
	ward_err err;
	size_t children;
	uint32_t incarnation;
};
WARD_MESSAGE(seen);

static ward_kit *kit;

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, fail) != NULL)
		return ward_failed(self, &ward_exception, "told to");
	if (ward_match(msg, end) != NULL) {
		ward_tell(self, ward_self_ref(self), burden, 1);
		ward_stop_self(self);
	} else {
		ward_tell(self, ward_msg_sender(msg), seen, .incarnation = ward_incarnation(self));
	}
	return WARD_DONE;
}

static const ward_behavior child = {.name = "child", .receive = child_receive};

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct spawn *spawn = ward_match(msg, spawn);
	struct seen seen = {.incarnation = ward_incarnation(self)};

	(void)state;
	if (ward_match(msg, fail) != NULL)
		return ward_failed(self, &ward_exception, "told to");
	if (spawn != NULL)
		seen.err = ward_try_spawn(self,
					  WARD_PROPS(&child, .name = spawn->name,
						     .dispatcher = spawn->refused ? "none" : NULL),
					  &seen.child);
	seen.x = ward_child(self, "x");
	seen.children = ward_children(self, NULL, 0);
	ward_send(self, ward_msg_sender(msg), WARD_COPY(seen, &seen));
	return WARD_DONE;
}

static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART};
static const ward_behavior parent = {
	.name = "parent", .receive = parent_receive, .child_strategy = &all};

static struct seen ask_with(ward_ref who, const ward_type *type, const void *body, size_t size)
{
	struct seen seen = {0};

	ward_assert_ok(ward_system_ask_send(ward_kit_system(kit), who, WARD_MINUTE, &ward_type_seen,
					    &seen, type, body, size));
	return seen;
}

static struct seen ask(ward_ref who)
{
	return ask_with(who, &ward_type_look, NULL, 0);
}

static struct seen ask_to_spawn(ward_ref who, const char *name, bool refused)
{
	struct spawn spawn = {.refused = refused};

	snprintf(spawn.name, sizeof spawn.name, "%s", name);
	return ask_with(who, &ward_type_spawn, &spawn, sizeof spawn);
}

static ward_ref spawn(ward_ref who, const char *name)
{
	struct seen seen = ask_to_spawn(who, name, false);

	ward_assert_ok(seen.err);
	return seen.child;
}

/* The parent; its child x has closed, as the only one. */
static ward_ref start(uint32_t actors_max, ward_ref *ret_x)
{
	ward_ref who;

	kit = ward_kit_start(&(ward_kit_options){
		.real_threads = true, .system = {.workers = 4, .actors_max = actors_max}});
	ward_kit_on_cut(kit, let_go, NULL);
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&parent), &who));
	*ret_x = spawn(who, "x");
	ward_system_tell(ward_kit_system(kit), *ret_x, end);
	await_ends(1);
	ward_assert(!ward_kit_is_alive(kit, *ret_x));
	ward_assert(ward_ref_equal(ask(who).x, *ret_x));
	return who;
}

/* ---- the cases --------------------------------------------------------------------------- */

WARD_TEST(spawn_that_is_refused_leaves_the_name_of_one_that_closed_free, "S54")
{
	ward_ref old, who = start(0, &old);
	struct seen seen = ask_to_spawn(who, "x", true);

	ward_assert_err(seen.err, WARD_ENOENT);
	ward_assert(ward_ref_is_nobody(seen.x));
	ward_assert_eq(seen.children, 1);
	let_go(NULL);
	ward_kit_run(kit);
	ward_assert_eq(ask(who).children, 0);
	ward_ref new = spawn(who, "x");
	ward_assert(ward_ref_equal(ask(who).x, new));
	ward_kit_finish(kit);
}

WARD_TEST(restart_of_the_parent_waits_for_one_that_closed_and_its_namesake, "S34", "S54")
{
	ward_ref old, who = start(0, &old);
	ward_ref new = spawn(who, "x");

	ward_assert_eq(ask(who).children, 2);
	ward_system_tell(ward_kit_system(kit), who, fail);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), new, WARD_MINUTE));
	ward_kit_run_until_state(kit, who, WARD_STATE_RESTARTING);
	let_go(NULL);
	ward_assert_eq(ask(who).incarnation, 2);
	ward_assert_eq(ask(who).children, 0);
	spawn(who, "x");
	ward_kit_finish(kit);
}

WARD_TEST(end_of_the_parent_waits_for_one_that_closed_and_its_namesake, "S45", "S54")
{
	ward_ref old, who = start(0, &old);
	ward_ref new = spawn(who, "x");

	ward_system_stop(ward_kit_system(kit), who);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), new, WARD_MINUTE));
	ward_kit_run_until_state(kit, who, WARD_STATE_STOPPING);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), who, 0), WARD_ETIMEDOUT);
	let_go(NULL);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), who, WARD_MINUTE));
	ward_kit_finish(kit);
}

WARD_TEST(restart_of_all_finds_the_youngest_of_a_name, "S24", "S54")
{
	ward_ref first, who = start(0, &first);
	ward_ref second = spawn(who, "x"), sibling = spawn(who, "y"), third;

	ward_system_tell(ward_kit_system(kit), second, end);
	await_ends(2);
	third = spawn(who, "x");
	ward_assert_eq(ask(who).children, 4);
	ward_assert_err(ask_to_spawn(who, "x", false).err, WARD_EEXIST);
	ward_system_tell(ward_kit_system(kit), sibling, fail);
	ward_assert_eq(ask(sibling).incarnation, 2);
	ward_assert_eq(ask(who).incarnation, 1); /* it has told all of them by now */
	ward_assert_eq(ask(third).incarnation, 2);
	let_go(NULL);
	ward_kit_run(kit);
	ward_assert_eq(ask(who).children, 2);
	ward_assert(ward_ref_equal(ask(who).x, third));
	ward_assert_err(ask_to_spawn(who, "x", false).err, WARD_EEXIST);
	ward_kit_finish(kit);
}

WARD_TEST(place_of_one_that_closed_is_taken_until_the_parent_is_told)
{
	enum { GUARDIANS = 3 };
	ward_ref old, who = start(GUARDIANS + 2, &old);

	ward_assert_err(ask_to_spawn(who, "x", false).err, WARD_ELIMIT);
	let_go(NULL);
	ward_kit_run(kit);
	spawn(who, "x");
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
