/* SPDX-License-Identifier: MIT
 *
 * test_plan.c - plans of faults: drawing, counting, text there and back, shrinking.
 */
#include <stdio.h>
#include <string.h>

#include <ward/testkit.h>

#include "testkit/simulate/plan.h"
#include "testkit/simulate/shrink.h"

/* ---- text --------------------------------------------------------------------------------- */

static struct wardi_plan parsed(const char *text)
{
	struct wardi_plan plan;

	ward_assert(wardi_plan_parse(&plan, text));
	return plan;
}

static void check_text(const struct wardi_plan *plan, const char *wanted)
{
	char text[2048];

	ward_assert_eq(wardi_plan_text(plan, text, sizeof(text)), strlen(wanted));
	ward_assert_str(text, wanted);
}

WARD_TEST(text_of_each_kind_there_and_back)
{
	static const char all[] = "fail@17,fail-after@1,refuse@2,memory@120,stall@3:250,jump@4:1,"
				  "delay@5:1000,lose@4294967295,reset@1:1,cut@2:3,"
				  "cut-one-way@2:4,late@3:5,crash@9:900";
	struct wardi_plan plan = parsed(all);

	ward_assert_eq(plan.count, 13);
	ward_assert_eq(plan.faults[4].kind, WARDI_PLAN_STALL);
	ward_assert_eq(plan.faults[4].nth, 3);
	ward_assert_eq(plan.faults[4].delay_ms, 250);
	check_text(&plan, all);
	plan = parsed("none");
	ward_assert_eq(plan.count, 0);
	check_text(&plan, "none");
}

WARD_TEST(text_of_drawn_plans_there_and_back)
{
	const ward_fault_mix mix = {.fail = 9,
				    .refuse = 9,
				    .memory = 9,
				    .stall = 9,
				    .jump = 9,
				    .delay = 9,
				    .lose = 9,
				    .reset = 1,
				    .cut = 1,
				    .cut_one_way = 1,
				    .late = 1,
				    .crash = 1,
				    .delay_ms = WARD_MINUTE};
	WARD_TEST_SEEDS(300)
	{
		struct wardi_plan plan;
		char text[2048];

		wardi_plan_draw(&plan, &mix, ward_test_seed());
		wardi_plan_text(&plan, text, sizeof(text));
		struct wardi_plan again = parsed(text);
		ward_assert_eq(again.count, plan.count);
		check_text(&again, text);
	}
}

WARD_TEST(text_that_is_no_plan_is_refused)
{
	static const char *const wrong[] = {
		"",
		"fail",
		"fail@",
		"fail@0",
		"fail@1,",
		",fail@1",
		"fail@1 lose@2",
		"fail@-1",
		"fail@1x",
		"fail@1:250",
		"stall@3",
		"stall@3:",
		"stall@3:0",
		"stall@3:1h",
		"break@1",
		"none,fail@1",
		"fail@4294967296",
		"stall@1:99999999999999999999",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wardi_plan plan;
		if (wardi_plan_parse(&plan, wrong[i]))
			ward_test_fail(__FILE__, __LINE__, "taken for a plan: \"%s\"", wrong[i]);
	}
}

WARD_TEST(text_is_cut_and_tells_its_length)
{
	struct wardi_plan plan = parsed("fail@17,lose@3");
	char text[10];

	ward_assert_eq(wardi_plan_text(&plan, text, sizeof(text)), 14);
	ward_assert_str(text, "fail@17,l");
}

/* ---- drawing ------------------------------------------------------------------------------ */

WARD_TEST(drawn_plan_keeps_to_its_mix_and_uses_all_of_it)
{
	const ward_fault_mix mix = {.fail = 2, .stall = 3, .delay_ms = 40, .horizon = 50};
	bool seen_both = false, seen_none = false, seen_before = false, seen_after = false;
	uint32_t farthest = 0;
	int64_t longest = 0;

	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct wardi_plan plan;
		uint32_t fails = 0, stalls = 0;

		wardi_plan_draw(&plan, &mix, seed);
		for (uint32_t i = 0; i < plan.count; i++) {
			const struct wardi_plan_fault *fault = &plan.faults[i];
			bool stall = fault->kind == WARDI_PLAN_STALL;

			ward_assert(fault->nth >= 1 && fault->nth <= 50);
			ward_assert(stall ? fault->delay_ms >= 1 && fault->delay_ms <= 40
					  : fault->delay_ms == 0);
			ward_assert(stall || fault->kind == WARDI_PLAN_FAIL ||
				    fault->kind == WARDI_PLAN_FAIL_AFTER);
			seen_before = seen_before || fault->kind == WARDI_PLAN_FAIL;
			seen_after = seen_after || fault->kind == WARDI_PLAN_FAIL_AFTER;
			farthest = fault->nth > farthest ? fault->nth : farthest;
			longest = fault->delay_ms > longest ? fault->delay_ms : longest;
			*(stall ? &stalls : &fails) += 1;
		}
		ward_assert(fails <= 2 && stalls <= 3);
		seen_both = seen_both || (fails == 2 && stalls == 3);
		seen_none = seen_none || plan.count == 0;
	}
	ward_assert(seen_both && seen_none && seen_before && seen_after);
	ward_assert_eq(farthest, 50);
	ward_assert_eq(longest, 40);
}

