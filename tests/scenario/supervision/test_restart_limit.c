/* SPDX-License-Identifier: MIT
 *
 * test_restart_limit.c - how many restarts a child gets, and in what window (S70-S73).
 *
 * Method: one parent, one child, a strategy; failures at given moments of the virtual clock, and
 * whether the child lives on. The clock stands still between two moments.
 */
#include <string.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_day = {.name = "bad_day", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck, &bad_day);

static const ward_strategy one_restart = {.otherwise = WARD_RESTART, .restarts_max = 1};

/* Breaks the actor. True: it was restarted; false: it is gone. */
static bool survives_failure(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
	bool alive = ward_kit_is_alive(f->kit, who->ref);
	ward_assert_state(f->kit, who->ref, alive ? WARD_STATE_RUNNING : WARD_STATE_GONE);
	return alive;
}

/* ---- S70: where the count is kept -------------------------------------------------------- */

WARD_TEST(success_and_time_do_not_reset_the_count, "S70")
{
	struct family f = FAMILY;
	f.p.strategy = &one_restart;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	for (int i = 0; i < 100; i++)
		script_say(f.kit, f.a.ref, "good");
	ward_kit_advance(f.kit, 365 * 24 * 60 * WARD_MINUTE);
	ward_assert(!survives_failure(&f, &f.a));
	script_finish(f.kit);
}

WARD_TEST(resume_neither_charges_nor_resets_the_count, "S70")
{
	static const ward_strategy resume_bad_days = {
		.rules = {{&bad_day, WARD_RESUME}, {&bad_luck, WARD_RESTART}}, .restarts_max = 1};
	struct family f = FAMILY;
	f.p.strategy = &resume_bad_days;
	family_start(&f);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5; i++)
			script_break(f.kit, f.a.ref, &bad_day);
		ward_kit_run(f.kit);
		ward_assert_eq(survives_failure(&f, &f.a), round == 0);
	}
	script_finish(f.kit);
}

WARD_TEST(restart_of_the_parent_neither_charges_nor_resets_its_children, "S70", "S44")
{
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.strategy = &one_restart;
	f.p.keeps_children = true;
	family_start(&f);
	ward_ref a = f.a.ref;
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.p));
	ward_assert(survives_failure(&f, &f.p));
	ward_assert(ward_ref_equal(f.a.ref, a));
	/* b was restarted twice with p, but never charged. */
	ward_assert(survives_failure(&f, &f.b));
	ward_assert(!survives_failure(&f, &f.a));
	script_finish(f.kit);
}

static ward_result spawn_again(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(child_of_the_same_name_begins_anew, "S70")
{
	struct family f = FAMILY;
	f.p.strategy = &one_restart;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(!survives_failure(&f, &f.a));
	script_do(f.kit, f.p.ref, spawn_again, &f.a);
	ward_kit_run(f.kit);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(!survives_failure(&f, &f.a));
	script_finish(f.kit);
}

WARD_TEST(child_of_the_same_name_opens_a_window_of_its_own, "S70", "S71")
{
	static const ward_strategy one_in_a_second = {
		.otherwise = WARD_RESTART, .restarts_max = 1, .window_ms = WARD_SECOND};
	struct family f = FAMILY;
	f.p.strategy = &one_in_a_second;
	family_start(&f);
	/* Often enough to get the memory of an earlier one. */
	for (int i = 0; i < 30; i++) {
		ward_assert(survives_failure(&f, &f.a));
		ward_kit_advance(f.kit, 900);
		ward_assert(!survives_failure(&f, &f.a));
		script_do(f.kit, f.p.ref, spawn_again, &f.a);
		ward_kit_run(f.kit);
		ward_kit_advance(f.kit, 99);
	}
	script_finish(f.kit);
}

WARD_TEST(children_are_counted_each_by_itself, "S70")
{
	struct family f = FAMILY;
	f.p.strategy = &one_restart;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.b));
	ward_assert(!survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.c));
	script_finish(f.kit);
}

/* ---- S71, S72: the count ----------------------------------------------------------------- */

/* Fails at these moments, in ms, the last of which must be the one that is denied; -1: none is. */
static void check_moments(ward_strategy strategy, const int64_t *moments, int count, int denied)
{
	strategy.otherwise = WARD_RESTART;
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	int64_t now = 0;
	for (int i = 0; i < count; i++) {
		ward_kit_advance(f.kit, moments[i] - now);
		now = moments[i];
		if (survives_failure(&f, &f.a) == (i == denied))
			ward_test_fail(__FILE__, __LINE__, "failure %d, at %lld ms, was %s", i,
				       (long long)now, i == denied ? "granted" : "denied");
	}
	script_finish(f.kit);
}

#define CHECK_MOMENTS(denied, strategy, ...)                                                       \
	check_moments(strategy, (const int64_t[]){__VA_ARGS__},                                    \
		      sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), denied)
#define LIMIT(max, window) ((ward_strategy){.restarts_max = (max), .window_ms = (window)})

WARD_TEST(limit_of_n_grants_n_restarts, "S71", "S72")
{
	CHECK_MOMENTS(1, LIMIT(1, 0), 0, 0);
	CHECK_MOMENTS(2, LIMIT(2, 0), 0, 0, 0);
	CHECK_MOMENTS(5, LIMIT(5, 0), 0, 10, 20, 30, 40, 50);
}

