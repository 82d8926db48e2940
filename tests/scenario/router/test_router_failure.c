/* SPDX-License-Identifier: MIT
 *
 * test_router_failure.c - failures of routees and of routers, and what restarts keep (S91).
 *
 * Method: a pool under a parent whose strategy is the test's; workers note their restarts as "R".
 */
#include "router_and_workers.h"

/* A parent with a pool, which it makes once. */
struct nest {
	struct ward_router args;
	const ward_strategy *pool_strategy;
};
static struct nest nest;

static ward_result nest_start(ward_self *self, void *state)
{
	(void)state;
	ward_assert_ok(ward_try_spawn(self,
				      WARD_PROPS(&ward_pool, .name = "pool",
						 .args = {WARD_COPY(ward_router, &nest.args)},
						 .child_strategy = nest.pool_strategy),
				      &rig.router));
	return WARD_DONE;
}

static ward_result nest_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior nest_behavior = {
	.name = "nest", .receive = nest_receive, .pre_start = nest_start};

static const ward_strategy restarts = {.otherwise = WARD_RESTART};
static const ward_strategy resumes = {.otherwise = WARD_RESUME};
static const ward_strategy stops = {.otherwise = WARD_STOP};
static const ward_strategy escalates = {.otherwise = WARD_ESCALATE};

static void start_nest(const ward_strategy *strategy, const ward_strategy *pool_strategy,
		       struct ward_router args)
{
	rig_open(NULL);
	args.routee.behavior = &worker;
	nest = (struct nest){args, pool_strategy};
	ward_kit_spawn(rig.kit, &nest_behavior, .name = "nest", .child_strategy = strategy);
	ward_kit_run(rig.kit);
	ward_assert_eq(rig.made, (int)args.routees);
}

/* ---- the parent of the pool decides -------------------------------------------------------- */

WARD_TEST(failure_of_one_routee_restarts_all_by_default, "S91")
{
	rig_open(NULL);
	start_pool(.routees = 3);
	send_job(.number = 1, .op = BREAK);
	assert_got(1, "1 R");
	assert_got(2, "R");
	assert_got(3, "R");
	send_jobs(2, 5); /* in turn, from the first again, and nobody new */
	assert_got(1, "1 R 2 5");
	assert_got(2, "R 3");
	assert_got(3, "R 4");
	ward_assert_eq(rig.made, 3);
	ward_assert_eq(ward_kit_stats(rig.kit).restarts, 4);
	rig_close();
}

WARD_TEST(parent_that_restarts_restarts_pool_and_routees_again_and_again, "S91")
{
	start_nest(&restarts, NULL, (struct ward_router){.routees = 2});
	for (int round = 0; round < 20; round++)
		send_job(.number = round, .op = BREAK);
	ward_assert_eq(rig.made, 2);
	ward_assert_eq(ward_kit_stats(rig.kit).restarts, 60);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 1 + 2);
	rig_close();
}

WARD_TEST(parent_that_resumes_lets_the_routee_go_on, "S91")
{
	start_nest(&resumes, NULL, (struct ward_router){.routees = 2});
	send_job(.number = 1, .op = BREAK);
	send_jobs(2, 4);
	assert_got(1, "1 3");
	assert_got(2, "2 4");
	ward_assert_eq(ward_kit_stats(rig.kit).restarts, 0);
	rig_close();
}

