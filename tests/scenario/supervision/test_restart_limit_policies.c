/* SPDX-License-Identifier: MIT
 *
 * test_restart_limit_policies.c - the named policies of a restart limit: a window that slides,
 * OTP's intensity, the notice of Akka 0.x (S74, S121).
 *
 * Method: a family whose p has the limit; failures at given moments of the virtual clock, and who
 * lives on. g decides about p.
 */
#include <stdio.h>
#include <string.h>

#include "postponed_decision.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

#define LIMIT(policy, max, window)                                                                 \
	((ward_strategy){.otherwise = WARD_RESTART,                                                \
			 .limit = WARD_LIMIT_##policy,                                             \
			 .restarts_max = (max),                                                    \
			 .window_ms = (window)})

static bool is_alive(const struct family *f, ward_ref who)
{
	return ward_kit_is_alive(f->kit, who);
}

/* Breaks the actor. True: it was restarted; false: it is gone. */
static bool survives_failure(struct family *f, const struct script *who)
{
	ward_ref ref = who->ref;
	script_break(f->kit, ref, &bad_luck);
	ward_kit_run(f->kit);
	return is_alive(f, ref);
}

/* Fails at these moments, in ms, of which that one must be denied; -1: none is. */
static void check_moments(ward_strategy strategy, const int64_t *moments, int count, int denied)
{
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

/* What the last event about a says is charged, and left. */
static void check_event(const struct family *f, uint32_t restarts, int32_t left)
{
	size_t count = ward_kit_count(f->kit, WARD_EVENT_FAILURE, "*/p/a");
	const ward_event *event = ward_kit_event(f->kit, WARD_EVENT_FAILURE, "*/p/a", count - 1);
	ward_assert_eq(event->restarts, restarts);
	ward_assert_eq(event->restarts_left, left);
}

/* ---- a window that slides ---------------------------------------------------------------- */

WARD_TEST(sliding_window_looks_back_from_each_failure, "S74")
{
	CHECK_MOMENTS(2, LIMIT(SLIDING, 2, 1000), 0, 500, 999);
	CHECK_MOMENTS(2, LIMIT(SLIDING, 2, 1000), 0, 500, 1000);
	CHECK_MOMENTS(-1, LIMIT(SLIDING, 2, 1000), 0, 500, 1001, 1501, 2002);
	/* Where one that does not slide lets four happen. */
	CHECK_MOMENTS(3, LIMIT(SLIDING, 2, 1000), 0, 990, 1001, 1002);
	CHECK_MOMENTS(0, LIMIT(SLIDING, WARD_RESTARTS_NONE, 0), 5);
	CHECK_MOMENTS(1, LIMIT(SLIDING, 1, WARD_FOREVER), 0, 365 * 24 * 60 * WARD_MINUTE);
}

WARD_TEST(sliding_window_counts_each_child_by_itself, "S74", "S70")
{
	ward_strategy strategy = LIMIT(SLIDING, 1, 1000);
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.b));
	ward_assert(!survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.c));
	script_finish(f.kit);
}

WARD_TEST(events_tell_what_is_in_the_sliding_window_now, "S74", "S30")
{
	ward_strategy strategy = LIMIT(SLIDING, 2, 1000);
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	check_event(&f, 1, 1);
	ward_kit_advance(f.kit, 600);
	ward_assert(survives_failure(&f, &f.a));
	check_event(&f, 2, 0);
	ward_kit_advance(f.kit, 600);
	ward_assert(survives_failure(&f, &f.a));
	check_event(&f, 2, 0);
	ward_assert(!survives_failure(&f, &f.a));
	check_event(&f, 3, 0);
	script_finish(f.kit);
}

static ward_directive resume_it(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	return WARD_RESUME;
}

WARD_TEST(event_of_a_resume_tells_what_is_left_too, "S74", "S70")
{
	ward_strategy strategy = {.decide = resume_it,
				  .limit = WARD_LIMIT_SLIDING,
				  .restarts_max = 2,
				  .window_ms = 1000};
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	for (int i = 0; i < 5; i++)
		ward_assert(survives_failure(&f, &f.a));
	check_event(&f, 0, 2);
	script_finish(f.kit);
}

