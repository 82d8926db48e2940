/* SPDX-License-Identifier: MIT
 *
 * test_hold_sender_end.c - WARD_OVERFLOW_HOLD_SENDER: what ends it, and that nobody waits for ever.
 *
 * Method: see full_mailbox.h. Rings are actors that send two words to the next, all from messages
 * that are in their mailboxes already: so each has sent before any has read.
 */
#include <stdio.h>

#include "full_mailbox.h"

enum { ROUNDS = 40, RING_MAX = 12 };

/* ---- ends -------------------------------------------------------------------------------- */

WARD_TEST(sender_goes_on_when_the_owner_of_the_mailbox_stops)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		stage_start(&s);
		fill(&s, &s.p, &s.c, STAGE_MAX + 1);
		fill(&s, &s.q, &s.c, 1);
		check_held(s.kit, &s.p, &s.c);
		check_held(s.kit, &s.q, &s.c);
		script_say(s.kit, s.p.ref, "next");
		ward_kit_stop(s.kit, s.c.ref);
		ward_kit_run(s.kit);
		assert_journal_of("p", "next");
		check_goes_on(s.kit, &s.q);
		stage_finish(&s);
	}
}

WARD_TEST(sender_waits_while_the_owner_is_restarted_and_goes_on_when_that_has_read)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	script_say(s.kit, s.p.ref, "next");
	let(&s, &s.c, WARD_RESTART);
	assert_journal_of("c", "pre_restart;post_stop;init;post_restart;pre_start;1;2;3;4;5");
	ward_assert(at("p:next") > at("c:3"));
	check_goes_on(s.kit, &s.p);
	stage_finish(&s);
}

WARD_TEST(held_sender_stops_and_its_next_life_is_free)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		stage_start(&s);
		fill(&s, &s.p, &s.c, STAGE_MAX + 1);
		fill(&s, &s.q, &s.c, 1);
		ward_kit_stop(s.kit, s.p.ref);
		ward_kit_run(s.kit);
		ward_assert_state(s.kit, s.p.ref, WARD_STATE_GONE);
		check_held(s.kit, &s.q, &s.c);
		script_spawn(s.kit, &s.p);
		check_goes_on(s.kit, &s.p);
		journal_clear();
		let(&s, &s.c, WARD_RESUME);
		assert_journal_of("c", "1;2;3;4;5;1");
		check_goes_on(s.kit, &s.q);
		stage_finish(&s);
	}
}

static ward_result send_all(ward_self *self, void *arg)
{
	return send_words(self, arg);
}

WARD_TEST(actor_that_sends_too_much_in_its_post_stop_is_gone_all_the_same)
{
	struct stage s = STAGE;
	struct words words = {&s.c, STAGE_MAX + 1};
	s.p.post_stop = send_all;
	s.p.arg = &words;
	stage_start(&s);
	ward_kit_stop(s.kit, s.p.ref);
	ward_kit_run(s.kit);
	ward_assert_state(s.kit, s.p.ref, WARD_STATE_GONE);
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("c", "1;2;3;4;5");
	stage_finish(&s);
}

/* c lets q go, and q ends before it has had a turn. */
WARD_TEST(sender_that_is_let_go_and_stopped_at_once_leaves_nothing)
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		struct order order = {&s.c, WARD_RESUME};
		stage_start(&s);
		fill(&s, &s.q, &s.c, STAGE_MAX + 1);
		script_do(s.kit, s.o.ref, carry_out, &order);
		while (look_at(s.kit, &s.c).mailbox > STAGE_MAX / 2)
			ward_assert(ward_kit_step(s.kit));
		check_held(s.kit, &s.q, NULL); /* its turn is due, with the release in it */
		seen += look_at(s.kit, &s.q).ready;
		ward_kit_stop(s.kit, s.q.ref);
		ward_kit_run(s.kit);
		stage_finish(&s);
	}
	ward_assert_seen(seen);
}

/* The same, and the stop comes first: the release is never carried out. */
WARD_TEST(sender_that_is_stopped_and_then_let_go_leaves_nothing)
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		struct order order = {&s.c, WARD_RESUME};
		stage_start(&s);
		fill(&s, &s.q, &s.c, STAGE_MAX + 1);
		script_do(s.kit, s.o.ref, carry_out, &order);
		while (look_at(s.kit, &s.c).mailbox > STAGE_MAX / 2 + 1)
			ward_assert(ward_kit_step(s.kit));
		check_held(s.kit, &s.q, &s.c);
		ward_kit_stop(s.kit, s.q.ref);
		ward_assert(ward_kit_step(s.kit));
		seen += ward_kit_is_alive(s.kit, s.q.ref) &&
			ward_ref_is_nobody(look_at(s.kit, &s.q).held_by);
		ward_kit_run(s.kit);
		ward_assert_state(s.kit, s.q.ref, WARD_STATE_GONE);
		stage_finish(&s);
	}
	ward_assert_seen(seen);
}

