/* SPDX-License-Identifier: MIT
 *
 * test_router_ask.c - scatter-gather and tail chopping: several are asked, the first answer counts.
 *
 * Method: routees that answer a job when they are told to: at once, after some time, or never.
 */
#include <ward/ask.h>

#include "router_and_workers.h"

/* What worker i does about a question: answers after so many ms; -1: never. */
static int64_t answers_after[8];
static int asked_at[8]; /* ms, +1; 0: not asked */

static const ward_type ward_type_later = {.name = "test.later", .size = sizeof(struct result)};
struct later {
	struct result result;
};

static ward_result slow_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref *asker = state;
	const struct job *job = ward_match(msg, job);
	const struct result *result = ward_msg_body(msg, &ward_type_later);
	int me = worker_number(ward_self_ref(self));

	if (result != NULL) {
		ward_send(self, *asker, WARD_COPY(result, result));
		return WARD_DONE;
	}
	if (job == NULL)
		return worker_receive(self, state, msg);
	asked_at[me] = (int)(ward_now_ns(self) / 1000000) + 1;
	*asker = ward_msg_sender(msg);
	if (answers_after[me] == 0)
		ward_answer(self, msg, job, .worker = me, .number = job->number);
	if (answers_after[me] > 0)
		ward_assert_ok(ward_try_timer_start(
			self, &(ward_timer){.key = 1, .after_ms = answers_after[me]},
			&ward_type_later, &(struct result){me, job->number},
			sizeof(struct result)));
	return job->op == BREAK && (job->only == 0 || job->only == me)
		       ? ward_failed(self, &bad_job, "job %d", job->number)
		       : WARD_DONE;
}

static const ward_behavior slow = {.name = "slow",
				   .state_size = sizeof(ward_ref),
				   .init = worker_init,
				   .receive = slow_receive};

static ward_probe *probe;

static void start_slow(struct ward_router args)
{
	rig_open(NULL);
	memset(asked_at, 0, sizeof asked_at);
	args.routee.behavior = &slow;
	start_pool_with(args, NULL);
	probe = ward_probe_start(rig.kit, "probe");
}

#define start_slow_pool(...) start_slow((struct ward_router){__VA_ARGS__})

static void all_answer_after(int64_t a, int64_t b, int64_t c)
{
	answers_after[1] = a;
	answers_after[2] = b;
	answers_after[3] = c;
}

static void expect_answer_of(int worker_, int64_t at_ms)
{
	const struct result *result = ward_expect(probe, WARD_MINUTE, result);

	ward_assert_eq(result->worker, worker_);
	ward_assert_eq(worker_number(ward_probe_sender(probe)), worker_);
	ward_assert_eq(ward_kit_now_ms(rig.kit), at_ms);
}

/* ---- scatter-gather ------------------------------------------------------------------------ */

WARD_TEST(first_answer_counts_and_the_others_are_dropped_silently)
{
	all_answer_after(30, 10, 20);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	expect_answer_of(2, 10);
	for (int i = 1; i <= 3; i++)
		ward_assert_eq(asked_at[i], 1);
	ward_expect_none(probe, 1000);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 3 + 1); /* no request is left */
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 0);
	rig_close();
}

WARD_TEST(time_without_an_answer_is_told_to_who_asked)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3, .timeout_ms = 700);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_expect_none(probe, 699);
	const struct ward_ask_failed *failed = ward_expect(probe, 1, ward_ask_failed);
	ward_assert_eq(failed->why, WARD_ETIMEDOUT);
	ward_assert(ward_ref_equal(failed->to, rig.router));
	ward_assert_eq(failed->timeout_ms, 700);
	ward_assert_part(failed->text, "job to a router, which asked 3 of 3 routees");
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 3 + 1);
	rig_close();
}

WARD_TEST(default_timeout_is_5_seconds)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 1);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_expect_none(probe, 4999);
	(void)ward_expect(probe, 1, ward_ask_failed);
	rig_close();
}

WARD_TEST(answer_after_the_timeout_is_a_dead_letter)
{
	all_answer_after(50, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 1, .timeout_ms = 49);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	(void)ward_expect(probe, 49, ward_ask_failed);
	ward_expect_none(probe, 1000);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	rig_close();
}