/* ---- an intensity ------------------------------------------------------------------------ */

WARD_TEST(intensity_counts_all_children_together, "S74")
{
	/* Two of any in a second; at the third p gives up on all, and g restarts it. */
	ward_strategy strategy = LIMIT(INTENSITY, 2, 1000);
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	check_event(&f, 1, 1);
	ward_assert(survives_failure(&f, &f.b));
	ward_ref p = f.p.ref, b = f.b.ref, c = f.c.ref;
	journal_clear();
	ward_assert(!survives_failure(&f, &f.a));
	check_event(&f, 3, 0);
	size_t count = ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/a");
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", count - 1)->denied, 1);
	ward_assert_part(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p", 0)->text,
			 "its children needed more than 2 restarts in 1 s");
	ward_assert(!is_alive(&f, b) && !is_alive(&f, c));
	/* The same p, with children of its new incarnation. */
	ward_assert(is_alive(&f, p));
	assert_journal_of("p", "pre_restart;post_stop;init;post_restart;pre_start");
	check_well(f.kit, &f.a);
	check_well(f.kit, &f.c);
	script_finish(f.kit);
}

static ward_directive note_chain(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	for (const ward_failure *at = failure; at != NULL; at = ward_failure_cause(at))
		journal_note("%s", ward_failure_class_of(at)->name);
	journal_note("%s", ward_failure_text(failure));
	return script_of(self)->decides;
}

WARD_TEST(what_is_above_decides_about_a_supervisor_that_gave_up, "S74")
{
	ward_strategy strategy = LIMIT(INTENSITY, WARD_RESTARTS_NONE, 0);
	struct family f = FAMILY;
	f.g.decide = note_chain;
	f.g.decides = WARD_STOP;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_ref c = f.c.ref;
	ward_assert(!survives_failure(&f, &f.a));
	ward_assert_part(journal_text(), "g:decide p;ward_restart_intensity;bad_luck;");
	ward_assert_part(journal_text(), "/g/p: its children needed more than 0 restarts");
	ward_assert(!is_alive(&f, f.p.ref) && !is_alive(&f, c));
	script_finish(f.kit);
}

static ward_result spawn(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(resumed_supervisor_begins_its_count_anew_without_children, "S74")
{
	ward_strategy strategy = LIMIT(INTENSITY, 1, 1000);
	struct family f = FAMILY;
	f.p.strategy = &strategy; /* g resumes */
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_ref b = f.b.ref;
	ward_assert(!survives_failure(&f, &f.a));
	ward_assert(!is_alive(&f, b));
	check_well(f.kit, &f.p);
	struct script d = {.name = "d"};
	script_do(f.kit, f.p.ref, spawn, &d);
	ward_kit_run(f.kit);
	ward_assert(survives_failure(&f, &d));
	ward_assert(!survives_failure(&f, &d));
	script_finish(f.kit);
}

WARD_TEST(restart_of_the_supervisor_begins_its_count_anew, "S74")
{
	ward_strategy strategy = LIMIT(INTENSITY, 1, 1000);
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.strategy = &strategy;
	f.p.keeps_children = true;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.p));
	ward_assert(survives_failure(&f, &f.b));
	ward_assert(!survives_failure(&f, &f.a));
	script_finish(f.kit);
}

WARD_TEST(intensity_is_charged_once_for_a_group, "S74", "S24")
{
	ward_strategy strategy = LIMIT(INTENSITY, 2, 1000);
	strategy.scope = WARD_ALL_FOR_ONE;
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.b));
	check_event(&f, 1, 1);
	ward_assert(!survives_failure(&f, &f.c));
	script_finish(f.kit);
}

WARD_TEST(bare_intensity_is_one_in_five_seconds_for_all, "S74")
{
	ward_strategy strategy = LIMIT(INTENSITY, 0, 0);
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_assert(survives_failure(&f, &f.a));
	ward_kit_advance(f.kit, 5001);
	ward_assert(survives_failure(&f, &f.b));
	ward_kit_advance(f.kit, 5000);
	ward_assert(!survives_failure(&f, &f.c));
	script_finish(f.kit);
}

