/* SPDX-License-Identifier: MIT
 *
 * test_status.c - what an actor shows of itself: in the tree, in the info, and for how long.
 *
 * Method: scripts that call from inside; the text is read from outside, on a clock that is stepped.
 */
#include <stdio.h>
#include <string.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct world {
	ward_kit *kit;
	struct script actor;
};

static void start(struct world *w)
{
	*w = (struct world){.kit = script_start(NULL), .actor = {.name = "a"}};
	script_spawn(w->kit, &w->actor);
}

static const char *status_of(struct world *w)
{
	static ward_actor_info info;

	ward_assert(ward_kit_info(w->kit, w->actor.ref, &info));
	return info.status;
}

static void call(struct world *w, script_call *what, void *arg)
{
	script_do(w->kit, w->actor.ref, what, arg);
	ward_kit_run(w->kit);
}

static ward_result show(ward_self *self, void *arg)
{
	ward_status_set(self, "%s", (const char *)arg);
	return WARD_DONE;
}

static ward_result clear(ward_self *self, void *arg)
{
	(void)arg;
	ward_status_clear(self);
	return WARD_DONE;
}

static ward_result count_down(ward_self *self, void *arg)
{
	ward_status_countdown(self, *(const int64_t *)arg, "closed for {}, again");
	return WARD_DONE;
}

static void keep_line(void *arg, const char *text)
{
	if (strstr(text, "    a ") == text)
		snprintf(arg, 256, "%s", text);
}

WARD_TEST(status_is_shown_until_it_is_replaced_or_cleared)
{
	struct world w;
	char line[256];

	start(&w);
	ward_assert_str(status_of(&w), "");
	call(&w, show, "connected to {} of 3");
	ward_assert_str(status_of(&w), "connected to {} of 3");
	ward_assert_ok(ward_system_tree(ward_kit_system(w.kit), keep_line, line));
	ward_assert_str(line, "    a running: connected to {} of 3");
	call(&w, show, "idle");
	ward_assert_str(status_of(&w), "idle");
	call(&w, clear, NULL);
	ward_assert_str(status_of(&w), "");
	call(&w, clear, NULL);
	ward_assert_ok(ward_system_tree(ward_kit_system(w.kit), keep_line, line));
	ward_assert_str(line, "    a running");
	script_finish(w.kit);
}

WARD_TEST(status_that_is_too_long_is_cut)
{
	struct world w;
	char text[200];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	start(&w);
	call(&w, show, text);
	ward_assert_eq(strlen(status_of(&w)), WARD_STATUS_TEXT - 1);
	script_finish(w.kit);
}

WARD_TEST(countdown_tells_what_is_left_when_somebody_looks)
{
	static const struct {
		int64_t left_ms;
		const char *text;
	} samples[] = {
		{3200, "closed for 3.2 s, again"},
		{1, "closed for 0.1 s, again"},
		{0, "closed for 0.0 s, again"},
		{-5, "closed for 0.0 s, again"},
		{59900, "closed for 59.9 s, again"},
		{59901, "closed for 1 min 0 s, again"},
		{61001, "closed for 1 min 2 s, again"},
		{59 * 60 * WARD_SECOND + 59001, "closed for 1 h 0 min, again"},
		{26 * 60 * WARD_MINUTE, "closed for 26 h 0 min, again"},
	};
	struct world w;

	start(&w);
	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		int64_t left_ms = samples[i].left_ms;

		call(&w, count_down, &left_ms);
		ward_assert_str(status_of(&w), samples[i].text);
	}
	script_finish(w.kit);
}

WARD_TEST(countdown_goes_on_while_the_actor_sleeps)
{
	int64_t left_ms = 3200, forever = WARD_FOREVER;
	struct world w;

	start(&w);
	call(&w, count_down, &left_ms);
	uint64_t turns = ward_kit_stats(w.kit).turns;
	ward_kit_advance(w.kit, 1000);
	ward_assert_str(status_of(&w), "closed for 2.2 s, again");
	ward_kit_advance(w.kit, 5000);
	ward_assert_str(status_of(&w), "closed for 0.0 s, again");
	ward_assert_eq(ward_kit_stats(w.kit).turns, turns);
	ward_assert_eq(ward_kit_stats(w.kit).timers, 0);
	call(&w, count_down, &forever);
	ward_assert_part(status_of(&w), "closed for 25");
	script_finish(w.kit);
}

WARD_TEST(status_goes_with_the_incarnation)
{
	struct world w;

	start(&w);
	call(&w, show, "busy");
	script_break(w.kit, w.actor.ref, &bad_luck);
	ward_kit_run(w.kit);
	ward_assert_eq(w.actor.calls[SCRIPT_POST_RESTART], 1);
	ward_assert_str(status_of(&w), "");
	call(&w, show, "busy again");
	ward_assert_str(status_of(&w), "busy again");
	/* one that lives in the same cell shows nothing */
	ward_system_stop(ward_kit_system(w.kit), w.actor.ref);
	ward_kit_run(w.kit);
	script_spawn(w.kit, &w.actor);
	ward_assert_str(status_of(&w), "");
	script_finish(w.kit);
}

static ward_result show_something(ward_self *self, void *arg)
{
	(void)arg;
	return show(self, "on my way out");
}

WARD_TEST(status_of_post_stop_leaves_nothing_behind)
{
	struct world w = {.kit = script_start(NULL),
			  .actor = {.name = "a", .post_stop = show_something}};

	script_spawn(w.kit, &w.actor);
	ward_system_stop(ward_kit_system(w.kit), w.actor.ref);
	ward_kit_run(w.kit);
	ward_assert_eq(w.actor.calls[SCRIPT_POST_STOP], 1);
	script_finish(w.kit);
}

/* By pointers: a compiler would not have it otherwise. */
static void (*const set)(ward_self *self, const char *text, ...) = ward_status_set;
static void (*const start_countdown)(ward_self *self, int64_t left_ms, const char *text,
				     ...) = ward_status_countdown;

static ward_result ask_for_nothing(ward_self *self, void *arg)
{
	set(self, arg);
	return WARD_DONE;
}

static ward_result count_down_to_nothing(ward_self *self, void *arg)
{
	start_countdown(self, 1, arg);
	return WARD_DONE;
}

WARD_TEST(status_without_a_text_is_cleared)
{
	struct world w;

	start(&w);
	call(&w, show, "busy");
	call(&w, ask_for_nothing, NULL);
	ward_assert_str(status_of(&w), "");
	call(&w, show, "busy");
	call(&w, count_down_to_nothing, NULL);
	ward_assert_str(status_of(&w), "");
	script_finish(w.kit);
}

WARD_TEST_MAIN
