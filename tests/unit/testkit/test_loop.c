/* SPDX-License-Identifier: MIT
 *
 * test_loop.c - a loop: connections, one clock, cuts in one direction and both, nodes that crash.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/association.h>
#include <ward/testkit/neighbours.h>
#include <ward/ward.h>

#include "unit/testkit/caught.h"

WARD_SIGNAL(question);
WARD_SIGNAL(answer);
WARD_SIGNAL(go);
struct who {
	ward_ref ref;
};
WARD_MESSAGE(who);
struct text {
	char *text;
};
static void drop_text(void *body)
{
	free(((struct text *)body)->text);
}
static const ward_type ward_type_text = {
	.name = "text", .size = sizeof(struct text), .drop = drop_text};

/* The actors of real threads write them, the case reads them. */
static struct seen {
	_Atomic uint32_t questions, answers, texts, gone;
	_Atomic ward_end end;
	_Atomic int64_t gone_ms;
} seen;

/* ---- actors ------------------------------------------------------------------------------- */

static ward_result answers(ward_self *self, void *state, const ward_msg *msg)
{
	const struct text *text = ward_match(msg, text);

	(void)state;
	if (ward_match(msg, question)) {
		seen.questions++;
		ward_reply(self, msg, answer);
		return WARD_DONE;
	}
	if (text == NULL)
		return WARD_UNHANDLED;
	ward_assert_str(text->text, "owned");
	seen.texts++;
	return WARD_DONE;
}
static const ward_behavior answerer = {.name = "answerer", .receive = answers};

static ward_result asks(ward_self *self, void *state, const ward_msg *msg)
{
	const struct who *who = ward_match(msg, who);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	(void)state;
	if (who != NULL) {
		ward_watch(self, who->ref);
		ward_tell(self, who->ref, question);
		ward_tell(self, who->ref, text, .text = strdup("owned"));
	} else if (ward_match(msg, answer)) {
		seen.answers++;
	} else if (gone != NULL) {
		seen.end = gone->end;
		seen.gone_ms = ward_now_ns(self) / WARD_NS_PER_MS;
		seen.gone++;
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}
static const ward_behavior asker = {.name = "asker", .receive = asks};

/* ---- two nodes ---------------------------------------------------------------------------- */

static struct two {
	ward_kit *left, *right;
	ward_loop *loop;
	ward_ref asker, answerer;
} two;

static void start(const ward_loop_options *options, bool real_threads)
{
	seen = (struct seen){0};
	two.left = ward_kit_start(
		&(ward_kit_options){.real_threads = real_threads, .system.name = "left"});
	two.right = ward_kit_start(
		&(ward_kit_options){.real_threads = real_threads, .system.name = "right"});
	two.loop = ward_loop_start(options);
	ward_loop_join(two.loop, ward_kit_system(two.left), "left");
	ward_loop_join(two.loop, ward_kit_system(two.right), "right");
	ward_loop_connect(two.loop, "left", "right");
	ward_assert(ward_loop_await(two.loop, "left", "right", WARD_MINUTE));
	two.asker = ward_kit_spawn(two.left, &asker);
	two.answerer = ward_kit_spawn(two.right, &answerer);
}

static void finish(void)
{
	ward_loop_finish(two.loop);
	ward_kit_finish(two.left);
	ward_kit_finish(two.right);
}

static void introduce(void)
{
	ward_kit_tell(two.left, two.asker, who,
		      .ref = ward_loop_ref(two.loop, "left", "right", two.answerer));
}

static bool is_answered(void *arg)
{
	(void)arg;
	return seen.answers > 0 && seen.texts > 0;
}

static bool is_gone(void *arg)
{
	(void)arg;
	return seen.gone > 0;
}

/* The first to run may be the one that asks, or the one that is asked. */
WARD_TEST(without_latency_a_connection_takes_no_time)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		start(&(ward_loop_options){.lost_after_ms = WARD_FOREVER, .seed = seed}, false);
		ward_assert_eq(ward_kit_now_ms(two.left), 0);
		ward_assert_eq(ward_kit_now_ms(two.right), 0);
		finish();
	}
}

WARD_TEST(message_and_answer_go_across_with_what_they_own)
{
	start(NULL, false);
	introduce();
	ward_kit_run(two.left);
	ward_assert_eq(seen.questions, 1);
	ward_assert_eq(seen.answers, 1);
	ward_assert_eq(seen.texts, 1);
	finish();
}

