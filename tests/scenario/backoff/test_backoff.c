/* SPDX-License-Identifier: MIT
 *
 * test_backoff.c - when a back-off supervisor starts its child again, and when it gives up
 * (S93-S98).
 *
 * Method: a child that fails or ends when it is told to; each start is noted with its time, on a
 * clock that is stepped and with a generator that gives what the test says.
 */
#include <inttypes.h>

#include <ward/extend.h>

#include "supervisor_between_probes.h"

/* ---- the starts -------------------------------------------------------------------------- */

WARD_TEST(starts_on_stop_are_3_6_12_24_30_and_30_seconds_later, "S93", "S95")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	ward_assert_str(nest_log(), "+0");
	for (int i = 0; i < 6; i++) {
		ward_assert_eq(nest_count(), i);
		nest_expect_start((int64_t[]){3000, 6000, 12000, 24000, 30000, 30000}[i],
				  END_WITH_IT);
	}
	nest_end();
}

WARD_TEST(starts_on_failure_are_3_6_12_24_30_and_30_seconds_later, "S93", "S96")
{
	struct ward_backoff options = nest_options();

	nest_on_failure(&options);
	ward_assert_str(nest_log(), "+0");
	for (int i = 0; i < 6; i++) {
		ward_assert_eq(nest_count(), i);
		nest_expect_start((int64_t[]){3000, 6000, 12000, 24000, 30000, 30000}[i],
				  FAIL_OF_IT);
	}
	nest_end();
}

WARD_TEST(starts_have_noise_of_the_generator_that_was_given, "S93")
{
	struct ward_backoff options = nest_options();

	options.random_factor = 0.2;
	nest_on_stop(&options);
	(void)nest_log();
	nest.random = UINT64_C(1) << 63;
	nest_expect_start(3300, END_WITH_IT);
	nest.random = UINT64_MAX;
	nest_expect_start(7199, END_WITH_IT);
	nest.random = 0;
	nest_expect_start(12000, END_WITH_IT);
	nest_end();
}

WARD_TEST(starts_have_noise_of_the_actor_if_no_generator_was_given, "S93")
{
	struct ward_backoff options = nest_options();
	int64_t first_ms;

	options.random_factor = 1;
	options.random = NULL;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_advance(6000);
	ward_assert_eq(sscanf(nest_log(), "+0 0 - +%" SCNd64, &first_ms), 1);
	ward_assert(first_ms > 3000 && first_ms < 6000);
	nest_end();
}

/* ---- S94: the child ---------------------------------------------------------------------- */

WARD_TEST(child_is_there_from_the_start_under_its_name, "S94")
{
	struct ward_backoff options = nest_options();
	char path[WARD_EVENT_PATH];

	nest_on_stop(&options);
	for (int i = 0; i < 2; i++) {
		ward_kit_path(nest.kit, nest.child, path);
		ward_assert_str(path, "sim/user/parent/nest/pupil");
		ward_assert(nest_has_child(nest.child));
		nest_tell(task, .deed = END_WITH_IT);
		nest_advance(3000);
	}
	ward_assert_str(nest_log(), "+0 0 - +3000 0 -");
	nest_end();
}

WARD_TEST(start_with_a_child_does_nothing, "S94")
{
	struct ward_backoff options = nest_options();

	options.auto_reset_ms = 3000;
	nest_on_stop(&options);
	nest_tell(ward_backoff_start);
	ward_assert_str(nest_log(), "+0");
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 0);
	nest_end();
}

WARD_TEST(start_without_a_child_is_a_start_now_and_no_second_one_later, "S94")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_advance(1000);
	nest_tell(ward_backoff_start);
	ward_assert_str(nest_log(), "+0 0 - +1000");
	ward_assert_eq(nest_count(), 1);
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 1); /* the reset */
	nest_advance(29999);
	ward_assert_str(nest_log(), "");
	ward_assert_eq(nest_count(), 1);
	nest_advance(1); /* it counts as the delayed one: the row ends 30 seconds later */
	ward_assert_eq(nest_count(), 0);
	nest_end();
}

WARD_TEST(child_that_cannot_be_started_fails_the_supervisor, "S94")
{
	struct ward_backoff options = nest_options();
	const ward_probe_failure *failure;

	options.child.name = "no/name";
	nest_on_stop(&options);
	failure = ward_expect_failure(nest.parent, 0, nest.supervisor, &ward_initialization);
	ward_assert_part(failure->text, "cannot start its child \"no/name\"");
	ward_probe_decide(nest.parent, nest.supervisor, WARD_STOP);
	ward_kit_run(nest.kit);
	nest_expect_end();
	nest_end();
}

/* ---- S95: on stop ------------------------------------------------------------------------ */