/* p decides about a, and its limit is used up, in a receive of its own. */
WARD_TEST(decision_in_receive_that_is_too_much_fails_that_receive, "S74")
{
	ward_strategy strategy = {.decide = script_decide,
				  .limit = WARD_LIMIT_INTENSITY,
				  .restarts_max = WARD_RESTARTS_NONE};
	struct family f = FAMILY;
	f.g.decide = note_chain;
	f.g.decides = WARD_RESTART;
	f.p.strategy = &strategy;
	f.p.decides = WARD_LATER;
	family_start(&f);
	ward_ref a = f.a.ref;
	script_break(f.kit, f.a.ref, &bad_luck);
	script_break(f.kit, f.b.ref, &bad_luck);
	ward_kit_run(f.kit);
	journal_clear();
	decide(&f, &f.a, WARD_RESTART);
	ward_assert_part(journal_text(), "g:decide p;ward_restart_intensity;bad_luck;");
	ward_assert(!is_alive(&f, a));
	check_well(f.kit, &f.p);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static ward_result escalate_and_restart(ward_self *self, void *arg)
{
	const struct family *f = arg;
	ward_assert_ok(ward_decide(self, f->a.ref, WARD_ESCALATE));
	ward_assert_ok(ward_decide(self, f->b.ref, WARD_RESTART));
	ward_assert_err(ward_decide(self, f->c.ref, WARD_RESTART), WARD_ESTOPPING);
	return WARD_DONE;
}

static ward_result fail_and_restart(ward_self *self, void *arg)
{
	const struct family *f = arg;
	ward_result failed = ward_failed(self, &bad_luck, "of its own");
	ward_assert_ok(ward_decide(self, f->b.ref, WARD_RESTART));
	return failed;
}

WARD_TEST(supervisor_that_fails_already_fails_with_one_of_them, "S74", "S13", "S19")
{
	script_call *const calls[] = {escalate_and_restart, fail_and_restart};
	const char *const wanted[] = {"g:decide p;ward_restart_intensity;bad_luck;",
				      "g:decide p;bad_luck;of its own"};
	for (int i = 0; i < 2; i++) {
		ward_strategy strategy = {.decide = script_decide,
					  .limit = WARD_LIMIT_INTENSITY,
					  .restarts_max = WARD_RESTARTS_NONE};
		struct family f = FAMILY;
		f.g.decide = note_chain;
		f.g.decides = WARD_RESTART;
		f.p.strategy = &strategy;
		f.p.decides = WARD_LATER;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		script_break(f.kit, f.b.ref, &bad_luck);
		script_break(f.kit, f.c.ref, &bad_luck);
		ward_kit_run(f.kit);
		journal_clear();
		script_do(f.kit, f.p.ref, calls[i], &f);
		ward_kit_run(f.kit);
		ward_assert_part(journal_text(), wanted[i]);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(two_reports_at_once_are_too_much_once, "S74", "S18")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(60)
	{
		ward_strategy strategy = LIMIT(INTENSITY, WARD_RESTARTS_NONE, 0);
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.strategy = &strategy;
		family_start(&f);
		seen += family_break_both(&f);
		ward_kit_run(f.kit);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- a notice ---------------------------------------------------------------------------- */

static struct ward_restarts_exceeded told;
static int told_times;

static ward_result hear(ward_self *self, const ward_msg *msg)
{
	const struct ward_restarts_exceeded *exceeded = ward_match(msg, ward_restarts_exceeded);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	if (gone != NULL) {
		journal_note("%s:terminated %s", script_of(self)->name, script_name(gone->who));
		return WARD_DONE;
	}
	if (exceeded == NULL)
		return WARD_UNHANDLED;
	told = *exceeded;
	told_times++;
	ward_assert(ward_ref_equal(ward_msg_sender(msg), told.who));
	journal_note("%s:exceeded %s", script_of(self)->name, script_name(told.who));
	return WARD_DONE;
}

WARD_TEST(supervisor_is_told_when_its_limit_stops_a_child, "S121")
{
	ward_strategy strategy = LIMIT(NOTIFY, 2, 1000);
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	f.p.watches_children = true;
	f.p.receive = hear;
	told_times = 0;
	family_start(&f);
	ward_ref a = f.a.ref;
	ward_assert(survives_failure(&f, &f.a));
	ward_assert(survives_failure(&f, &f.a));
	ward_assert_eq(told_times, 0);
	check_event(&f, 2, 0);
	journal_clear();
	ward_assert(!survives_failure(&f, &f.a));
	check_event(&f, 3, 0);
	ward_assert_eq(told_times, 1);
	ward_assert(ward_ref_equal(told.who, a));
	ward_assert_eq(told.restarts_max, 2);
	ward_assert_eq(told.window_ms, 1000);
	ward_assert_str(told.failure_class, "bad_luck");
	assert_journal_of("p", "exceeded a;terminated a");
	check_well(f.kit, &f.p);
	script_finish(f.kit);
}

WARD_TEST(notice_has_the_window_of_s71, "S121", "S71")
{
	/* An expired window opens the next; it does not stop the child, as that of Akka 0.x did. */
	CHECK_MOMENTS(-1, LIMIT(NOTIFY, 2, 1000), 0, 500, 1001, 1500);
	CHECK_MOMENTS(2, LIMIT(NOTIFY, 2, 1000), 0, 500, 1000);
	CHECK_MOMENTS(0, LIMIT(NOTIFY, WARD_RESTARTS_NONE, 0), 5);
}

WARD_TEST(notice_that_nobody_wants_is_nothing, "S121")
{
	ward_strategy strategy = LIMIT(NOTIFY, WARD_RESTARTS_NONE, 0);
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	family_start(&f);
	ward_assert(!survives_failure(&f, &f.a));
	check_well(f.kit, &f.p);
	ward_assert_eq(ward_kit_stats(f.kit).unhandled, 0);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_UNHANDLED, "*"), 0);
	/* Nor is it a dead letter when p ends before it looks. */
	script_break(f.kit, f.b.ref, &bad_luck);
	ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_FAILED);
	ward_system_stop(ward_kit_system(f.kit), f.p.ref);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/b"), 1);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	script_finish(f.kit);
}

WARD_TEST(notice_needs_no_memory_and_no_room, "S121")
{
	ward_strategy strategy = LIMIT(NOTIFY, WARD_RESTARTS_NONE, 0);
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	f.p.receive = hear;
	f.p.mailbox.messages_max = 1;
	told_times = 0;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
	script_say(f.kit, f.p.ref, "full");
	ward_kit_fail_all_allocations(f.kit, true);
	ward_kit_run(f.kit);
	ward_kit_fail_all_allocations(f.kit, false);
	ward_assert_eq(told_times, 1);
	ward_assert_str(told.failure_class, "bad_luck");
	script_finish(f.kit);
}

WARD_TEST(notice_is_about_the_sibling_whose_restarts_are_used_up, "S121", "S24")
{
	/* a is charged first; b's failure is what is too much for it. */
	ward_strategy strategy = LIMIT(NOTIFY, 1, 0);
	strategy.scope = WARD_ALL_FOR_ONE;
	struct family f = FAMILY;
	f.p.strategy = &strategy;
	f.p.receive = hear;
	told_times = 0;
	family_start(&f);
	ward_ref a = f.a.ref;
	ward_assert(survives_failure(&f, &f.b));
	ward_assert(!survives_failure(&f, &f.b));
	ward_assert_eq(told_times, 1);
	ward_assert(ward_ref_equal(told.who, a));
	ward_assert(!is_alive(&f, a));
	script_finish(f.kit);
}

WARD_TEST(child_that_is_stopped_once_is_told_of_once, "S121", "S18")
{
	/* A group restart and an own failure of a come together: two reports, two denials. */
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		ward_strategy strategy = LIMIT(NOTIFY, 1, 0);
		strategy.scope = WARD_ALL_FOR_ONE;
		struct family f = FAMILY;
		f.p.strategy = &strategy;
		f.p.receive = hear;
		told_times = 0;
		family_start(&f);
		ward_assert(survives_failure(&f, &f.a));
		seen += family_break_both(&f);
		ward_kit_run(f.kit);
		ward_assert_eq(told_times, 1);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- at the spawn ------------------------------------------------------------------------ */

static void check_refused(ward_strategy strategy, const char *part)
{
	struct script a = {.name = "a", .strategy = &strategy};
	ward_kit *kit = script_start(NULL);
	ward_ref ref;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), script_props(&a), &ref),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
	script_finish(kit);
}