WARD_TEST(message_takes_the_latency_of_the_loop_and_both_clocks_go_along)
{
	start(&(ward_loop_options){.latency_ms = 30}, false);
	int64_t begin_ms = ward_kit_now_ms(two.left);

	introduce();
	ward_kit_advance(two.left, 29);
	ward_assert_eq(seen.questions, 0);
	ward_kit_advance(two.left, 1);
	ward_kit_run(two.left);
	ward_assert_eq(seen.questions, 1);
	ward_assert_eq(seen.answers, 0);
	ward_kit_advance(two.right, 30);
	ward_kit_run(two.left);
	ward_assert_eq(seen.answers, 1);
	ward_assert_eq(ward_kit_now_ms(two.left), begin_ms + 60);
	ward_assert_eq(ward_kit_now_ms(two.right), begin_ms + 60);
	finish();
}

static ward_result passes_on(ward_self *self, void *state, const ward_msg *msg)
{
	const ward_ref *to = state;
	const struct who *who = ward_match(msg, who);

	if (who != NULL)
		*(ward_ref *)state = who->ref;
	else if (ward_match(msg, question))
		ward_forward(self, *to);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}
static const ward_behavior passer = {
	.name = "passer", .state_size = sizeof(ward_ref), .receive = passes_on};

WARD_TEST(answer_to_what_was_passed_on_goes_to_the_first_sender)
{
	ward_kit *third;
	ward_ref by;

	start(NULL, false);
	third = ward_kit_start(&(ward_kit_options){.system.name = "third"});
	ward_loop_join(two.loop, ward_kit_system(third), "third");
	ward_loop_connect(two.loop, "left", "third");
	ward_loop_connect(two.loop, "third", "right");
	ward_assert(ward_loop_await(two.loop, "left", "third", WARD_MINUTE));
	ward_assert(ward_loop_await(two.loop, "third", "right", WARD_MINUTE));
	by = ward_kit_spawn(third, &passer);
	ward_kit_tell(third, by, who,
		      .ref = ward_loop_ref(two.loop, "third", "right", two.answerer));
	ward_kit_run(third);
	ward_probe *probe = ward_probe_start(two.left, "first");
	ward_probe_tell(probe, ward_loop_ref(two.loop, "left", "third", by), question);
	(void)ward_expect(probe, 1000, answer);
	ward_assert(ward_ref_equal(ward_probe_sender(probe),
				   ward_loop_ref(two.loop, "left", "right", two.answerer)));
	ward_loop_finish(two.loop);
	ward_kit_finish(two.left);
	ward_kit_finish(third);
	ward_kit_finish(two.right);
}

WARD_TEST(thread_that_asks_moves_the_node_that_answers)
{
	unsigned char got;

	start(&(ward_loop_options){.latency_ms = 5}, false);
	ward_assert_ok(ward_system_ask_send(
		ward_kit_system(two.left), ward_loop_ref(two.loop, "left", "right", two.answerer),
		1000, &ward_type_answer, &got, &ward_type_question, NULL, 0));
	finish();
}

WARD_TEST(reset_ends_a_watch_at_once_and_the_connection_comes_back)
{
	start(NULL, false);
	introduce();
	ward_kit_run(two.left);
	ward_loop_reset(two.loop, "left", "right");
	ward_kit_run(two.left);
	ward_assert_eq(seen.gone, 1);
	ward_assert_eq(seen.end, WARD_END_UNREACHED);
	ward_assert(!ward_loop_is_open(two.loop, "left", "right"));
	ward_assert(ward_loop_await(two.loop, "left", "right", WARD_SECOND));
	ward_kit_tell(two.left, ward_loop_ref(two.loop, "left", "right", two.answerer), question);
	ward_kit_run(two.left);
	ward_assert_eq(seen.questions, 2);
	ward_assert_eq(ward_loop_read_stats(two.loop).resets, 1);
	finish();
}

static void cut_and_wait(const char *from, const char *to)
{
	start(&(ward_loop_options){.lost_after_ms = 400}, false);
	introduce();
	ward_kit_run(two.left);
	int64_t begin_ms = ward_kit_now_ms(two.left);

	ward_loop_cut_one_way(two.loop, from, to);
	ward_kit_advance(two.left, 800);
	ward_assert_eq(seen.gone, 1);
	ward_assert_eq(seen.end, WARD_END_UNREACHED);
	ward_assert(seen.gone_ms - begin_ms <= 800 && seen.gone_ms - begin_ms >= 300);
	ward_assert_eq(ward_loop_read_stats(two.loop).closed, 2);
	ward_loop_heal(two.loop, from, to);
	ward_assert(ward_loop_await(two.loop, "left", "right", WARD_SECOND));
	finish();
}

