/* SPDX-License-Identifier: MIT
 *
 * test_router_paths.c - groups that are told paths: who gets a message is found out each time.
 *
 * Method: workers at the top, "/user/w1" and so on, which come and go under the same names. Worker
 * i is whoever is at "/user/wi" now.
 */
#include <ward/ask.h>

#include "router_and_workers.h"

static ward_probe *probe;

/* Starts worker i, or its successor. */
static void place(int i)
{
	char name[16];
	ward_ref ref;

	snprintf(name, sizeof name, "w%d", i);
	ref = ward_kit_spawn(rig.kit, &worker, .name = name);
	ward_kit_run(rig.kit);
	rig.workers[OTHERS + rig.others].ref = ward_nobody();
	rig.workers[i].ref = ref;
}

static void leave(int i)
{
	ward_kit_stop(rig.kit, rig.workers[i].ref);
	ward_kit_run(rig.kit);
}

static const char *const three[] = {"/user/w1", "/user/w2", "/user/w3"};

static void start_router(struct ward_router args)
{
	rig.router = ward_kit_spawn(rig.kit, &ward_group, .name = "finder",
				    .args = {WARD_COPY(ward_router, &args)});
	ward_kit_run(rig.kit);
	probe = ward_probe_start(rig.kit, "probe");
}

/* Workers 1 to `workers`, and a group; without paths of its own it has those of three. */
static void start_finder(int workers, struct ward_router args)
{
	rig_open(NULL);
	for (int i = 1; i <= workers; i++)
		place(i);
	if (args.paths == NULL) {
		args.paths = three;
		args.paths_count = 3;
	}
	start_router(args);
}

#define start_finder_of(workers_, ...) start_finder((workers_), (struct ward_router){__VA_ARGS__})

static const char *letter_path(size_t number)
{
	return ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", number)->path;
}

static void expect_answer_of(int number, int worker_)
{
	const struct result *result = ward_expect(probe, WARD_SECOND, result);

	ward_assert_eq(result->number, number);
	ward_assert_eq(result->worker, worker_);
	ward_assert_eq(worker_number(ward_probe_sender(probe)), worker_);
}

/* ---- one of them --------------------------------------------------------------------------- */

WARD_TEST(paths_take_turns_and_the_sender_is_kept)
{
	start_finder_of(3, .routing = WARD_ROUTE_ROUND_ROBIN);
	for (int number = 1; number <= 7; number++) {
		ward_probe_tell(probe, rig.router, job, .number = number, .op = ANSWER);
		expect_answer_of(number, (number - 1) % 3 + 1);
	}
	assert_got(1, "1 4 7");
	assert_got(2, "2 5");
	assert_got(3, "3 6");
	rig_close();
}

WARD_TEST(who_is_at_a_path_is_found_out_at_each_message, "S92")
{
	start_finder_of(2, .routing = WARD_ROUTE_ROUND_ROBIN);
	send_jobs(1, 3);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MATCH), 1);
	ward_assert_str(letter_path(0), "sim/user/w3");
	place(3);
	leave(1);
	send_jobs(4, 6);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MATCH), 2); /* nobody is evicted */
	ward_assert_str(letter_path(1), "sim/user/w1");
	place(1);
	leave(2);
	leave(3);
	send_jobs(7, 7);
	assert_got(1, "1 7");
	assert_got(2, "2 5");
	assert_got(3, "6");
	leave(1);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	rig_close();
}

WARD_TEST(relative_paths_begin_at_the_group_for_every_routing)
{
	static const char *const paths[] = {"../w1", "..//w2/", "../../user/w3"};

	for (int i = WARD_ROUTE_BROADCAST; i <= WARD_ROUTE_TAIL_CHOPPING; i++) {
		start_finder_of(3, .routing = (ward_routing)i, .paths = paths, .paths_count = 3,
				.interval_ms = 10, .timeout_ms = 100);
		ward_kit_tell(rig.kit, rig.router, job, .number = 1);
		ward_kit_advance(rig.kit, 200);
		for (int w = 1; w <= 3; w++)
			assert_got(w, "1");
		ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		rig_close();
	}
	start_finder_of(3, .paths = paths, .paths_count = 3);
	send_jobs(1, 3);
	ward_assert_eq(handled(), 3);
	assert_got(3, "3");
	rig_close();
}

