/* SPDX-License-Identifier: MIT
 *
 * test_bounded.c - a bounded mailbox whose owner changes between two looks at it, and when it
 * holds senders.
 *
 * Method: a bounded mailbox that no cell has; its owners are numbers. What threads do to each
 * other by chance is done here in one order.
 */
#include "mail/auto_received.h"
#include "mail/bounded.h"

#include "cell/system.h"

#include "support/script.h"

WARD_SIGNAL(plain);

enum { OWNER = 7, NEXT = 8, MAX = 4 };

struct scene {
	ward_kit *kit;
	struct wardi_source from;
	struct wardi_bounded bounded;
};

static int ranked;

static int32_t rank(const ward_msg *msg)
{
	(void)msg;
	ranked++;
	return 0;
}

static void start(struct scene *scene, ward_overflow overflow)
{
	ward_mailbox options = {.messages_max = MAX, .overflow = overflow, .priority = rank};
	*scene = (struct scene){.kit = script_start(NULL)};
	scene->from = wardi_outside_source(ward_kit_system(scene->kit));
	wardi_mutex_init(&scene->bounded.mu, WARDI_LOCK_BOUNDED);
	wardi_bounded_open(&scene->bounded, OWNER, &options);
	ranked = 0;
}

static void close_box(struct scene *scene)
{
	struct ward_msg *rest = wardi_bounded_close(&scene->bounded, scene->from);
	while (rest != NULL) {
		struct ward_msg *next = atomic_load_explicit(&rest->next, memory_order_relaxed);
		wardi_msg_free(scene->from, rest);
		rest = next;
	}
}

static void finish(struct scene *scene)
{
	close_box(scene);
	wardi_mutex_destroy(&scene->bounded.mu);
	script_finish(scene->kit);
}

/* Frees what is not taken. */
static enum wardi_bounded_verdict push(struct scene *scene, uint64_t owner, bool may_go_over)
{
	struct ward_msg *dropped = NULL;
	struct ward_msg *msg = wardi_msg_make(scene->from, &ward_type_plain, NULL, 0);
	ward_assert(msg != NULL);
	enum wardi_bounded_verdict verdict =
		wardi_bounded_push(&scene->bounded, scene->from, owner, msg, may_go_over, &dropped);
	if (verdict != WARDI_BOUNDED_TAKEN && verdict != WARDI_BOUNDED_OVER)
		wardi_msg_free(scene->from, msg);
	return verdict;
}

static void fill(struct scene *scene)
{
	for (int i = 0; i < MAX; i++)
		ward_assert_eq(push(scene, OWNER, false), WARDI_BOUNDED_TAKEN);
}

static int64_t count_for(struct scene *scene, uint64_t owner)
{
	int64_t count = -1;
	uint64_t dropped = 99;
	bool unread = false;
	wardi_bounded_look(&scene->bounded, owner, &count, &dropped, &unread);
	ward_assert_eq(dropped, count < 0 ? 99 : 0);
	ward_assert_eq(unread, count > 0);
	return count;
}

WARD_TEST(box_of_another_owner_takes_nothing_and_asks_for_no_priority)
{
	struct scene scene;
	start(&scene, WARD_OVERFLOW_REFUSE);
	ward_assert_eq(push(&scene, NEXT, true), WARDI_BOUNDED_DEAD);
	ward_assert_eq(ranked, 0);
	ward_assert_eq(count_for(&scene, OWNER), 0);
	ward_assert_eq(push(&scene, OWNER, true), WARDI_BOUNDED_TAKEN);
	ward_assert_eq(ranked, 1);
	finish(&scene);
}

WARD_TEST(full_box_of_another_owner_is_dead_and_not_full)
{
	struct scene scene;
	start(&scene, WARD_OVERFLOW_HOLD_SENDER);
	fill(&scene);
	ward_assert_eq(push(&scene, NEXT, true), WARDI_BOUNDED_DEAD);
	ward_assert_eq(count_for(&scene, OWNER), MAX);
	finish(&scene);
}

WARD_TEST(look_for_another_owner_sees_nothing)
{
	struct scene scene;
	start(&scene, WARD_OVERFLOW_REFUSE);
	fill(&scene);
	ward_assert_eq(count_for(&scene, NEXT), -1);
	ward_assert_eq(count_for(&scene, OWNER), MAX);
	finish(&scene);
}