WARD_TEST(cut_towards_the_peer_closes_both_ends_within_two_leases)
{
	cut_and_wait("left", "right");
}

WARD_TEST(cut_from_the_peer_closes_both_ends_within_two_leases)
{
	cut_and_wait("right", "left");
}

WARD_TEST(what_is_lost_takes_the_rest_of_its_connection_with_it)
{
	start(&(ward_loop_options){.latency_ms = 5, .lost_after_ms = 400}, false);
	ward_ref far = ward_loop_ref(two.loop, "left", "right", two.answerer);

	ward_kit_tell(two.left, far, question);
	ward_kit_run(two.left);
	ward_loop_cut_one_way(two.loop, "left", "right");
	ward_loop_heal(two.loop, "left", "right");
	ward_kit_tell(two.left, far, question);
	ward_kit_advance(two.left, 20);
	ward_assert_eq(seen.questions, 0);
	ward_kit_advance(two.left, 1000);
	ward_assert(ward_loop_is_open(two.loop, "left", "right"));
	ward_assert_eq(seen.questions, 0);
	ward_assert_eq(ward_kit_count(two.left, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_count(two.right, WARD_EVENT_DEAD_LETTER, "*"), 0);
	finish();
}

WARD_TEST(node_that_was_killed_comes_back_as_another_incarnation)
{
	start(&(ward_loop_options){.lost_after_ms = 400}, false);
	introduce();
	ward_kit_run(two.left);
	ward_loop_kill(two.loop, "right");
	ward_kit_finish(two.right);
	ward_kit_advance(two.left, 400);
	ward_assert_eq(seen.gone, 1);
	two.right = ward_kit_start(&(ward_kit_options){.system.name = "right"});
	ward_loop_join(two.loop, ward_kit_system(two.right), "right");
	ward_assert(ward_loop_await(two.loop, "left", "right", WARD_MINUTE));
	two.answerer = ward_kit_spawn(two.right, &answerer);
	introduce();
	ward_kit_run(two.left);
	ward_assert_eq(seen.answers, 2);
	ward_assert_eq(ward_loop_read_stats(two.loop).crashes, 1);
	ward_assert_eq(ward_loop_read_stats(two.loop).returns, 1);
	finish();
}

/* ---- mistakes of a test -------------------------------------------------------------------- */

BOTH(kit_of_a_node_is_not_finished_before_its_loop)
{
	start(NULL, real);
	CAUGHT(ward_kit_finish(two.left), "the system of this kit is still the node left of a "
					  "loop: call ward_loop_finish() before ward_kit_finish()");
	CAUGHT(ward_kit_finish(two.right), "the node right of a loop");
	finish();
}

static ward_loop *never;

static void join_some(ward_loop *loop)
{
	CAUGHT(ward_loop_join(loop, ward_kit_system(two.left), "left"), "a node left has joined");
	CAUGHT(ward_loop_join_main(loop, ward_kit_system(two.left), "no name"), "cannot join: ");
	CAUGHT(ward_loop_connect(loop, "left", "left"), "left cannot be connected with itself");
	CAUGHT(ward_loop_connect(loop, "left", "right"), "are connected already");
	CAUGHT(ward_loop_connect(loop, "left", "nobody"), "no node nobody has joined the loop");
}

WARD_TEST(failures_of_a_loop_name_the_line_of_the_test)
{
	ward_kit *threads =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.name = "threads"});

	start(NULL, false);
	CAUGHT(never = ward_loop_start(&(ward_loop_options){.reserved = {1}}), "reserved word");
	join_some(two.loop);
	CAUGHT(ward_loop_join(two.loop, ward_kit_system(threads), "threads"),
	       "threads cannot join: all systems of a loop are simulated, or none is");
	CAUGHT(ward_loop_guests(two.loop, "nobody", ward_nobody()), "no node nobody");
	CAUGHT(ward_loop_await(two.loop, "left", "nobody", 1), "no node nobody");
	CAUGHT(ward_loop_is_open(two.loop, "left", "left"), "left and left are not connected");
	CAUGHT(ward_loop_life(two.loop, "left", "nobody"), "no node nobody");
	CAUGHT(ward_loop_ref(two.loop, "nobody", "left", two.asker), "no node nobody");
	CAUGHT(ward_loop_cut_one_way(two.loop, "left", "left"), "are not connected");
	CAUGHT(ward_loop_cut(two.loop, "left", "left"), "are not connected");
	CAUGHT(ward_loop_heal(two.loop, "left", "left"), "are not connected");
	CAUGHT(ward_loop_reset(two.loop, "left", "left"), "are not connected");
	CAUGHT(ward_loop_kill(two.loop, "nobody"), "no node nobody");
	finish();
	ward_kit_finish(threads);
}