WARD_TEST(dead_and_failing_routees_do_not_hinder_the_answer_of_another)
{
	all_answer_after(-1, 20, -1);
	rig_open(NULL);
	memset(asked_at, 0, sizeof asked_at);
	static const ward_strategy restarts = {.otherwise = WARD_RESTART};
	start_pool_with((struct ward_router){.routing = WARD_ROUTE_SCATTER_GATHER,
					     .routees = 3,
					     .routee = {.behavior = &slow}},
			&restarts);
	probe = ward_probe_start(rig.kit, "probe");
	ward_kit_stop(rig.kit, rig.workers[1].ref); /* the router does not know yet */
	ward_probe_tell(probe, rig.router, job, .number = 1, .op = BREAK, .only = 3);
	expect_answer_of(2, 20);
	ward_expect_none(probe, WARD_MINUTE);
	rig_close();
}

WARD_TEST(questions_do_not_wait_for_each_other)
{
	all_answer_after(0, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3);
	for (int number = 1; number <= 5; number++)
		ward_probe_tell(probe, rig.router, job, .number = number);
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += ward_expect(probe, 0, result)->number;
	ward_assert_eq(sum, 15);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	rig_close();
}

WARD_TEST(thread_outside_gets_the_first_answer)
{
	struct result result;

	all_answer_after(40, 30, 20);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3);
	ward_assert_ok(ward_system_ask(ward_kit_system(rig.kit), rig.router, WARD_MINUTE, &result,
				       job, .number = 1));
	ward_assert_eq(result.worker, 3);
	ward_kit_advance(rig.kit, 100);
	rig_close();
}

static void ask_router(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_ask(self, rig.router, 77, WARD_MINUTE, job, .number = 5));
}

WARD_TEST(actor_that_asks_gets_the_first_answer_once)
{
	all_answer_after(40, 30, 20);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3);
	ward_probe_do(probe, ask_router, NULL);
	expect_answer_of(3, 20);
	ward_expect_none(probe, WARD_MINUTE);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	rig_close();
}

WARD_TEST(question_from_nobody_is_asked_and_its_answer_is_a_dead_letter)
{
	all_answer_after(10, 10, 10);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 2, .timeout_ms = 20);
	ward_kit_tell(rig.kit, rig.router, job, .number = 1);
	ward_kit_advance(rig.kit, 100);
	ward_assert_eq(asked_at[1], 1);
	ward_assert_eq(asked_at[2], 1);
	ward_assert_eq(dead_letters(WARD_REASON_NOBODY), 1);
	all_answer_after(-1, -1, -1);
	ward_kit_tell(rig.kit, rig.router, job, .number = 1); /* and nobody is told */
	ward_kit_advance(rig.kit, 100);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	rig_close();
}

/* ---- copies -------------------------------------------------------------------------------- */

WARD_TEST(each_routee_that_is_asked_owns_its_copy)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3, .timeout_ms = 10);
	parcels_alive = 1;
	ward_kit_tell(rig.kit, rig.router, parcel, .number = 4, .full = true);
	ward_kit_advance(rig.kit, 100);
	for (int i = 1; i <= 3; i++)
		assert_got(i, "4");
	rig_close();
}

WARD_TEST(question_that_cannot_be_copied_is_for_a_single_routee)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 2, .timeout_ms = 10);
	parcels_alive = 2;
	ward_kit_tell(rig.kit, rig.router, single, .number = 1, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(parcels_alive, 1);
	ward_assert_eq(dead_letters(WARD_REASON_UNIQUE), 1);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_kit_tell(rig.kit, rig.router, single, .number = 2, .full = true);
	ward_kit_advance(rig.kit, 100);
	assert_got(2, "2");
	rig_close();
}

WARD_TEST(routee_whose_copy_cannot_be_made_is_not_asked)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 3, .timeout_ms = 10);
	parcels_alive = 2;
	clones_refused_from = 2;
	ward_probe_tell(probe, rig.router, parcel, .number = 4, .full = true);
	const struct ward_ask_failed *failed = ward_expect(probe, 10, ward_ask_failed);
	ward_assert_part(failed->text, "asked 1 of 3 routees");
	ward_assert_eq(failed->why, WARD_ETIMEDOUT);
	ward_assert_eq(handled(), 1);
	ward_assert_eq(parcels_alive, 1);
	/* Not one copy: there is nobody to wait for. */
	clones_refused_from = 1;
	ward_probe_tell(probe, rig.router, parcel, .number = 5, .full = true);
	failed = ward_expect(probe, 0, ward_ask_failed);
	ward_assert_eq(failed->why, WARD_ENOMEM);
	rig_close();
}

/* ---- tail chopping ------------------------------------------------------------------------- */

