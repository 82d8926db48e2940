/* SPDX-License-Identifier: MIT
 *
 * test_hold.c - back-pressure on real threads: producers that a slow consumer holds, or one that
 * closes its mailbox, rings that would hold each other, and all of it while actors fail and stop.
 *
 * Method: parcels are numbered by their producer, which sends one in each callback and goes on by a
 * message to itself. The consumer looks at the length of its mailbox each time: never more than the
 * maximum and one for each producer. Nothing is lost, and each producer's parcels are in order.
 */
#include <stdlib.h>

#include "support/stress.h"

enum { PRODUCERS = 6, MAX = 16, RING = 5 };

struct parcel {
	uint32_t producer;
	uint64_t number; /* from 1 */
};
WARD_MESSAGE_FLAT(parcel);
WARD_SIGNAL(go);
struct token {
	uint32_t hops;
};
WARD_MESSAGE_FLAT(token);

static ward_kit *kit;
static ward_ref consumer;
static ward_ref ring[RING];
static uint64_t each;
static _Atomic uint64_t arrived, longest, finished, ended, dead, notes;

static void hear(void *arg, const ward_event *event)
{
	(void)arg;
	if (event->kind == WARD_EVENT_DEAD_LETTER)
		stress_add(&dead, 1);
	else if (event->kind == WARD_EVENT_NOTE)
		stress_add(&notes, 1);
}

/* ---- a slow consumer --------------------------------------------------------------------- */

struct consumer {
	uint64_t last[PRODUCERS];
	uint64_t work;
};

static void look(ward_self *self)
{
	int64_t count = ward_mailbox_count(self, ward_self_ref(self));
	uint64_t length = count < 0 ? 0 : (uint64_t)count;

	if (length > stress_get(&longest))
		atomic_store_explicit(&longest, length, memory_order_relaxed);
}

static ward_result consume(ward_self *self, void *state, const ward_msg *msg)
{
	const struct parcel *parcel = ward_match(msg, parcel);
	struct consumer *me = state;

	ward_assert(parcel != NULL);
	ward_assert_eq(parcel->number, me->last[parcel->producer] + 1);
	me->last[parcel->producer] = parcel->number;
	look(self);
	for (int i = 0; i < 200; i++) /* slower than they are */
		me->work = me->work * 31 + (uint64_t)i;
	stress_add(&arrived, 1);
	return WARD_DONE;
}

static const ward_behavior slow = {
	.name = "slow", .state_size = sizeof(struct consumer), .receive = consume};

struct producer {
	uint32_t number;
	uint64_t sent;
};

static ward_result produce_init(ward_self *self, void *state, const void *args)
{
	((struct producer *)state)->number = ((const struct parcel *)args)->producer;
	ward_tell(self, ward_self_ref(self), go);
	return WARD_DONE;
}

static ward_result produce(ward_self *self, void *state, const ward_msg *msg)
{
	struct producer *me = state;

	ward_assert(ward_match(msg, go) != NULL);
	ward_tell(self, consumer, parcel, .producer = me->number, .number = ++me->sent);
	if (me->sent < each)
		ward_tell(self, ward_self_ref(self), go);
	else
		stress_add(&finished, 1);
	return WARD_DONE;
}

static const ward_behavior producer = {.name = "producer",
				       .state_size = sizeof(struct producer),
				       .args = &ward_type_parcel,
				       .init = produce_init,
				       .receive = produce};

static ward_ref spawn_producer(uint32_t number)
{
	struct parcel args = {.producer = number};

	return ward_kit_spawn(kit, &producer, .args = {WARD_COPY(parcel, &args)});
}

static void start(uint32_t workers)
{
	arrived = longest = finished = ended = dead = notes = 0;
	kit = stress_start(&(ward_kit_options){.system.workers = workers, .log = hear});
}