/* ---- faults of actors ---------------------------------------------------------------------- */

static void run_with_faults(ward_kit *kit, void *arg)
{
	ward_kit *right = ward_kit_start(&(ward_kit_options){.system.name = "right"});
	ward_loop *loop = ward_loop_start(NULL);

	(void)arg;
	ward_loop_join_main(loop, ward_kit_system(kit), "left");
	ward_loop_join(loop, ward_kit_system(right), "right");
	ward_loop_connect(loop, "left", "right");
	for (int i = 0; i < 10; i++) {
		ward_kit_tell(kit, ward_kit_spawn(kit, &answerer), question);
		ward_kit_advance(kit, WARD_SECOND);
	}
	ward_simulation_faults_end(kit);
	ward_assert(ward_loop_await(loop, "left", "right", WARD_MINUTE));
	ward_loop_finish(loop);
	ward_kit_finish(right);
}

WARD_TEST(default_faults_of_actors_spare_the_loop_of_a_simulation)
{
	const ward_simulation_test test = {
		.name = "loop",
		.run = run_with_faults,
		.faults = {.fail = 5, .memory = 5, .stall = 2, .lose = 5, .horizon = 40},
		.kit = {.system.name = "left", .may_leave_mail = true},
	};

	ward_assert_str(ward_simulate(&test).text, "");
}

/* ---- a flood ------------------------------------------------------------------------------- */

enum { FLOOD = 20 * 1000, LINE_MAX = 500, WINDOW = 64 * 1024, BURST = 20 };

struct large {
	unsigned char bytes[1000];
};
WARD_MESSAGE(large);

static ward_result floods(ward_self *self, void *state, const ward_msg *msg)
{
	uint32_t *sent = state;

	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	for (int i = 0; i < BURST && *sent < FLOOD; i++, ++*sent)
		ward_tell(self, two.answerer, large, .bytes = {1});
	if (*sent < FLOOD)
		ward_tell(self, ward_self_ref(self), go);
	return WARD_DONE;
}
static const ward_behavior flooder = {
	.name = "flooder", .state_size = sizeof(uint32_t), .receive = floods};

WARD_TEST(flood_into_a_silent_peer_is_held_within_the_window_and_the_mailbox)
{
	start(&(ward_loop_options){.lost_after_ms = 10 * WARD_SECOND,
				   .latency_ms = 1 * WARD_SECOND,
				   .messages_max = LINE_MAX,
				   .window_bytes = WINDOW},
	      false);
	uint64_t before = ward_kit_bytes(two.left);

	ward_kit_tell(two.left, ward_kit_spawn(two.left, &flooder), go);
	ward_kit_run(two.left);
	uint64_t after = ward_kit_bytes(two.left) - before;

	printf("# %d messages of 1000 bytes: %llu KiB wait in the sender's system, %llu KiB in "
	       "flight\n",
	       FLOOD, (unsigned long long)after / 1024,
	       (unsigned long long)ward_loop_read_stats(two.loop).bytes_max / 1024);
	ward_assert(after < (LINE_MAX + BURST) * UINT64_C(1500));
	ward_assert(ward_loop_read_stats(two.loop).bytes_max < WINDOW + 2000);
	ward_loop_reset(two.loop, "left", "right");
	ward_kit_run(two.left);
	finish();
}

WARD_TEST(threads_hand_over_at_once)
{
	start(NULL, true);
	introduce();
	ward_assert(ward_kit_run_until(two.left, WARD_MINUTE, is_answered, NULL));
	ward_loop_reset(two.loop, "left", "right");
	ward_assert(ward_kit_run_until(two.left, WARD_MINUTE, is_gone, NULL));
	ward_assert(ward_loop_await(two.loop, "left", "right", WARD_MINUTE));
	finish();
}

WARD_TEST_MAIN