WARD_TEST(system_with_held_actors_ends)
{
	struct stage s = STAGE;
	s.leaves_mail = true;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	fill(&s, &s.q, &s.c, 1);
	script_say(s.kit, s.q.ref, "never");
	check_held(s.kit, &s.q, &s.c);
	script_finish(s.kit);
	ward_assert_str(journal_of("q"), "post_stop");
}

WARD_TEST(mailbox_of_a_later_life_holds_nobody)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	ward_kit_stop(s.kit, s.c.ref);
	ward_kit_run(s.kit);
	/* Its record is the next that is taken. */
	struct script e = {.name = "e", .mailbox = STAGE_BOX};
	script_spawn(s.kit, &e);
	fill(&s, &s.p, &e, STAGE_MAX);
	check_goes_on(s.kit, &s.p);
	stage_finish(&s);
}

/* ---- circles ----------------------------------------------------------------------------- */

struct ring {
	ward_kit *kit;
	struct script actors[RING_MAX];
	struct words words[RING_MAX];
	char names[RING_MAX][4];
	size_t count;
};

static void ring_start(struct ring *r, size_t count)
{
	r->kit = script_start(NULL);
	r->count = count;
	for (size_t i = 0; i < count; i++) {
		snprintf(r->names[i], sizeof r->names[i], "r%zu", i);
		r->actors[i] = (struct script){
			.name = r->names[i],
			.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_HOLD_SENDER}};
		script_spawn(r->kit, &r->actors[i]);
	}
	journal_clear();
	ward_kit_forget_events(r->kit);
}

/* Each sends two words to the next. */
static void ring_turn(struct ring *r)
{
	for (size_t i = 0; i < r->count; i++) {
		r->words[i] = (struct words){&r->actors[(i + 1) % r->count], 2};
		script_do(r->kit, r->actors[i].ref, send_words, &r->words[i]);
	}
	ward_kit_run(r->kit);
}

static void check_ring(struct ring *r)
{
	for (size_t i = 0; i < r->count; i++) {
		ward_assert_str(journal_of(r->names[i]), "1;2");
		check_held(r->kit, &r->actors[i], NULL);
	}
	journal_clear();
}

static const char *note(struct ring *r, size_t number)
{
	return ward_kit_event(r->kit, WARD_EVENT_NOTE, "*", number)->text;
}

WARD_TEST(actor_is_not_held_for_its_own_mailbox)
{
	struct ring r;
	ring_start(&r, 1);
	ring_turn(&r);
	check_ring(&r);
	ward_assert_eq(ward_kit_count(r.kit, WARD_EVENT_NOTE, "*"), 1);
	ward_assert_str(note(&r, 0), "sends to itself while its own mailbox is full, so it is not "
				     "held: it would wait for itself (0 circles before untold)");
	script_finish(r.kit);
}

WARD_TEST(circle_of_senders_is_found_let_go_and_told_once)
{
	for (size_t count = 2; count <= 3; count++)
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct ring r;
			ring_start(&r, count);
			ring_turn(&r);
			check_ring(&r);
			ward_assert_eq(ward_kit_count(r.kit, WARD_EVENT_NOTE, "*"), 1);
			for (size_t i = 0; i < count; i++) {
				char edge[64];
				snprintf(edge, sizeof edge, "sim/user/r%zu -> sim/user/r%zu", i,
					 (i + 1) % count);
				/* One edge may be split by the end of the text. */
				if (strstr(note(&r, 0), edge) == NULL)
					ward_assert_part(note(&r, 0), r.names[i]);
			}
			script_finish(r.kit);
		}
}

WARD_TEST(note_of_a_circle_names_its_actors_in_their_order)
{
	struct ring r;
	ring_start(&r, 3);
	for (size_t i = 0; i < 3; i++)
		r.words[i] = (struct words){&r.actors[(i + 1) % 3], 2};
	ring_turn(&r);
	const ward_event *event = ward_kit_event(r.kit, WARD_EVENT_NOTE, "*", 0);
	int last = event->path[strlen(event->path) - 1] - '0';
	char way[128];
	snprintf(way, sizeof way,
		 "not held: sim/user/r%d -> sim/user/r%d -> sim/user/r%d -> sim/user/r%d (0", last,
		 (last + 1) % 3, (last + 2) % 3, last);
	ward_assert_part(event->text, way);
	ward_assert_eq(event->level, WARD_LEVEL_WARNING);
	check_ring(&r);
	script_finish(r.kit);
}

WARD_TEST(note_of_a_long_circle_names_some)
{
	struct ring r;
	ring_start(&r, RING_MAX);
	ring_turn(&r);
	check_ring(&r);
	const char *way = strstr(note(&r, 0), "sim/user/r");
	size_t first, second;
	ward_assert(way != NULL);
	ward_assert_eq(sscanf(way, "sim/user/r%zu -> ... -> sim/user/r%zu", &first, &second), 2);
	ward_assert(strstr(strstr(way, "...") + 1, " ... ") == NULL);
	script_finish(r.kit);
}