WARD_TEST(numbers_that_contradict_the_policy_are_refused, "S74")
{
	ward_strategy none_such = {.limit = (ward_limit)4, .restarts_max = 1};
	check_refused(none_such, "limit is 4");
	check_refused(LIMIT(SLIDING, 0, 0), "there is no restarts_max");
	check_refused(LIMIT(SLIDING, 3, 0), "there is no window_ms");
	check_refused(LIMIT(SLIDING, 3, -1), "there is no window_ms");
	check_refused(LIMIT(SLIDING, 1001, 10), "at most 1000");
	check_refused(LIMIT(SLIDING, 0, 10), "restarts_max");
	check_refused(LIMIT(INTENSITY, 3, 0), "there is no window_ms");
	check_refused(LIMIT(INTENSITY, 0, 10), "restarts_max");
	check_refused(LIMIT(INTENSITY, 1001, 10), "at most 1000");
	check_refused(LIMIT(NOTIFY, 0, 0), "without it the limit never notifies");
	CHECK_MOMENTS(-1, LIMIT(SLIDING, 1000, 10), 0);
	CHECK_MOMENTS(-1, LIMIT(INTENSITY, 1000, 10), 0);
}

static ward_err spawn_err;
static ward_result try_spawn(ward_self *self, void *arg)
{
	spawn_err = script_spawn_child(self, arg);
	return WARD_DONE;
}