/* Pops until so many are left; says whether the last one drained it. */
static bool drain(struct scene *scene, int64_t left)
{
	bool drained = false;
	while (count_for(scene, OWNER) > left)
		ward_assert(wardi_bounded_pop(&scene->bounded, scene->from, &drained) != NULL);
	return drained;
}

WARD_TEST(box_holds_senders_of_its_owner_until_half_is_left)
{
	struct scene scene;
	start(&scene, WARD_OVERFLOW_HOLD_SENDER);
	fill(&scene);
	ward_assert_eq(push(&scene, OWNER, false), WARDI_BOUNDED_REFUSED);
	ward_assert_eq(push(&scene, OWNER, true), WARDI_BOUNDED_OVER);
	scene.bounded.dropped = 0;
	/* Nobody waits so far, so nobody is let go. */
	ward_assert(!wardi_bounded_holds_back(&scene.bounded, NEXT));
	ward_assert(!wardi_bounded_lets_go(&scene.bounded));
	ward_assert(!drain(&scene, MAX));
	ward_assert(wardi_bounded_holds_back(&scene.bounded, OWNER));
	ward_assert(!wardi_bounded_lets_go(&scene.bounded));
	ward_assert(!drain(&scene, MAX / 2 + 1));
	ward_assert(wardi_bounded_holds_back(&scene.bounded, OWNER));
	ward_assert(!wardi_bounded_lets_go(&scene.bounded));
	ward_assert(drain(&scene, MAX / 2));
	/* Who comes now is not held; but those who are have still to be let go, once. */
	ward_assert(!wardi_bounded_holds_back(&scene.bounded, OWNER));
	ward_assert(wardi_bounded_lets_go(&scene.bounded));
	ward_assert(!wardi_bounded_lets_go(&scene.bounded));
	ward_assert(!drain(&scene, 0));
	finish(&scene);
}

WARD_TEST(box_that_is_closed_lets_everybody_go)
{
	struct scene scene;
	start(&scene, WARD_OVERFLOW_HOLD_SENDER);
	fill(&scene);
	ward_assert(wardi_bounded_holds_back(&scene.bounded, OWNER));
	close_box(&scene);
	ward_assert(wardi_bounded_lets_go(&scene.bounded));
	ward_assert(!wardi_bounded_holds_back(&scene.bounded, OWNER));
	finish(&scene);
}

/* ---- closed by its owner ----------------------------------------------------------------- */

static void push_tick(struct scene *scene)
{
	struct ward_msg *dropped = NULL;
	struct wardi_tick tick = {0, 0};
	struct ward_msg *msg = wardi_msg_make(scene->from, &wardi_type_tick, &tick, sizeof tick);

	ward_assert_eq(
		wardi_bounded_push(&scene->bounded, scene->from, OWNER, msg, false, &dropped),
		WARDI_BOUNDED_TAKEN);
}

/* How many ticks come next in a row. */
static int ticks(struct scene *scene, bool passing)
{
	struct ward_msg *msg;
	bool drained;
	int count = 0;

	for (;; count++) {
		msg = passing ? wardi_bounded_pop_passing(&scene->bounded, scene->from)
			      : wardi_bounded_pop(&scene->bounded, scene->from, &drained);
		if (msg == NULL || !wardi_msg_is_auto_received(msg))
			return count;
	}
}

WARD_TEST(box_that_its_owner_closes_gives_what_passes_whenever_it_came, "S128")
{
	struct scene scene;

	start(&scene, WARD_OVERFLOW_REFUSE);
	for (int round = 0; round < 3; round++) {
		ward_assert(!wardi_bounded_has_passing(&scene.bounded));
		ward_assert_eq(push(&scene, OWNER, false), WARDI_BOUNDED_TAKEN);
		push_tick(&scene); /* behind the other */
		wardi_bounded_set_closed(&scene.bounded, true);
		ward_assert(wardi_bounded_has_passing(&scene.bounded));
		push_tick(&scene);
		ward_assert_eq(ticks(&scene, true), 2);
		ward_assert(!wardi_bounded_has_passing(&scene.bounded));
		ward_assert_eq(count_for(&scene, OWNER), round + 1);
		push_tick(&scene);
		wardi_bounded_set_closed(&scene.bounded, false);
		ward_assert(!wardi_bounded_empty(&scene.bounded));
		ward_assert_eq(ticks(&scene, false), 1); /* first; and one that is counted */
		ward_assert_eq(push(&scene, OWNER, false), WARDI_BOUNDED_TAKEN);
	}
	finish(&scene);
}

WARD_TEST_MAIN