WARD_TEST(random_reaches_all_paths)
{
	start_finder_of(3, .routing = WARD_ROUTE_RANDOM);
	send_jobs(1, 60);
	ward_assert_eq(handled(), 60);
	for (int i = 1; i <= 3; i++)
		ward_assert(strlen(rig.workers[i].got) > 20);
	rig_close();
}

WARD_TEST(pattern_is_one_routee_and_all_that_match_get_the_message)
{
	static const char *const paths[] = {"/user/w?", "/user/w1"};

	start_finder_of(3, .paths = paths, .paths_count = 2);
	parcels_alive = 2;
	for (int number = 1; number <= 2; number++)
		ward_kit_tell(rig.kit, rig.router, parcel, .number = number, .full = true);
	ward_kit_run(rig.kit);
	assert_got(1, "1 2");
	assert_got(2, "1");
	assert_got(3, "1");
	rig_close();
}

WARD_TEST(path_that_is_named_twice_is_one)
{
	static const char *const paths[] = {"/user/w1", "/user/w2", "/user/w1"};

	start_finder_of(2, .paths = paths, .paths_count = 3);
	send_jobs(1, 4);
	assert_got(1, "1 3");
	assert_got(2, "2 4");
	rig_close();
}

/* ---- paths and members --------------------------------------------------------------------- */

static void expect_routees(uint64_t count, uint64_t paths_count)
{
	const struct ward_routees *list;

	ward_probe_tell(probe, rig.router, ward_get_routees);
	list = ward_expect(probe, WARD_SECOND, ward_routees);
	ward_assert_eq(list->count, count);
	ward_assert_eq(list->paths_count, paths_count);
	for (uint64_t i = 0; i < count; i++)
		ward_assert(!ward_ref_is_nobody(ward_routees_refs(list)[i]));
}

WARD_TEST(members_come_before_paths_and_their_end_does_not_stop_the_group, "S92")
{
	ward_ref members[2];

	rig_open(NULL);
	for (int i = 1; i <= 4; i++)
		place(i);
	members[0] = rig.workers[3].ref;
	members[1] = rig.workers[4].ref;
	start_router((struct ward_router){
		.members = members, .members_count = 2, .paths = three, .paths_count = 2});
	expect_routees(2, 2);
	send_jobs(1, 5);
	assert_got(3, "1 5");
	assert_got(4, "2");
	assert_got(1, "3");
	assert_got(2, "4");
	leave(3);
	leave(4);
	expect_routees(0, 2);
	send_jobs(6, 7);
	assert_got(1, "3 7"); /* the turn goes on: 5, 6 of two */
	assert_got(2, "4 6");
	rig_close();
}

WARD_TEST(refs_are_added_and_removed_next_to_paths, "S92")
{
	start_finder_of(3, .paths = three, .paths_count = 2);
	ward_kit_tell(rig.kit, rig.router, ward_remove_routee, .routee = ward_nobody());
	ward_kit_tell(rig.kit, rig.router, ward_add_routee, .routee = ward_nobody());
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_UNHANDLED, "*/finder"), 2);
	expect_routees(0, 2);
	ward_kit_tell(rig.kit, rig.router, ward_add_routee, .routee = rig.workers[3].ref);
	ward_kit_run(rig.kit);
	expect_routees(1, 2);
	send_jobs(1, 3);
	for (int i = 1; i <= 3; i++)
		ward_assert_eq(rig.workers[i].got[0], '0' + i);
	ward_kit_tell(rig.kit, rig.router, ward_remove_routee, .routee = rig.workers[3].ref);
	ward_kit_run(rig.kit);
	expect_routees(0, 2);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	rig_close();
}