WARD_TEST(note_of_a_circle_of_long_names_is_cut)
{
	static char names[2][200];
	struct ring r = {.kit = script_start(NULL), .count = 2};
	for (size_t i = 0; i < 2; i++) {
		memset(names[i], 'a' + (int)i, sizeof names[i] - 1);
		r.actors[i] = (struct script){
			.name = names[i],
			.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_HOLD_SENDER}};
		script_spawn(r.kit, &r.actors[i]);
	}
	ward_kit_forget_events(r.kit);
	ring_turn(&r);
	ward_assert_part(note(&r, 0), "it is not held: ");
	ward_assert_part(note(&r, 0), "(0 circles before untold)");
	for (size_t i = 0; i < 2; i++)
		check_held(r.kit, &r.actors[i], NULL);
	script_finish(r.kit);
}

WARD_TEST(circles_are_told_once_a_minute_with_the_number_of_the_untold)
{
	struct ring r;
	ring_start(&r, 2);
	for (int i = 0; i < 3; i++) {
		ring_turn(&r);
		check_ring(&r);
	}
	ward_assert_eq(ward_kit_count(r.kit, WARD_EVENT_NOTE, "*"), 1);
	ward_kit_advance(r.kit, 59 * 1000);
	ring_turn(&r);
	ward_assert_eq(ward_kit_count(r.kit, WARD_EVENT_NOTE, "*"), 1);
	ward_kit_advance(r.kit, 1001);
	ring_turn(&r);
	ward_assert_eq(ward_kit_count(r.kit, WARD_EVENT_NOTE, "*"), 2);
	ward_assert_part(note(&r, 1), "(3 circles before untold)");
	script_finish(r.kit);
}

struct fan {
	struct words words[2];
	size_t count;
};

static ward_result send_to_all(ward_self *self, void *arg)
{
	struct fan *fan = arg;

	for (size_t i = 0; i < fan->count; i++)
		(void)send_words(self, &fan->words[i]);
	return WARD_DONE;
}

/* p sends to c and d, both of them to e, e to f, and f to p. */
WARD_TEST(circle_is_found_where_there_is_more_than_one_way)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct script a[5];
		static const char *const names[] = {"p", "c", "d", "e", "f"};
		struct fan fans[5] = {
			{{{&a[1], 4}, {&a[2], 4}}, 2},
			{{{&a[3], 4}}, 1},
			{{{&a[3], 4}}, 1},
			{{{&a[4], 4}}, 1},
			{{{&a[0], 4}}, 1},
		};
		ward_kit *kit = script_start(NULL);
		for (size_t i = 0; i < 5; i++) {
			a[i] = (struct script){.name = names[i],
					       .mailbox = {.messages_max = 2,
							   .overflow = WARD_OVERFLOW_HOLD_SENDER}};
			script_spawn(kit, &a[i]);
		}
		journal_clear();
		for (size_t i = 0; i < 5; i++)
			script_do(kit, a[i].ref, send_to_all, &fans[i]);
		ward_kit_run(kit);
		for (size_t i = 0; i < 5; i++)
			check_held(kit, &a[i], NULL);
		assert_journal_of("p", "1;2;3;4");
		ward_assert_eq(strlen(journal_of("e")), strlen("1;2;3;4;1;2;3;4"));
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 1);
		script_finish(kit);
	}
}

/* Two actors on each rung send to both of the next: 2 to the power of RUNGS ways lead down. */
WARD_TEST(search_for_circles_follows_no_edge_twice)
{
	enum { RUNGS = 40 };
	static struct script a[RUNGS][2];
	static char names[RUNGS][2][8];
	static struct fan fans[RUNGS][2];
	ward_kit *kit = script_start(NULL);
	for (int i = 0; i < RUNGS; i++) {
		for (int j = 0; j < 2; j++) {
			snprintf(names[i][j], sizeof names[i][j], "a%d-%d", i, j);
			a[i][j] =
				(struct script){.name = names[i][j],
						.mailbox = {.messages_max = 1,
							    .overflow = WARD_OVERFLOW_HOLD_SENDER}};
			script_spawn(kit, &a[i][j]);
		}
	}
	ward_kit_forget_events(kit);
	for (int i = 0; i < RUNGS; i++) {
		for (int j = 0; j < 2; j++) {
			if (i + 1 < RUNGS)
				fans[i][j] =
					(struct fan){{{&a[i + 1][0], 2}, {&a[i + 1][1], 2}}, 2};
			script_do(kit, a[i][j].ref, send_to_all, &fans[i][j]);
		}
	}
	ward_kit_run(kit);
	for (int i = 0; i < RUNGS; i++)
		check_held(kit, &a[i][0], NULL);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 0);
	script_finish(kit);
}

WARD_TEST_MAIN