WARD_TEST(limit_of_zero_is_none, "S71", "S72")
{
	CHECK_MOMENTS(-1, LIMIT(0, 0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

WARD_TEST(limit_of_none_denies_the_first, "S71", "S72")
{
	CHECK_MOMENTS(0, LIMIT(WARD_RESTARTS_NONE, 0), 0);
	/* The window does not matter then. */
	CHECK_MOMENTS(0, LIMIT(WARD_RESTARTS_NONE, 1000), 0);
	CHECK_MOMENTS(0, LIMIT(WARD_RESTARTS_NONE, 1000), 5000);
}

WARD_TEST(window_counts_from_its_first_failure_to_its_last_millisecond, "S71", "S72")
{
	CHECK_MOMENTS(2, LIMIT(2, 1000), 0, 500, 999);
	CHECK_MOMENTS(2, LIMIT(2, 1000), 0, 500, 1000);
	/* It begins with the first failure, not with the child. */
	CHECK_MOMENTS(2, LIMIT(2, 1000), 700, 1600, 1700);
}

WARD_TEST(failure_after_the_window_opens_the_next_and_counts_in_it, "S71", "S72")
{
	CHECK_MOMENTS(-1, LIMIT(2, 1000), 0, 500, 1001);
	CHECK_MOMENTS(4, LIMIT(2, 1000), 0, 500, 1001, 1500, 2001);
	CHECK_MOMENTS(3, LIMIT(1, 1000), 0, 1001, 2002, 3002);
	CHECK_MOMENTS(-1, LIMIT(1, 1000), 0, 1001, 2002, 3003, 4004);
}

WARD_TEST(window_is_fixed_and_does_not_slide, "S72")
{
	/* Four within 13 ms, on both sides of a boundary: twice the limit of two. */
	CHECK_MOMENTS(4, LIMIT(2, 1000), 0, 990, 1001, 1002, 1003);
	/* The first is long ago when the third comes, but the window is still that of the first. */
	CHECK_MOMENTS(2, LIMIT(2, 1000), 0, 999, 1000);
}

WARD_TEST(denied_failure_is_counted_too, "S72")
{
	struct family f = FAMILY;
	f.p.strategy = &one_restart;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(!survives_failure(&f, &f.a));
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 1)->restarts, 2);
	script_finish(f.kit);
}

WARD_TEST(budget_counts_down_to_zero_and_again_in_a_new_window, "S72", "S30")
{
	ward_strategy strategy = {
		.otherwise = WARD_RESTART, .restarts_max = 3, .window_ms = WARD_SECOND};
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	for (int left = 2; left >= 0; left--) {
		ward_kit_forget_events(f.kit);
		ward_assert(survives_failure(&f, &f.a));
		ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->restarts_left,
			       left);
	}
	ward_kit_advance(f.kit, WARD_SECOND + 1);
	ward_kit_forget_events(f.kit);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->restarts_left, 2);
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->restarts, 1);
	script_finish(f.kit);
}

static void check_refused(ward_strategy strategy, const char *part)
{
	strategy.otherwise = WARD_RESTART;
	struct script a = {.name = "a", .strategy = &strategy};
	ward_kit *kit = script_start(NULL);
	ward_ref ref;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), script_props(&a), &ref),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
	script_finish(kit);
}

WARD_TEST(contradicting_limits_are_refused_with_a_text, "S72")
{
	check_refused(LIMIT(0, 1000), "restarts_max");
	check_refused(LIMIT(-2, 0), "restarts_max");
}

WARD_TEST(contradicting_limits_of_a_system_are_refused, "S72")
{
	static const ward_strategy window_only = {.otherwise = WARD_RESTART, .window_ms = 1000};
	ward_kit *kit;
	ward_assert_err(
		ward_kit_try_start(&(ward_kit_options){.system.user_strategy = &window_only}, &kit),
		WARD_EINVAL);
}

/* ---- S73: windows ------------------------------------------------------------------------ */

WARD_TEST(window_of_nothing_or_for_ever_is_none, "S73")
{
	const int64_t year_ms = 365 * 24 * 60 * WARD_MINUTE;
	CHECK_MOMENTS(1, LIMIT(1, -5), 0, year_ms);
	CHECK_MOMENTS(1, LIMIT(1, 0), 0, year_ms);
	CHECK_MOMENTS(1, LIMIT(1, WARD_FOREVER), 0, year_ms);
}

WARD_TEST(window_of_a_month_does_not_overflow, "S73")
{
	const int64_t day_ms = 24 * 60 * WARD_MINUTE;
	CHECK_MOMENTS(1, LIMIT(1, 30 * day_ms), 0, 29 * day_ms);
	CHECK_MOMENTS(2, LIMIT(1, 30 * day_ms), 0, 31 * day_ms, 60 * day_ms);
	/* More than a signed 64-bit count of nanoseconds holds is as good as for ever. */
	CHECK_MOMENTS(1, LIMIT(1, INT64_MAX / 1000), 0, 365 * day_ms);
}

WARD_TEST_MAIN
