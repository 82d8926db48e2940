/* SPDX-License-Identifier: MIT
 *
 * test_abroad.c - two systems on threads, whose connection is broken again and again while actors
 * of both flood, ask, watch and link each other (S196, S198, S199, S201).
 *
 * Method: each actor has one other at a time, of the other system. It watches it, links with it
 * (exits are trapped) and asks it; then all that was begun must come to an end, once each: by an
 * order, by the end of the other one, or by the end of the connection. What is left over at the end
 * is found by the kits, and what comes twice by the actor.
 *
 * A flood into a connection that is cut already is held: its senders wait, and memory is bounded,
 * by bytes and by messages (S197). Its cases print how much there was at most.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ward/ask.h>
#include <ward/link.h>
#include <ward/testkit/neighbours.h>

#include "support/stress.h"

enum { ACTORS = 8, SYSTEMS = 2 };

struct step {
	int unused;
};
WARD_MESSAGE(step);
struct page {
	char *text;
};
static void drop_page(void *body)
{
	free(((struct page *)body)->text);
}
static const ward_type ward_type_page = {
	.name = "page", .size = sizeof(struct page), .drop = drop_page};
WARD_SIGNAL(question);
WARD_SIGNAL(answer);
WARD_SIGNAL(finish);
WARD_SIGNAL(end_yourself);
struct seat {
	int system, number;
};
WARD_MESSAGE(seat);

struct member {
	int system, number;
	ward_ref other;
	bool watched, linked, asked;
	uint64_t tag, got, sent;
};

static _Atomic uint64_t places[SYSTEMS][ACTORS]; /* numbers of the actors there */
static _Atomic uint32_t system_place[SYSTEMS];
static _Atomic uint64_t steps, notices, exits, answers, unreached, pages;
static _Atomic bool stops;

static ward_ref somebody(ward_self *self, const struct member *me)
{
	int system = 1 - me->system;
	uint64_t number = atomic_load(&places[system][ward_random(self) % ACTORS]);

	return number == 0
		       ? ward_nobody()
		       : ward_ref_at(atomic_load(&system_place[system]), WARD_REF_ACTOR, number);
}

static bool is_free(const struct member *me)
{
	return !me->watched && !me->linked && !me->asked;
}

static void begin(ward_self *self, struct member *me)
{
	me->other = somebody(self, me);
	if (ward_ref_is_nobody(me->other))
		return;
	ward_watch(self, me->other);
	ward_link(self, me->other);
	ward_ask_send(
		self,
		&(ward_question){.to = me->other, .timeout_ms = WARD_FOREVER, .tag = ++me->tag},
		&ward_type_question, NULL, 0);
	me->watched = me->linked = me->asked = true;
}

static void end(ward_self *self, struct member *me)
{
	ward_unwatch(self, me->other);
	ward_unlink(self, me->other);
	if (me->asked)
		ward_ask_cancel(self, me->tag);
	me->watched = me->linked = me->asked = false;
}

static void flood(ward_self *self, const struct member *me)
{
	for (int i = 0; i < 5; i++) {
		struct page page = {malloc(100)};

		ward_assert(page.text != NULL);
		ward_send(self, me->other, &ward_type_page, &page, sizeof page);
	}
}

static ward_result do_step(ward_self *self, struct member *me)
{
	uint64_t dice = ward_random(self);

	stress_add(&steps, 1);
	if (is_free(me))
		begin(self, me);
	else if (dice % 4 == 0)
		end(self, me);
	else
		flood(self, me);
	if (dice % 97 == 0)
		ward_send(self, somebody(self, me), &ward_type_end_yourself, NULL, 0);
	if (!atomic_load(&stops))
		ward_tell(self, ward_self_ref(self), step);
	return WARD_DONE;
}

static ward_result member_init(ward_self *self, void *state, const void *args)
{
	const struct seat *seat = args;
	struct member *me = state;

	(void)ward_trap_exit(self, true);
	me->system = seat->system;
	me->number = seat->number;
	atomic_store(&places[me->system][me->number], ward_ref_number(ward_self_ref(self)));
	ward_tell(self, ward_self_ref(self), step);
	return WARD_DONE;
}

static void check_end(ward_end how)
{
	ward_assert(how != WARD_END_FAILED && how != WARD_END_KILLED);
	if (how == WARD_END_UNREACHED)
		stress_add(&unreached, 1);
}

static ward_result member_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct member *me = state;
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	uint64_t tag = ward_ask_tag(self);

	if (ward_match(msg, step) != NULL)
		return do_step(self, me);
	if (gone != NULL) {
		ward_assert(me->watched && ward_ref_equal(gone->who, me->other));
		me->watched = false;
		check_end(gone->end);
		stress_add(&notices, 1);
	} else if (exited != NULL) {
		/* One whose link the other one has made, too, may come without one of its own. */
		if (ward_ref_equal(exited->who, me->other))
			me->linked = false;
		stress_add(&exits, 1);
	} else if (tag != 0) {
		ward_assert(me->asked && tag == me->tag);
		me->asked = false;
		stress_add(&answers, 1);
	} else if (ward_match(msg, question) != NULL) {
		ward_reply(self, msg, answer);
	} else if (ward_match(msg, end_yourself) != NULL) {
		return ward_stop_self(self);
	} else if (ward_msg_body(msg, &ward_type_page) != NULL) {
		stress_add(&pages, 1);
	}
	return WARD_DONE;
}