WARD_TEST(drawn_plan_has_room_for_no_more_than_it_holds)
{
	const ward_fault_mix mix = {.fail = UINT32_MAX, .lose = UINT32_MAX};
	struct wardi_plan plan;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		wardi_plan_draw(&plan, &mix, seed);
		ward_assert(plan.count <= WARDI_PLAN_MAX);
	}
}

/* ---- counting ----------------------------------------------------------------------------- */

/* The occasions, up to `max`, at which something strikes, as "3 7". */
static void struck_at(const char *text, enum wardi_plan_site site, unsigned max, char *ret_text)
{
	struct wardi_plan plan = parsed(text);
	struct wardi_plan_state state;

	wardi_plan_begin(&plan, &state);
	*ret_text = '\0';
	for (unsigned nth = 1; nth <= max; nth++) {
		struct wardi_plan_fault *fault = wardi_plan_pass(&plan, &state, site, 1);
		if (fault == NULL)
			continue;
		ward_assert_eq(fault->nth, nth);
		ward_assert_eq(wardi_plan_site((enum wardi_plan_kind)fault->kind), site);
		ret_text += sprintf(ret_text, " %u", nth);
	}
}

WARD_TEST(each_fault_strikes_at_its_occasion_in_any_order_of_the_plan)
{
	static const char plan[] = "fail@7,stall@2:1,fail-after@3,jump@9:1,lose@1,delay@4:1";
	char text[64];

	struck_at(plan, WARDI_SITE_CALLBACK, 20, text);
	ward_assert_str(text, " 3 7");
	struck_at(plan, WARDI_SITE_TURN, 20, text);
	ward_assert_str(text, " 2 9");
	struck_at(plan, WARDI_SITE_SEND, 20, text);
	ward_assert_str(text, " 1 4");
	struck_at(plan, WARDI_SITE_SPAWN, 20, text);
	ward_assert_str(text, "");
	struck_at("stall@5:1,lose@5,fail@5,fail@5", WARDI_SITE_CALLBACK, 20, text);
	ward_assert_str(text, " 5");
}

WARD_TEST(several_occasions_at_once_strike_if_one_of_them_does)
{
	struct wardi_plan plan = parsed("memory@10,memory@12,memory@30");
	struct wardi_plan_state state;
	struct wardi_plan_fault *fault;

	wardi_plan_begin(&plan, &state);
	ward_assert(wardi_plan_pass(&plan, &state, WARDI_SITE_ALLOCATION, 9) == NULL);
	fault = wardi_plan_pass(&plan, &state, WARDI_SITE_ALLOCATION, 5);
	ward_assert(fault != NULL);
	ward_assert_eq(fault->nth, 10);
	/* The twelfth has passed without it. */
	fault = wardi_plan_pass(&plan, &state, WARDI_SITE_ALLOCATION, 16);
	ward_assert(fault != NULL);
	ward_assert_eq(fault->nth, 30);
	ward_assert(wardi_plan_pass(&plan, &state, WARDI_SITE_ALLOCATION, 100) == NULL);
}

/* ---- shrinking ---------------------------------------------------------------------------- */

/* Fails with the faults 3 and 17 and, if it is there, a stall of 100 ms at least at 20. */
static bool needs_two(void *arg, struct wardi_plan *plan)
{
	bool three = false, seventeen = false, slow = false;

	(void)arg;
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct wardi_plan_fault *fault = &plan->faults[i];
		three = three || fault->nth == 3;
		seventeen = seventeen || fault->nth == 17;
		slow = slow || (fault->nth == 20 && fault->delay_ms >= 100);
	}
	return three && seventeen && slow;
}

WARD_TEST(shrinking_leaves_what_is_needed_and_no_longer_than_it_must)
{
	struct wardi_plan plan = {0};

	for (uint32_t nth = 1; nth <= 40; nth++)
		plan.faults[plan.count++] =
			(struct wardi_plan_fault){.kind = WARDI_PLAN_LOSE, .nth = nth};
	plan.faults[19] =
		(struct wardi_plan_fault){.kind = WARDI_PLAN_STALL, .nth = 20, .delay_ms = 1000};
	unsigned tries = wardi_shrink(&plan, needs_two, NULL);
	check_text(&plan, "lose@3,lose@17,stall@20:125");
	ward_assert(tries < 150);
}

static bool fails_always(void *arg, struct wardi_plan *plan)
{
	(void)arg;
	(void)plan;
	return true;
}

WARD_TEST(shrinking_comes_to_nothing_where_nothing_is_needed)
{
	struct wardi_plan plan = parsed("lose@1,lose@2,stall@3:250,lose@4,lose@5");

	ward_assert_eq(wardi_shrink(&plan, fails_always, NULL), 1);
	ward_assert_eq(plan.count, 0);
}

/* Needs the one that stands last. */
static bool second_only(void *arg, struct wardi_plan *plan)
{
	unsigned *tries = arg;

	++*tries;
	return plan->count > 0 && plan->faults[plan->count - 1].nth == 2;
}

WARD_TEST(shrinking_tries_what_is_left_again_after_each_success)
{
	struct wardi_plan plan = parsed("lose@9,lose@8,lose@7,lose@2");
	unsigned tries = 0;

	unsigned told = wardi_shrink(&plan, second_only, &tries);
	ward_assert_eq(told, tries);
	check_text(&plan, "lose@2");
}

WARD_TEST_MAIN