WARD_TEST(paths_are_kept_over_a_restart, "S91")
{
	static const ward_strategy restarts = {.otherwise = WARD_RESTART};

	rig_open(&(ward_kit_options){.system.user_strategy = &restarts});
	for (int i = 1; i <= 3; i++)
		place(i);
	start_router((struct ward_router){.paths = three, .paths_count = 3});
	send_jobs(1, 1);
	ward_kit_tell(rig.kit, rig.router, ward_kill);
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/finder"), 1);
	expect_routees(0, 3);
	send_jobs(2, 4);
	assert_got(1, "1 2");
	assert_got(2, "3");
	assert_got(3, "4");
	rig_close();
}

/* ---- copies -------------------------------------------------------------------------------- */

WARD_TEST(broadcast_gives_each_path_a_copy_with_the_sender)
{
	start_finder_of(3, .routing = WARD_ROUTE_BROADCAST);
	parcels_alive = 1;
	ward_kit_tell(rig.kit, rig.router, parcel, .number = 1, .full = true);
	ward_probe_tell(probe, rig.router, job, .number = 2);
	ward_kit_run(rig.kit);
	for (int i = 1; i <= 3; i++)
		assert_got(i, "1 2");
	ward_assert(ward_ref_equal(rig.last_sender, ward_probe_ref(probe)));
	parcels_alive = 1;
	ward_kit_tell(rig.kit, rig.router, single, .number = 3, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(dead_letters(WARD_REASON_UNIQUE), 1);
	ward_assert_eq(handled(), 6);
	leave(2);
	parcels_alive = 1;
	ward_kit_tell(rig.kit, rig.router, parcel, .number = 4, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MATCH), 1);
	assert_got(1, "1 2 4");
	assert_got(3, "1 2 4");
	rig_close();
}

static void ask_all(ward_self *self, void *arg)
{
	(void)arg;
	ward_broadcast(self, rig.router, job, .number = 1, .op = ANSWER);
}

WARD_TEST(envelope_reaches_all_paths_with_its_sender)
{
	start_finder_of(3, .routing = WARD_ROUTE_ROUND_ROBIN);
	ward_probe_do(probe, ask_all, NULL);
	for (int i = 0; i < 3; i++)
		ward_assert_eq(ward_expect(probe, WARD_SECOND, result)->number, 1);
	for (int i = 1; i <= 3; i++)
		assert_got(i, "1");
	ward_assert_ok(
		ward_system_broadcast(ward_kit_system(rig.kit), rig.router, ward_poison_pill));
	ward_kit_run(rig.kit);
	for (int i = 1; i <= 3; i++)
		ward_assert_state(rig.kit, rig.workers[i].ref, WARD_STATE_GONE);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	rig_close();
}

static void send_single(ward_self *self, void *arg)
{
	(void)arg;
	ward_broadcast(self, rig.router, single, .number = 5, .full = true);
}

WARD_TEST(what_cannot_be_copied_is_moved_out_of_its_envelope_to_a_single_path)
{
	start_finder_of(1, .paths = three, .paths_count = 1);
	parcels_alive = 1;
	ward_probe_do(probe, send_single, NULL);
	ward_kit_run(rig.kit);
	assert_got(1, "5");
	ward_assert(ward_ref_equal(rig.last_sender, ward_probe_ref(probe)));
	ward_assert_eq(parcels_alive, 0);
	rig_close();
}