WARD_TEST(parent_that_stops_stops_the_pool, "S91")
{
	start_nest(&stops, NULL, (struct ward_router){.routees = 2});
	send_job(.number = 1, .op = BREAK);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	ward_assert_state(rig.kit, rig.workers[1].ref, WARD_STATE_GONE);
	ward_assert_state(rig.kit, rig.workers[2].ref, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(parent_that_escalates_passes_it_on, "S91")
{
	start_nest(&escalates, NULL, (struct ward_router){.routees = 1});
	send_job(.number = 1, .op = BREAK);
	/* /user restarts the nest, which stops its pool and makes another. */
	ward_assert_eq(rig.made, 2);
	assert_got(2, "");
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/nest"), 1);
	ward_assert_str(ward_kit_event(rig.kit, WARD_EVENT_FAILURE, "*/nest", 0)->failure_class,
			"bad_job");
	rig_close();
}

/* ---- the pool decides ---------------------------------------------------------------------- */

WARD_TEST(pool_of_one_with_a_strategy_is_a_firewall, "S91")
{
	start_nest(&stops, &restarts, (struct ward_router){.routees = 1});
	send_job(.number = 1, .op = BREAK);
	send_job(.number = 2);
	assert_got(1, "1 R 2");
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), 0);
	ward_assert_eq(ward_kit_stats(rig.kit).restarts, 1);
	rig_close();
}

WARD_TEST(pool_with_a_strategy_restarts_one_routee_alone, "S91")
{
	start_nest(&stops, &restarts, (struct ward_router){.routees = 3});
	send_job(.number = 1, .op = BREAK);
	send_jobs(2, 4);
	assert_got(1, "1 R 4");
	assert_got(2, "2");
	assert_got(3, "3");
	rig_close();
}

WARD_TEST(pool_that_stops_a_routee_goes_on_with_the_others_until_none_is_left, "S91", "S92")
{
	start_nest(&stops, &stops, (struct ward_router){.routees = 2});
	send_job(.number = 1, .op = BREAK);
	send_jobs(2, 3);
	assert_got(1, "1");
	assert_got(2, "2 3");
	send_job(.number = 4, .op = BREAK);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), 0);
	rig_close();
}

WARD_TEST(pool_that_resumes_a_routee_keeps_its_mail, "S91")
{
	start_nest(&stops, &resumes, (struct ward_router){.routees = 1});
	ward_kit_tell(rig.kit, rig.router, job, .number = 1, .op = BREAK);
	send_jobs(2, 3);
	assert_got(1, "1 2 3");
	rig_close();
}

/* ---- the pool's own restart ---------------------------------------------------------------- */

WARD_TEST(restart_keeps_routees_that_were_added_and_removed, "S91", "S92")
{
	start_nest(&restarts, NULL, (struct ward_router){.routees = 3});
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	ward_kit_tell(rig.kit, rig.router, ward_remove_routee, .routee = rig.workers[1].ref);
	ward_kit_advance(rig.kit, 200);
	ward_kit_tell(rig.kit, rig.router, ward_adjust_pool, .change = 2);
	ward_kit_run(rig.kit);
	ward_assert_str(routees(probe), "2 3 4 5");
	send_job(.number = 1, .op = BREAK);
	ward_assert_str(routees(probe), "2 3 4 5");
	ward_assert_eq(rig.made, 5);
	rig_close();
}