static int asked(void)
{
	return (asked_at[1] != 0) + (asked_at[2] != 0) + (asked_at[3] != 0);
}

WARD_TEST(routees_are_asked_one_after_the_other_until_one_answers)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_TAIL_CHOPPING, .routees = 3, .interval_ms = 100,
			.timeout_ms = 1000);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_kit_run(rig.kit);
	ward_assert_eq(asked(), 1);
	ward_kit_advance(rig.kit, 99);
	ward_assert_eq(asked(), 1);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(asked(), 2);
	ward_kit_advance(rig.kit, 100);
	ward_assert_eq(asked(), 3);
	ward_expect_none(probe, 799);
	const struct ward_ask_failed *failed = ward_expect(probe, 1, ward_ask_failed);
	ward_assert_eq(failed->why, WARD_ETIMEDOUT);
	rig_close();
}

WARD_TEST(answer_in_time_spares_the_others)
{
	all_answer_after(50, 50, 50);
	start_slow_pool(.routing = WARD_ROUTE_TAIL_CHOPPING, .routees = 3, .interval_ms = 100);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_assert_eq(ward_expect(probe, WARD_SECOND, result)->number, 1);
	ward_assert_eq(ward_kit_now_ms(rig.kit), 50);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(asked(), 1);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 3 + 1);
	rig_close();
}

WARD_TEST(late_answer_of_the_first_counts_and_that_of_the_second_is_dropped)
{
	all_answer_after(150, 150, 150);
	start_slow_pool(.routing = WARD_ROUTE_TAIL_CHOPPING, .routees = 3, .interval_ms = 100);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	int worker_ = ward_expect(probe, WARD_SECOND, result)->worker;
	ward_assert_eq(asked_at[worker_], 1);
	ward_assert_eq(ward_kit_now_ms(rig.kit), 150);
	ward_expect_none(probe, WARD_MINUTE);
	ward_assert_eq(asked(), 2);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	rig_close();
}

WARD_TEST(default_interval_is_10_ms_and_the_order_is_drawn)
{
	int firsts[4] = {0};

	all_answer_after(-1, -1, -1);
	for (uint64_t seed = 1; seed <= 30; seed++) {
		rig_open(&(ward_kit_options){.seed = seed});
		memset(asked_at, 0, sizeof asked_at);
		start_pool(.routing = WARD_ROUTE_TAIL_CHOPPING, .routees = 3, .timeout_ms = 50,
			   .routee = {.behavior = &slow});
		ward_kit_tell(rig.kit, rig.router, job, .number = 1);
		ward_kit_advance(rig.kit, 100);
		ward_assert_eq(asked_at[1] + asked_at[2] + asked_at[3], 1 + 11 + 21);
		for (int i = 1; i <= 3; i++)
			firsts[i] += asked_at[i] == 1;
		rig_close();
	}
	for (int i = 1; i <= 3; i++)
		ward_assert(firsts[i] >= 3);
}

/* ---- ends and restarts ------------------------------------------------------------------ */

WARD_TEST(router_that_stops_tells_those_who_wait)
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 2);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_kit_run(rig.kit);
	ward_kit_stop(rig.kit, rig.router);
	ward_assert_eq(ward_expect(probe, 0, ward_ask_failed)->why, WARD_EDEAD);
	rig_close();
}

WARD_TEST(restart_of_the_pool_ends_its_questions_and_takes_none_for_a_routee, "S91")
{
	all_answer_after(-1, -1, -1);
	start_slow_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 2);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_kit_run(rig.kit);
	ward_system_tell(ward_kit_system(rig.kit), rig.workers[1].ref, job, .op = BREAK);
	ward_assert_eq(ward_expect(probe, 0, ward_ask_failed)->why, WARD_EDEAD);
	ward_assert_str(routees(probe), "1 2");
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 2 + 1);
	all_answer_after(0, 0, 0);
	ward_probe_tell(probe, rig.router, job, .number = 2);
	ward_assert_eq(ward_expect(probe, 0, result)->number, 2);
	rig_close();
}

WARD_TEST(question_for_which_no_actor_can_be_made_is_a_dead_letter)
{
	rig_open(&(ward_kit_options){.system = {.actors_max = 5}});
	start_pool(.routing = WARD_ROUTE_SCATTER_GATHER, .routees = 1);
	send_job(.number = 1);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MEMORY), 1);
	assert_got(1, "");
	rig_close();
}

WARD_TEST_MAIN