WARD_TEST(broadcast_in_a_shortage_arrives_or_is_dead_letters)
{
	size_t losses = 0, partial = 0;

	for (uint64_t nth = 1;; nth++) {
		start_finder_of(3, .routing = WARD_ROUTE_BROADCAST);
		ward_kit_run(rig.kit);
		parcels_alive = 1;
		ward_kit_tell(rig.kit, rig.router, parcel, .number = 1, .full = true);
		uint64_t before = ward_kit_allocations(rig.kit);
		ward_kit_fail_allocation(rig.kit, nth);
		ward_kit_run(rig.kit);
		ward_kit_fail_allocation(rig.kit, 0);
		bool over = ward_kit_allocations(rig.kit) - before < nth;
		size_t got_it = handled(), dead = dead_letters(WARD_REASON_NO_MEMORY);
		ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), dead);
		/* none was copied, or each that was has one end */
		ward_assert(got_it + dead == 3 || (got_it == 0 && dead == 1));
		losses += dead;
		partial += got_it > 0 && dead > 0;
		rig_close();
		if (over) {
			ward_assert_eq(got_it, 3);
			break;
		}
		ward_assert(nth < 200);
	}
	ward_assert(losses > 3);
	ward_assert(partial > 0);
}

/* ---- hashing ------------------------------------------------------------------------------- */

static uint64_t by_number(const ward_msg *msg)
{
	return (uint64_t)ward_match(msg, job)->number;
}

WARD_TEST(hash_belongs_to_the_text_of_a_path)
{
	enum { KEYS = 40 };
	char first[4][GOT_MAX];

	/* In two runs, in which other actors are at the paths, and in another order. */
	for (int run = 0; run < 2; run++) {
		static const char *const turned[] = {"/user/w3", "/user/w1", "/user/w2"};

		rig_open(&(ward_kit_options){.seed = (uint64_t)run + 1});
		for (int i = 1; i <= 3; i++)
			place(run == 0 ? i : 4 - i);
		start_router((struct ward_router){.routing = WARD_ROUTE_CONSISTENT_HASHING,
						  .hash = by_number,
						  .paths = run == 0 ? three : turned,
						  .paths_count = 3});
		send_jobs(10, 10 + KEYS - 1);
		ward_assert_eq(handled(), KEYS);
		for (int i = 1; i <= 3; i++) {
			ward_assert(strlen(rig.workers[i].got) > KEYS / 6 * 3);
			if (run == 0)
				strcpy(first[i], rig.workers[i].got);
			else
				assert_got(i, first[i]);
		}
		rig_close();
	}
}

/* ---- questions ----------------------------------------------------------------------------- */

static uint64_t actors(void)
{
	return ward_kit_stats(rig.kit).actors;
}

WARD_TEST(first_answer_from_a_path_counts)
{
	start_finder_of(3, .routing = WARD_ROUTE_SCATTER_GATHER);
	uint64_t before = actors();
	ward_probe_tell(probe, rig.router, job, .number = 1, .op = ANSWER);
	const struct result *result = ward_expect(probe, WARD_SECOND, result);
	ward_assert_eq(result->number, 1);
	ward_assert_eq(worker_number(ward_probe_sender(probe)), result->worker);
	ward_kit_run(rig.kit);
	ward_assert_eq(handled(), 3);
	ward_assert_eq(actors(), before); /* all have answered: the request is gone */
	ward_expect_none(probe, WARD_MINUTE);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	rig_close();
}

WARD_TEST(paths_without_an_actor_do_not_hinder_the_answer_of_another)
{
	start_finder_of(0, .routing = WARD_ROUTE_SCATTER_GATHER, .timeout_ms = 50);
	place(2);
	ward_probe_tell(probe, rig.router, job, .number = 1, .op = ANSWER);
	expect_answer_of(1, 2);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MATCH), 2);
	leave(2);
	ward_probe_tell(probe, rig.router, job, .number = 2, .op = ANSWER);
	const struct ward_ask_failed *failed = ward_expect(probe, 50, ward_ask_failed);
	ward_assert_eq(failed->why, WARD_ETIMEDOUT);
	ward_assert_part(failed->text, "asked 3 of 3 routees");
	ward_assert_eq(dead_letters(WARD_REASON_NO_MATCH), 5);
	rig_close();
}