WARD_TEST(restart_while_a_routee_leaves_ends_it_at_once_behind_its_mail, "S91", "S92")
{
	start_nest(&restarts, NULL, (struct ward_router){.routees = 2});
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	ward_kit_tell(rig.kit, rig.router, ward_remove_routee, .routee = rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_system_tell(ward_kit_system(rig.kit), rig.workers[1].ref, job, .number = 7);
	send_job(.number = 1, .op = BREAK); /* the second: the first leaves */
	ward_assert_state(rig.kit, rig.workers[1].ref, WARD_STATE_GONE);
	ward_assert_str(routees(probe), "2");
	assert_got(2, "1 R");
	ward_assert_part(rig.workers[1].got, "7");
	rig_close();
}

WARD_TEST(routee_that_ends_while_the_pool_is_restarted_is_evicted, "S91", "S92")
{
	start_nest(&restarts, NULL, (struct ward_router){.routees = 2});
	ward_kit_tell(rig.kit, rig.router, job, .number = 1, .op = BREAK);
	ward_kit_run_until_state(rig.kit, rig.workers[1].ref, WARD_STATE_FAILED);
	ward_kit_stop(rig.kit, rig.workers[2].ref);
	ward_kit_run(rig.kit);
	send_jobs(2, 4);
	assert_got(1, "1 R 2 3 4");
	rig_close();
}

WARD_TEST(deaths_of_all_routees_at_once_stop_the_pool_once, "S92")
{
	for (uint64_t seed = 1; seed < 30; seed++) {
		rig_open(&(ward_kit_options){.seed = seed});
		start_pool(.routees = 5);
		for (int i = 1; i <= 5; i++) {
			ward_kit_stop(rig.kit, rig.workers[i].ref);
			ward_kit_tell(rig.kit, rig.router, job, .number = i);
		}
		ward_kit_run(rig.kit);
		ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
		ward_assert_eq(handled() + dead_letters(WARD_REASON_DEAD) +
				       dead_letters(WARD_REASON_NO_ROUTEE),
			       5);
		rig_close();
	}
}

/* ---- starts that fail ---------------------------------------------------------------------- */

static int inits_fail;

static ward_result weak_init(ward_self *self, void *state, const void *args)
{
	if (inits_fail > 0 && inits_fail-- > 0)
		return ward_failed(self, &bad_job, "not yet");
	return worker_init(self, state, args);
}
static const ward_behavior weak = {.name = "weak", .init = weak_init, .receive = worker_receive};

WARD_TEST(routee_that_cannot_start_is_a_failure_of_the_pool, "S91")
{
	rig_open(NULL);
	inits_fail = 1;
	start_pool(.routees = 2, .routee = {.behavior = &weak});
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE); /* /user stops it: S20 */
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), 1);
	rig_close();
}

WARD_TEST(pool_whose_routees_cannot_be_made_does_not_start, "S91")
{
	rig_open(&(ward_kit_options){.system = {.actors_max = 5}}); /* guardians, pool, one */
	start_pool(.routees = 2);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), 1);
	ward_assert_part(ward_kit_event(rig.kit, WARD_EVENT_FAILURE, "*/pool", 0)->text,
			 "a router cannot get its routees: ");
	rig_close();
}

/* Arguments of which one copy, once, cannot be made. */
struct moody {
	bool full;
};
static int refused_copy;
static void moody_drop(void *body)
{
	(void)body;
}
static ward_err moody_clone(void *to, const void *from)
{
	memcpy(to, from, sizeof(struct moody));
	return refused_copy-- == 1 ? WARD_ESYS : WARD_OK;
}
RAW_MESSAGE_OWNED(moody, moody_drop, moody_clone, raw_decode);

static const ward_strategy tries_again = {.rules = {{&ward_initialization, WARD_RESTART}},
					  .restarts_max = 1};
static const ward_behavior moody_worker = {
	.name = "moody", .args = &ward_type_moody, .init = worker_init, .receive = worker_receive};

WARD_TEST(pool_that_is_started_again_makes_all_its_routees_anew, "S91", "S42")
{
	rig_open(&(ward_kit_options){.system = {.user_strategy = &tries_again}});
	refused_copy = 3; /* the pool's own, the first routee's, the second's */
	struct ward_router args = {
		.routees = 2,
		.routee = {.behavior = &moody_worker, .args = WARD_ARGS(moody, true)}};
	rig.router = ward_kit_spawn(rig.kit, &ward_pool, .name = "pool",
				    .args = {WARD_COPY(ward_router, &args)});
	send_jobs(1, 4); /* they wait in its mailbox meanwhile */
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), 1);
	ward_assert_part(ward_kit_event(rig.kit, WARD_EVENT_FAILURE, "*/pool", 0)->text,
			 "behaviour moody");
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 2);
	assert_got(1, ""); /* of the first try: gone */
	assert_got(2, "1 3");
	assert_got(3, "2 4");
	rig_close();
}

WARD_TEST_MAIN