static ward_result member_stop(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	return WARD_DONE;
}

static const ward_behavior member = {
	.name = "member",
	.state_size = sizeof(struct member),
	.args = &ward_type_seat,
	.init = member_init,
	.receive = member_receive,
	.post_stop = member_stop,
};

/* ---- the owner of the members of one system ------------------------------------------------- */

static void spawn_member(ward_self *self, int system, int number)
{
	ward_ref who = ward_spawn_props(
		self,
		WARD_PROPS(
			&member, .args = WARD_ARGS(seat, .system = system, .number = number),
			.mailbox = {.messages_max = 200, .overflow = WARD_OVERFLOW_DROP_NEWEST}));

	ward_watch_with(self, who, seat, .system = system, .number = number);
}

static ward_result owner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct seat *seat = ward_match(msg, seat);

	(void)state;
	if (seat == NULL)
		return WARD_UNHANDLED;
	if (seat->number >= 0 && !atomic_load(&stops))
		spawn_member(self, seat->system, seat->number);
	else if (seat->number < 0)
		for (int i = 0; i < ACTORS; i++)
			spawn_member(self, seat->system, i);
	return WARD_DONE;
}

static const ward_behavior owner = {.name = "owner", .receive = owner_receive};

/* ---- the test ------------------------------------------------------------------------------- */

static void clear(void)
{
	atomic_store(&stops, false);
	for (int i = 0; i < ACTORS; i++)
		for (int k = 0; k < SYSTEMS; k++)
			atomic_store(&places[k][i], 0);
	steps = notices = exits = answers = unreached = pages = 0;
}

static void break_again_and_again(unsigned workers)
{
	static const char *const names[SYSTEMS] = {"left", "right"};
	ward_kit *kits[SYSTEMS];
	ward_ref owners[SYSTEMS];
	uint64_t rounds = stress_size(30, 300);
	ward_loop *loop;

	clear();
	loop = ward_loop_start(&(ward_loop_options){.messages_max = 50, .retry_ms = 1});
	for (int i = 0; i < SYSTEMS; i++) {
		kits[i] = stress_start(&(ward_kit_options){
			.system = {.name = names[i], .workers = workers}, .may_leave_mail = true});
		ward_loop_join(loop, ward_kit_system(kits[i]), names[i]);
		atomic_store(&system_place[i], ward_place(ward_kit_system(kits[i])));
	}
	ward_loop_connect(loop, "left", "right");
	ward_assert(ward_loop_await(loop, "left", "right", WARD_MINUTE));
	for (int i = 0; i < SYSTEMS; i++) {
		owners[i] = ward_kit_spawn(kits[i], &owner);
		ward_kit_tell(kits[i], owners[i], seat, .system = i, .number = -1);
	}
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t before = stress_get(&steps);

		STRESS_UNTIL(kits[0], stress_get(&steps) > before + 200);
		ward_loop_reset(loop, "left", "right");
		ward_assert(ward_loop_await(loop, "left", "right", WARD_MINUTE));
	}
	atomic_store(&stops, true);
	ward_loop_finish(loop);
	for (int i = 0; i < SYSTEMS; i++)
		ward_kit_finish(kits[i]);
	ward_assert(stress_get(&notices) > 0 && stress_get(&exits) > 0);
	ward_assert(stress_get(&answers) > 0 && stress_get(&pages) > 0);
	ward_assert(stress_get(&unreached) > 0);
}
STRESS_WORKERS(break_again_and_again, "S196", "S198", "S199", "S201")

/* ---- a flood into a cut --------------------------------------------------------------------- */

enum { SENDERS = 16, BURST = 10, LINE_MAX = 200, WINDOW = 256 * 1024, PIECE = 64 * 1024 };

struct small {
	uint64_t number;
};
WARD_MESSAGE(small);
struct large {
	unsigned char bytes[4000];
};
WARD_MESSAGE(large);

struct flooder {
	ward_ref to;
	uint64_t left;
	bool is_large;
};
WARD_MESSAGE(flooder);

static ward_kit *flooding;
static _Atomic uint64_t flooded, flooders_ready, bytes_peak;

static void note_peak(void)
{
	uint64_t now = ward_kit_bytes(flooding), peak = stress_get(&bytes_peak);

	while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now))
		continue;
}

static ward_result flooder_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	*(struct flooder *)state = *(const struct flooder *)args;
	return WARD_DONE;
}