WARD_TEST(all_answers_to_a_pattern_are_waited_for)
{
	static const char *const paths[] = {"/user/w*"};

	for (int i = WARD_ROUTE_SCATTER_GATHER; i <= WARD_ROUTE_TAIL_CHOPPING; i++) {
		start_finder_of(3, .routing = (ward_routing)i, .paths = paths, .paths_count = 1,
				.timeout_ms = 70);
		uint64_t before = actors();
		ward_probe_tell(probe, rig.router, job, .number = 1, .op = ANSWER);
		ward_assert_eq(ward_expect(probe, WARD_SECOND, result)->number, 1);
		ward_kit_run(rig.kit);
		ward_assert_eq(handled(), 3);
		ward_expect_none(probe, 69);
		ward_assert_eq(actors(), before + 1);
		ward_expect_none(probe, 1);
		ward_assert_eq(actors(), before);
		/* those of the others were dropped */
		ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		rig_close();
	}
}

WARD_TEST(paths_are_asked_one_after_the_other_until_an_answer_comes)
{
	start_finder_of(3, .routing = WARD_ROUTE_TAIL_CHOPPING, .interval_ms = 100);
	ward_probe_tell(probe, rig.router, job, .number = 1);
	for (size_t asked = 1; asked <= 3; asked++) {
		ward_kit_run(rig.kit);
		ward_assert_eq(handled(), asked);
		ward_kit_advance(rig.kit, 99);
		ward_assert_eq(handled(), asked);
		ward_kit_advance(rig.kit, 1);
	}
	ward_probe_tell(probe, rig.router, job, .number = 2, .op = ANSWER);
	ward_assert_eq(ward_expect(probe, WARD_SECOND, result)->number, 2);
	ward_kit_advance(rig.kit, 1000);
	ward_assert_eq(handled(), 4); /* the others are spared */
	rig_close();
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void refused(const ward_behavior *behavior, struct ward_router args, const char *part)
{
	ward_ref ref;
	ward_err err = ward_system_spawn(
		ward_kit_system(rig.kit),
		WARD_PROPS(behavior, .args = {WARD_COPY(ward_router, &args)}), &ref);

	ward_assert_err(err, WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
}

WARD_TEST(paths_that_do_not_fit_are_refused_with_a_text)
{
	const char *holes[] = {"/user/w1", NULL};
	const char *empty[] = {"/user/w1", "/user/w2", ""};

	rig_open(NULL);
	refused(&ward_pool, (struct ward_router){.routee = {.behavior = &worker}, .paths = three},
		".members and .paths are for a ward_group");
	refused(&ward_pool, (struct ward_router){.routee = {.behavior = &worker}, .paths_count = 1},
		".members and .paths are for a ward_group");
	refused(&ward_group, (struct ward_router){.paths_count = 2}, ".paths_count is 2");
	refused(&ward_group, (struct ward_router){.paths = holes, .paths_count = 2},
		".paths[1] is NULL");
	refused(&ward_group, (struct ward_router){.paths = empty, .paths_count = 3},
		".paths[2] is empty");
	refused(&ward_group,
		(struct ward_router){
			.routing = WARD_ROUTE_SMALLEST_MAILBOX, .paths = three, .paths_count = 3},
		"smallest mailbox");
	rig_close();
}

WARD_TEST(paths_are_copied)
{
	char text[] = "/user/w1", text2[] = "../w2";
	const char *paths[] = {text, text2};

	start_finder_of(2, .paths = paths, .paths_count = 2);
	memset(text, 'x', sizeof text - 1);
	memset(text2, 'x', sizeof text2 - 1);
	paths[0] = paths[1] = NULL;
	send_jobs(1, 2);
	assert_got(1, "1");
	assert_got(2, "2");
	rig_close();
}

WARD_TEST_MAIN