static void slow_consumer(uint32_t workers)
{
	each = stress_size(10000, 1000000);
	start(workers);
	consumer = ward_kit_spawn(
		kit, &slow,
		.mailbox = {.messages_max = MAX, .overflow = WARD_OVERFLOW_HOLD_SENDER});
	for (uint32_t i = 0; i < PRODUCERS; i++)
		spawn_producer(i);
	STRESS_UNTIL(kit, stress_get(&arrived) == PRODUCERS * each);
	ward_assert_eq(finished, PRODUCERS);
	ward_assert(longest + 1 > MAX); /* it was full, with the one in hand */
	ward_assert(longest <= MAX + PRODUCERS);
	ward_assert_eq(dead, 0);
	ward_assert_eq(notes, 0);
	ward_kit_finish(kit);
}

STRESS_WORKERS(slow_consumer, "S4")

/* ---- a consumer that closes its mailbox -------------------------------------------------- */

WARD_SIGNAL(turn_over);
enum { OVER = 1 };

static _Atomic bool shut; /* ticks are under way to it */

/* A closed one gets ticks alone, and opens at the second of them. */
struct closer {
	struct consumer all;
	bool closed;
	int ticks;
};

static ward_result close_in_turns(ward_self *self, void *state, const ward_msg *msg)
{
	struct closer *me = state;

	if (ward_match(msg, turn_over)) {
		if (me->closed && ++me->ticks < 2) {
			ward_after(self, OVER, 0, turn_over);
			return WARD_DONE;
		}
		me->closed = false;
		ward_mailbox_open(self);
		atomic_store(&shut, false);
		return WARD_DONE;
	}
	ward_assert(!me->closed);
	if (ward_random(self) % 16 == 0) {
		atomic_store(&shut, true);
		me->closed = true;
		me->ticks = 0;
		ward_mailbox_close(self);
		ward_after(self, OVER, 0, turn_over);
	}
	return consume(self, &me->all, msg);
}

static const ward_behavior closer = {
	.name = "closer", .state_size = sizeof(struct closer), .receive = close_in_turns};

static void closing_consumer(uint32_t workers)
{
	static const ward_mailbox kinds[] = {
		{.messages_max = MAX, .overflow = WARD_OVERFLOW_HOLD_SENDER}, {0}};

	for (int kind = 0; kind < 2; kind++) {
		each = stress_size(500, 50000);
		start(workers);
		consumer = ward_kit_spawn(kit, &closer, .mailbox = kinds[kind]);
		for (uint32_t i = 0; i < PRODUCERS; i++)
			spawn_producer(i);
		STRESS_UNTIL(kit, stress_get(&arrived) == PRODUCERS * each && !atomic_load(&shut));
		ward_assert_eq(finished, PRODUCERS);
		ward_assert(kind == 1 || longest <= MAX + PRODUCERS);
		ward_assert_eq(dead, 0);
		ward_kit_finish(kit);
	}
}

STRESS_WORKERS(closing_consumer, "S128")

/* ---- rings ------------------------------------------------------------------------------- */

struct node {
	uint32_t place;
};
WARD_MESSAGE_FLAT(node);

static ward_result node_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	*(struct node *)state = *(const struct node *)args;
	return WARD_DONE;
}

/* One token becomes two, now and then; each goes on to another node until it has no hops left. */
static ward_result pass(ward_self *self, void *state, const ward_msg *msg)
{
	const struct token *token = ward_match(msg, token);
	struct node *me = state;

	ward_assert(token != NULL);
	if (token->hops == 0) {
		stress_add(&ended, 1);
		return WARD_DONE;
	}
	ward_tell(self, ring[(me->place + 1) % RING], token, .hops = token->hops - 1);
	if (token->hops % 4 == 0)
		ward_tell(self, ring[ward_random(self) % RING], token, .hops = token->hops - 1);
	return WARD_DONE;
}

static const ward_behavior node = {.name = "node",
				   .state_size = sizeof(struct node),
				   .args = &ward_type_node,
				   .init = node_init,
				   .receive = pass};