static ward_result flooder_receive(ward_self *self, void *state, const ward_msg *msg)
{
	static const struct large large;
	struct flooder *me = state;

	if (ward_match(msg, step) == NULL)
		return WARD_UNHANDLED;
	for (int i = 0; i < BURST && me->left > 0; i++, me->left--) {
		if (me->is_large)
			ward_send(self, me->to, &ward_type_large, &large, sizeof large);
		else
			ward_tell(self, me->to, small, .number = me->left);
		stress_add(&flooded, 1);
		note_peak();
	}
	if (me->left == 0)
		stress_add(&flooders_ready, 1);
	else
		ward_tell(self, ward_self_ref(self), step);
	return WARD_DONE;
}

static const ward_behavior flooder_behavior = {
	.name = "flooder",
	.state_size = sizeof(struct flooder),
	.args = &ward_type_flooder,
	.init = flooder_init,
	.receive = flooder_receive,
};

static ward_result ignore_all(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static const ward_behavior sink = {.name = "sink", .receive = ignore_all};

static void count_held(void *arg, const ward_actor_info *info)
{
	*(int *)arg += !ward_ref_is_nobody(info->held_by);
}

static int held(void)
{
	int count = 0;

	ward_system_actors(ward_kit_system(flooding), count_held, &count);
	return count;
}

static void read_waiting(void *arg, const ward_node_info *info)
{
	*(uint64_t *)arg += info->waiting;
}

static void start_flooders(ward_ref to, bool is_large, uint64_t each)
{
	flooded = flooders_ready = 0;
	atomic_store(&bytes_peak, ward_kit_bytes(flooding));
	for (int i = 0; i < SENDERS; i++)
		ward_kit_tell(flooding,
			      ward_kit_spawn(flooding, &flooder_behavior,
					     .args = WARD_ARGS(flooder, .to = to, .left = each,
							       .is_large = is_large)),
			      step);
}

/* At most waiting_max messages wait in the mailbox of the association, and the system has at most
 * bytes_max more than before, and a piece of its pools for each further worker; the others are in
 * the window. */
static void flood_a_cut(unsigned workers, bool is_large, uint64_t waiting_max, uint64_t bytes_max)
{
	uint64_t each = stress_size(2000, 20000), waiting = 0;
	ward_kit *right = stress_start(&(ward_kit_options){.system = {.name = "right"}});
	ward_loop *loop = ward_loop_start(&(ward_loop_options){.messages_max = LINE_MAX,
							       .window_bytes = WINDOW,
							       .lost_after_ms = WARD_FOREVER,
							       .retry_ms = 1});

	flooding = stress_start(&(ward_kit_options){.system = {.name = "left", .workers = workers},
						    .may_leave_mail = true});
	ward_loop_join(loop, ward_kit_system(flooding), "left");
	ward_loop_join(loop, ward_kit_system(right), "right");
	ward_loop_connect(loop, "left", "right");
	ward_assert(ward_loop_await(loop, "left", "right", WARD_MINUTE));
	ward_ref to = ward_loop_ref(loop, "left", "right", ward_kit_spawn(right, &sink));
	ward_loop_cut(loop, "left", "right");
	uint64_t before = ward_kit_bytes(flooding);
	start_flooders(to, is_large, each);
	STRESS_UNTIL(flooding, held() == SENDERS);
	uint64_t sent = stress_get(&flooded), peak = stress_get(&bytes_peak) - before;
	ward_system_nodes(ward_kit_system(flooding), read_waiting, &waiting);
	printf("# %d senders into a cut, each with %llu messages of %zu bytes: held after %llu; "
	       "%llu wait; at most %llu KiB here and %llu KiB in the window\n",
	       SENDERS, (unsigned long long)each,
	       is_large ? sizeof(struct large) : sizeof(struct small), (unsigned long long)sent,
	       (unsigned long long)waiting, (unsigned long long)peak / 1024,
	       (unsigned long long)ward_loop_read_stats(loop).bytes_max / 1024);
	ward_assert(waiting <= waiting_max);
	ward_assert(peak <= bytes_max + (workers - 1) * PIECE);
	ward_assert(ward_loop_read_stats(loop).bytes_max <= WINDOW + 8192);
	ward_loop_reset(loop, "left", "right"); /* lost, and open again: all go on */
	STRESS_UNTIL(flooding, stress_get(&flooders_ready) == SENDERS);
	ward_assert_eq(stress_get(&flooded), SENDERS * each);
	ward_loop_finish(loop);
	ward_kit_finish(flooding);
	ward_kit_finish(right);
}

/* A small body weighs 1: LINE_MAX, and what each sender sent in its last callback. */
static void flood_of_small_bodies_into_a_cut_is_held(unsigned workers)
{
	flood_a_cut(workers, false, LINE_MAX + SENDERS * BURST, 192 * 1024);
}
STRESS_WORKERS(flood_of_small_bodies_into_a_cut_is_held, "S197")

/* A large one weighs 4. */
static void flood_of_large_bodies_into_a_cut_is_held(unsigned workers)
{
	flood_a_cut(workers, true, LINE_MAX / 4 + SENDERS * BURST, 1536 * 1024);
}
STRESS_WORKERS(flood_of_large_bodies_into_a_cut_is_held, "S197")

WARD_TEST_MAIN