WARD_TEST(spawn_takes_all_that_a_decision_needs_or_is_refused, "S74", "S121")
{
	const ward_strategy strategies[] = {LIMIT(SLIDING, 2, 10), LIMIT(INTENSITY, 2, 10),
					    LIMIT(NOTIFY, 2, 10)};
	for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
		bool ok = false;
		size_t refused = 0;
		for (uint64_t nth = 1; !ok; nth++) {
			struct script a = {.name = "a"};
			struct script p = {.name = "p", .strategy = &strategies[i]};
			ward_kit *kit = script_start(NULL);
			script_spawn(kit, &p);
			script_do(kit, p.ref, try_spawn, &a);
			ward_kit_fail_allocation(kit, nth);
			ward_kit_run(kit);
			ward_kit_fail_allocation(kit, 0);
			ok = spawn_err == WARD_OK;
			if (!ok)
				ward_assert_err(spawn_err, WARD_ENOMEM);
			refused += !ok;
			/* Nothing is in the way of another. */
			script_do(kit, p.ref, try_spawn, &a);
			ward_kit_run(kit);
			ward_assert_err(spawn_err, ok ? WARD_EEXIST : WARD_OK);
			script_break(kit, a.ref, &bad_luck);
			ward_kit_run(kit);
			check_well(kit, &a);
			script_finish(kit);
		}
		ward_assert(refused >= 4);
	}
}

WARD_TEST(guardian_may_have_each_of_them, "S74", "S75")
{
	const ward_strategy strategies[] = {LIMIT(SLIDING, 1, 10), LIMIT(INTENSITY, 1, 10),
					    LIMIT(NOTIFY, 1, 10)};
	for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
		struct script a = {.name = "a"}, b = {.name = "b"};
		ward_kit *kit =
			script_start(&(ward_kit_options){.system.user_strategy = &strategies[i]});
		script_spawn(kit, &a);
		script_spawn(kit, &b);
		for (int times = 0; times < 2; times++) {
			script_break(kit, a.ref, &bad_luck);
			ward_kit_run(kit);
			ward_assert_eq(ward_kit_is_alive(kit, a.ref), times == 0);
		}
		/* An intensity takes all down, and with them the system (S76). */
		bool intensity = strategies[i].limit == WARD_LIMIT_INTENSITY;
		ward_assert_eq(ward_kit_is_alive(kit, b.ref), !intensity);
		ward_assert(ward_kit_stats(kit).gave_up);
		script_finish(kit);
	}
}

WARD_TEST_MAIN