/* Tokens with so many hops end as so many. */
static uint64_t tokens_of(uint32_t hops)
{
	return UINT64_C(1) << (hops / 4);
}

static void circles_under_load(uint32_t workers)
{
	uint64_t rounds = stress_size(20, 2000);
	uint64_t wanted = 0;

	start(workers);
	for (uint32_t i = 0; i < RING; i++) {
		struct node args = {i};

		ring[i] = ward_kit_spawn(
			kit, &node, .args = {WARD_COPY(node, &args)},
			.mailbox = {.messages_max = 2, .overflow = WARD_OVERFLOW_HOLD_SENDER});
	}
	for (uint64_t i = 0; i < rounds; i++) {
		for (uint32_t j = 0; j < RING; j++) {
			/* Those before may have filled it: threads outside are refused. */
			while (ward_system_try_tell(ward_kit_system(kit), ring[j], token,
						    .hops = 36) == WARD_EFULL)
				ward_kit_advance(kit, 1);
			wanted += tokens_of(36);
		}
		STRESS_UNTIL(kit, stress_get(&ended) == wanted);
	}
	ward_assert(notes > 0); /* there were circles, told once a minute */
	ward_assert_eq(dead, 0);
	ward_kit_finish(kit);
}

WARD_TEST(circles_under_load_2_workers)
{
	circles_under_load(2);
}

WARD_TEST(circles_under_load_8_workers)
{
	circles_under_load(8);
}

/* ---- while they fail and stop ------------------------------------------------------------ */

/* A consumer that is restarted now and then, and one that is gone and comes again; producers that
 * are stopped. What arrives is not counted, only that all comes to an end. */
static ward_result break_down(ward_self *self, void *state, const ward_msg *msg)
{
	const struct parcel *parcel = ward_match(msg, parcel);

	(void)state;
	ward_assert(parcel != NULL);
	look(self);
	stress_add(&arrived, 1);
	return ward_random(self) % 64 == 0 ? ward_failed(self, &ward_exception, "now and then")
					   : WARD_DONE;
}

static const ward_behavior fragile = {.name = "fragile", .receive = break_down};

static void fates_of_the_held(uint32_t workers)
{
	uint64_t rounds = stress_size(150, 20000);
	uint64_t random = ward_test_seed();
	ward_ref producers[PRODUCERS];

	each = UINT64_MAX; /* they never stop by themselves */
	start(workers);
	for (uint64_t i = 0; i < rounds; i++) {
		consumer = ward_kit_spawn(kit, &fragile,
					  .dispatcher = i % 2 == 0 ? WARD_BLOCKING : NULL,
					  .mailbox = {.messages_max = 1 + (uint32_t)i % 4,
						      .overflow = WARD_OVERFLOW_HOLD_SENDER});
		uint64_t until = stress_get(&arrived) + stress_random(&random) % 500;

		for (uint32_t j = 0; j < PRODUCERS; j++)
			producers[j] = spawn_producer(j);
		STRESS_UNTIL(kit, stress_get(&arrived) >= until);
		/* One half of them before the consumer, one half after: held or not. */
		for (uint32_t j = 0; j < PRODUCERS / 2; j++)
			ward_kit_stop(kit, producers[j]);
		ward_kit_stop(kit, consumer);
		for (uint32_t j = PRODUCERS / 2; j < PRODUCERS; j++)
			ward_kit_stop(kit, producers[j]);
		for (uint32_t j = 0; j < PRODUCERS; j++)
			ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), producers[j],
							    WARD_FOREVER));
	}
	ward_assert(stress_get(&longest) <= 4 + PRODUCERS);
	ward_kit_finish(kit);
}

WARD_TEST(fates_of_the_held_2_workers)
{
	fates_of_the_held(2);
}

WARD_TEST(fates_of_the_held_8_workers)
{
	fates_of_the_held(8);
}

WARD_TEST_MAIN