WARD_TEST(on_stop_any_end_is_a_start_later, "S95")
{
	static const ward_strategy stops = {.rules = {{&odd_luck, WARD_STOP}}};
	struct ward_backoff options = nest_options();

	options.strategy = &stops;
	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	ward_probe_tell(nest.client, nest.child, ward_poison_pill);
	nest_advance(6000);
	ward_assert_str(nest_log(), "- +9000");
	nest_tell(task, .deed = FAIL_OF_IT, .why = &odd_luck);
	nest_advance(12000);
	ward_assert_str(nest_log(), "0 - +21000");
	ward_kit_stop(nest.kit, nest.child);
	nest_advance(24000);
	ward_assert_str(nest_log(), "- +45000");
	ward_assert_eq(nest_count(), 4);
	nest_end();
}

/* ---- S94: a start that fails, and a parent that has the supervisor go on ------------------ */

WARD_SIGNAL(stranger);

static int clones_left;

struct load {
	int number;
};
static void load_drop(void *body)
{
	(void)body;
}
static ward_err load_clone(void *to, const void *from)
{
	(void)to, (void)from;
	return clones_left-- > 0 ? WARD_OK : ward_refused(WARD_ENOMEM, "no copy just now");
}
RAW_MESSAGE_OWNED(load, load_drop, load_clone, raw_decode);

static ward_result loaded_init(ward_self *self, void *state, const void *args)
{
	(void)self, (void)state, (void)args;
	return WARD_DONE;
}
static const ward_behavior loaded = {.name = "loaded",
				     .args = &ward_type_load,
				     .init = loaded_init,
				     .pre_start = pupil_start,
				     .receive = pupil_receive,
				     .post_stop = pupil_stop};

WARD_TEST(start_that_was_refused_and_resumed_is_tried_again_after_the_same_delay, "S94")
{
	const struct load load = {1};
	struct ward_backoff options = nest_options();

	options.child = (ward_props){
		.behavior = &loaded, .name = "pupil", .args = {WARD_COPY(load, &load)}};
	clones_left = 1000;
	nest_begin();
	ward_probe_decide_always(nest.parent, WARD_RESUME);
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	nest_tell(task, .deed = END_WITH_IT);
	clones_left = 0;
	nest_advance(4000);
	ward_assert_str(nest_log(), "+0 0 -");
	ward_assert_str(nest_status(), "new child in 2.0 s (1st time)");
	clones_left = 1000;
	nest_advance(1999);
	ward_assert_str(nest_log(), "");
	nest_advance(1);
	ward_assert_str(nest_log(), "+6000");
	ward_assert_eq(nest_count(), 1);
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 1); /* the reset */
	nest_end();
}

static bool has_no_number;

static uint64_t number_or_none(ward_self *self)
{
	if (has_no_number)
		ward_fail(self, &bad_luck, "no number");
	return UINT64_C(1) << 63; /* a half */
}

WARD_TEST(delay_whose_generator_fails_has_no_random_part, "S93")
{
	struct ward_backoff options = nest_options();

	options.random = number_or_none;
	options.random_factor = 0.5;
	nest_begin();
	ward_probe_decide_always(nest.parent, WARD_RESUME);
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	has_no_number = true;
	nest_tell(task, .deed = END_WITH_IT);
	has_no_number = false;
	nest_advance(2999);
	ward_assert_str(nest_log(), "+0 0 -");
	nest_advance(1);
	ward_assert_str(nest_log(), "+3000");
	nest_expect_start(7500, END_WITH_IT); /* it was one, and counts */
	nest_end();
}

/* A supervisor that the user guardian resumes: without any memory the parent must be near. */
static void nest_resumed(void)
{
	static const ward_strategy resuming = {.otherwise = WARD_RESUME};
	struct ward_backoff options = nest_options();

	nest_begin_with(&(ward_kit_options){.system.user_strategy = &resuming});
	nest.supervisor = ward_kit_spawn(nest.kit, &ward_backoff_on_stop, .name = "nest",
					 .args = {WARD_COPY(ward_backoff, &options)});
	ward_kit_run(nest.kit);
}

WARD_TEST(start_without_any_memory_is_tried_again_after_the_same_delay, "S94")
{
	nest_resumed();
	nest_tell(task, .deed = END_WITH_IT);
	nest_advance(2999);
	ward_kit_fail_all_allocations(nest.kit, true);
	nest_advance(1);
	ward_kit_fail_all_allocations(nest.kit, false);
	ward_assert_str(nest_log(), "+0 0 -");
	nest_advance(3000);
	ward_assert_str(nest_log(), "+6000");
	nest_end();
}

WARD_TEST(child_that_ends_without_any_memory_is_started_after_the_next_message, "S94")
{
	nest_resumed();
	ward_probe_tell(nest.client, nest.supervisor, task, .deed = END_WITH_IT);
	while (strchr(nest.log, '-') == NULL && ward_kit_step(nest.kit))
		;
	ward_kit_fail_all_allocations(nest.kit, true);
	ward_kit_run(nest.kit);
	ward_kit_fail_all_allocations(nest.kit, false);
	nest_advance(WARD_MINUTE);
	ward_assert_str(nest_log(), "+0 0 -");
	nest_tell(stranger);
	nest_advance(2999);
	ward_assert_str(nest_log(), "");
	nest_advance(1);
	ward_assert_str(nest_log(), "+63000");
	nest_end();
}

WARD_TEST(start_that_was_refused_is_no_begin_of_a_rest, "S98")
{
	const struct load load = {1};
	struct ward_backoff options = nest_options();

	options.child = (ward_props){
		.behavior = &loaded, .name = "pupil", .args = {WARD_COPY(load, &load)}};
	options.auto_reset_ms = 3 * WARD_SECOND;
	clones_left = 1000;
	nest_begin();
	ward_probe_decide_always(nest.parent, WARD_RESUME);
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	nest_expect_start(3000, END_WITH_IT);
	nest_tell(task, .deed = END_WITH_IT);
	clones_left = 0;
	nest_advance(11 * WARD_SECOND); /* refused at 6 s; the next try is at 12 s */
	ward_assert_eq(nest_count(), 2);
	clones_left = 1000;
	nest_end();
}

/* One allocation finds no memory, at the end of the child or at its next start; 0: all find some.
 * Afterwards the supervisor has ended, or starts what ends. */
static void come_back(ward_directive directive, uint64_t at_end, uint64_t at_start)
{
	struct ward_backoff options = nest_options();

	nest_begin();
	ward_probe_decide_always(nest.parent, directive);
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	ward_kit_fail_allocation(nest.kit, at_end);
	nest_tell(task, .deed = END_WITH_IT);
	ward_kit_fail_allocation(nest.kit, at_start);
	nest_advance(3 * WARD_SECOND);
	ward_kit_fail_allocation(nest.kit, 0);
	nest_advance(WARD_MINUTE);
	nest_log();
	if (ward_kit_is_alive(nest.kit, nest.supervisor)) {
		nest_tell(task, .deed = END_WITH_IT);
		ward_assert_str(nest_log(), "0 -");
		nest_advance(WARD_MINUTE);
		ward_assert_part(nest_log(), "+");
	}
	ward_probe_forget(nest.parent);
	nest_end();
}

WARD_TEST(no_single_shortage_leaves_a_supervisor_without_child_and_timer, "S94")
{
	/* It makes its shortages itself. */
	const uint64_t allocations = ward_test_shortage() ? 2 : 25;

	for (uint64_t nth = 1; nth <= allocations; nth++) {
		come_back(WARD_RESUME, nth, 0);
		come_back(WARD_RESUME, 0, nth);
		come_back(WARD_RESTART, nth, 0);
		come_back(WARD_RESTART, 0, nth);
	}
}

/* The child cannot start, and one allocation of that start finds no memory: perhaps that of its
 * watch. The child that comes later ends the supervisor with its own end. */
static void end_with_the_child(uint64_t seed, uint64_t nth)
{
	static const ward_strategy restarts = {.otherwise = WARD_RESTART};
	struct ward_backoff options = nest_options();

	options.strategy = &restarts;
	nest_begin_with(&(ward_kit_options){.seed = seed});
	ward_probe_decide_always(nest.parent, WARD_RESUME);
	nest_spawn(
		*WARD_PROPS(&ward_backoff_on_failure, .args = {WARD_COPY(ward_backoff, &options)}));
	nest_fail();
	nest.broken = true;
	ward_kit_fail_allocation(nest.kit, nth);
	nest_advance(3 * WARD_SECOND);
	ward_kit_fail_allocation(nest.kit, 0);
	nest.broken = false;
	nest_advance(WARD_MINUTE);
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert(!ward_kit_is_alive(nest.kit, nest.supervisor));
	ward_probe_forget(nest.parent);
	nest_end();
}

/* Its failure may be told before it hears that it is to stop: that depends on the order. */
WARD_TEST(child_that_could_not_be_watched_leaves_no_trace, "S96")
{
	enum { ALLOCATIONS = 10 };
	uint64_t seeds = ward_test_shortage() ? 1 : 8;

	for (uint64_t seed = 1; seed <= seeds; seed++)
		for (uint64_t nth = 1; nth <= ALLOCATIONS; nth++)
			end_with_the_child(seed, nth);
}

WARD_TEST_MAIN
