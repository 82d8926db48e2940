/* SPDX-License-Identifier: MIT
 *
 * test_mailbox.c - the two lanes of a mailbox, and the one bit that says who schedules the cell.
 *
 * Method: a bare mailbox, its messages from a pool of its own. One case has four threads push while
 * the holder reads and gives up, so that each hand-over happens many times.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <ward/testkit.h>

#include "mail/auto_received.h"
#include "mail/mailbox.h"

struct desk {
	struct wardi_alloc alloc;
	struct wardi_pool pool;
	struct wardi_source from;
	struct wardi_mailbox mailbox;
};

static const ward_type number_type = {.name = "number", .size = sizeof(uint64_t)};

static struct ward_msg *make(struct desk *desk, uint64_t number)
{
	struct ward_msg *msg = wardi_msg_make(desk->from, &number_type, &number, sizeof(number));
	ward_assert(msg != NULL);
	return msg;
}

static uint64_t number_of(const struct ward_msg *msg)
{
	uint64_t number;
	memcpy(&number, wardi_msg_bytes(msg), sizeof(number));
	return number;
}

/* Held by the caller, as a cell is when its life begins. */
static void open_desk(struct desk *desk)
{
	memset(desk, 0, sizeof(*desk));
	wardi_alloc_init(&desk->alloc, NULL, true);
	wardi_pool_init(&desk->pool, &desk->alloc);
	desk->from = (struct wardi_source){&desk->pool, NULL};
	wardi_mailbox_init(&desk->mailbox);
	wardi_mailbox_open(&desk->mailbox, NULL);
}

static void close_desk(struct desk *desk)
{
	struct ward_msg *msg;
	while (wardi_mailbox_pop(&desk->mailbox, desk->from, &msg) == WARDI_POP_MESSAGE)
		;
	wardi_mailbox_finish(&desk->mailbox, desk->from);
	ward_assert_eq(desk->alloc.blocks, 0);
	wardi_pool_finish(&desk->pool);
	ward_assert_eq(desk->alloc.bytes, 0);
}

static struct ward_msg *check_pop(struct desk *desk, uint64_t number)
{
	struct ward_msg *msg = NULL;
	ward_assert_eq(wardi_mailbox_pop(&desk->mailbox, desk->from, &msg), WARDI_POP_MESSAGE);
	ward_assert_eq(number_of(msg), number);
	return msg;
}

static void check_empty(struct desk *desk)
{
	struct ward_msg *msg = NULL;
	ward_assert_eq(wardi_mailbox_pop(&desk->mailbox, desk->from, &msg), WARDI_POP_EMPTY);
	ward_assert(msg == NULL);
}

WARD_TEST(lane_is_first_in_first_out_and_popped_messages_stay_until_the_next, "S4")
{
	struct desk desk;
	open_desk(&desk);
	check_empty(&desk);
	for (uint64_t i = 1; i <= 5; i++)
		ward_assert(!wardi_mailbox_push(&desk.mailbox,
						make(&desk, i))); /* held: nobody schedules */
	uint64_t blocks = desk.alloc.blocks;
	struct ward_msg *first = check_pop(&desk, 1);
	ward_assert_eq(desk.alloc.blocks, blocks); /* it stays, as what stands at the tail */
	for (uint64_t i = 2; i <= 5; i++) {
		ward_assert_eq(number_of(first), i - 1);
		first = check_pop(&desk, i);
		ward_assert_eq(desk.alloc.blocks, blocks - (i - 1)); /* the one before is freed */
	}
	check_empty(&desk);
	close_desk(&desk);
}

WARD_TEST(idle_lane_holds_no_message)
{
	struct desk desk;
	open_desk(&desk);
	for (uint64_t round = 1; round <= 3; round++) {
		for (uint64_t i = 1; i <= round; i++)
			wardi_mailbox_push(&desk.mailbox, make(&desk, i));
		for (uint64_t i = 1; i <= round; i++)
			check_pop(&desk, i);
		ward_assert_eq(desk.alloc.blocks, 1);
		ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
		ward_assert_eq(desk.alloc.blocks, 0);
	}
	close_desk(&desk);
}

WARD_TEST(giving_up_refused_leaves_the_last_message_where_it_was)
{
	struct desk desk;
	open_desk(&desk);
	wardi_mailbox_push(&desk.mailbox, make(&desk, 1));
	struct ward_msg *last = check_pop(&desk, 1);
	wardi_mailbox_push(&desk.mailbox, make(&desk, 2));
	ward_assert(!wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert_eq(number_of(last), 1);
	check_pop(&desk, 2);
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	close_desk(&desk);
}

WARD_TEST(first_push_after_giving_up_schedules_and_no_other)
{
	struct desk desk;
	open_desk(&desk);
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert(wardi_mailbox_push(&desk.mailbox, make(&desk, 1)));
	ward_assert(!wardi_mailbox_push(&desk.mailbox, make(&desk, 2)));
	ward_assert(!wardi_mailbox_wake(&desk.mailbox));
	check_pop(&desk, 1);
	/* There is one more: it is held still. */
	ward_assert(!wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert(!wardi_mailbox_push(&desk.mailbox, make(&desk, 3)));
	check_pop(&desk, 2);
	check_pop(&desk, 3);
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	close_desk(&desk);
}

WARD_TEST(giving_up_with_mail_unread_is_ended_by_the_next_push_or_wake)
{
	struct desk desk;
	open_desk(&desk);
	ward_assert(!wardi_mailbox_push(&desk.mailbox, make(&desk, 1)));
	wardi_mailbox_give_up_unread(&desk.mailbox);
	ward_assert(!wardi_mailbox_take_back(&desk.mailbox));
	ward_assert(wardi_mailbox_push(&desk.mailbox, make(&desk, 2)));
	wardi_mailbox_give_up_unread(&desk.mailbox);
	ward_assert(wardi_mailbox_wake(&desk.mailbox));
	ward_assert(!wardi_mailbox_wake(&desk.mailbox));
	check_pop(&desk, 1);
	check_pop(&desk, 2);
	close_desk(&desk);
}

WARD_TEST(system_lane_is_taken_whole_oldest_first, "S2")
{
	struct desk desk;
	struct wardi_sysmsg msgs[3];
	memset(msgs, 0, sizeof(msgs));
	open_desk(&desk);
	ward_assert(!wardi_mailbox_has_system(&desk.mailbox));
	/* Only the thread that links the first one wakes the cell. */
	for (int i = 0; i < 3; i++)
		ward_assert_eq(wardi_mailbox_link_system(&desk.mailbox, &msgs[i]),
			       i == 0 ? WARDI_LINK_FIRST : WARDI_LINK_BEHIND);
	ward_assert(wardi_mailbox_has_system(&desk.mailbox));
	struct wardi_sysmsg *msg = wardi_mailbox_take_system(&desk.mailbox);
	for (int i = 0; i < 3; i++, msg = wardi_sysmsg_next(msg))
		ward_assert(msg == &msgs[i]);
	ward_assert(msg == NULL);
	ward_assert(!wardi_mailbox_has_system(&desk.mailbox));
	ward_assert(wardi_mailbox_take_system(&desk.mailbox) == NULL);
	ward_assert_eq(wardi_mailbox_link_system(&desk.mailbox, &msgs[0]), WARDI_LINK_FIRST);
	ward_assert(wardi_mailbox_take_system(&desk.mailbox) == &msgs[0]);
	close_desk(&desk);
}

WARD_TEST(system_message_before_giving_up_is_seen_after_it)
{
	/* As if it came between the look at the lane and the bit: its sender does not schedule,
	 * since the cell was held; so who gave it up must. */
	struct desk desk;
	struct wardi_sysmsg msg;
	memset(&msg, 0, sizeof(msg));
	open_desk(&desk);
	ward_assert(wardi_mailbox_link_system(&desk.mailbox, &msg));
	ward_assert(!wardi_mailbox_wake(&desk.mailbox));
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert(wardi_mailbox_take_back(&desk.mailbox));
	ward_assert(!wardi_mailbox_take_back(&desk.mailbox));
	wardi_mailbox_give_up_unread(&desk.mailbox);
	ward_assert(wardi_mailbox_take_back(&desk.mailbox));
	ward_assert(wardi_mailbox_take_system(&desk.mailbox) == &msg);
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert(!wardi_mailbox_take_back(&desk.mailbox));
	/* And one that comes later is scheduled by its sender. */
	ward_assert(wardi_mailbox_link_system(&desk.mailbox, &msg));
	ward_assert(wardi_mailbox_wake(&desk.mailbox));
	ward_assert(wardi_mailbox_take_system(&desk.mailbox) == &msg);
	close_desk(&desk);
}

WARD_TEST(life_that_ended_after_giving_up_is_not_taken_back, "S2")
{
	/* As if who gave up were held up before its look at the system lane: meanwhile another
	 * worker gets the cell, ends its life, and gives it up for the next. */
	struct desk desk;
	struct wardi_sysmsg msg;
	memset(&msg, 0, sizeof(msg));
	open_desk(&desk);
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert(wardi_mailbox_wake(&desk.mailbox));
	ward_assert(wardi_mailbox_close_system(&desk.mailbox) == NULL);
	ward_assert(wardi_mailbox_give_up(&desk.mailbox, desk.from));
	ward_assert(!wardi_mailbox_take_back(&desk.mailbox));
	ward_assert(!wardi_mailbox_link_system(&desk.mailbox, &msg)); /* closed still */
	ward_assert(wardi_mailbox_wake(&desk.mailbox)); /* and to be had for the next life */
	close_desk(&desk);
}

WARD_TEST(closed_system_lane_refuses_and_gives_the_rest, "S2")
{
	struct desk desk;
	struct wardi_sysmsg first, second;
	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	open_desk(&desk);
	ward_assert(wardi_mailbox_link_system(&desk.mailbox, &first));
	ward_assert(wardi_mailbox_close_system(&desk.mailbox) == &first);
	ward_assert(!wardi_mailbox_link_system(&desk.mailbox, &second));
	ward_assert(wardi_mailbox_close_system(&desk.mailbox) == NULL);
	wardi_mailbox_open(&desk.mailbox, NULL);
	ward_assert(wardi_mailbox_link_system(&desk.mailbox, &second));
	ward_assert(wardi_mailbox_take_system(&desk.mailbox) == &second);
	close_desk(&desk);
}

WARD_TEST(half_done_push_is_told_from_an_empty_lane)
{
	struct desk desk;
	struct ward_msg *msg = NULL;
	open_desk(&desk);
	/* What a sender does, cut in two. */
	struct ward_msg *pushed = make(&desk, 1);
	atomic_store(&pushed->next, NULL);
	uintptr_t old = atomic_exchange(&desk.mailbox.head, (uintptr_t)pushed);
	ward_assert_eq(old, (uintptr_t)&desk.mailbox.stub);
	ward_assert_eq(wardi_mailbox_pop(&desk.mailbox, desk.from, &msg), WARDI_POP_BUSY);
	ward_assert(!wardi_mailbox_give_up(&desk.mailbox, desk.from));
	atomic_store(&desk.mailbox.stub, pushed);
	check_pop(&desk, 1);
	check_empty(&desk);
	close_desk(&desk);
}

/* ---- with threads ------------------------------------------------------------------------ */

enum { SENDERS = 4, EACH = 20000, SYSTEM_EACH = 200 };

struct crowd {
	struct desk desk;
	_Atomic uint32_t scheduled; /* how often somebody had to make the cell ready */
	struct wardi_sysmsg system[SENDERS][SYSTEM_EACH];
};

struct sender {
	struct crowd *crowd;
	uint64_t number;
	pthread_t thread;
};

static void *send_many(void *arg)
{
	struct sender *sender = arg;
	struct crowd *crowd = sender->crowd;
	struct wardi_mailbox *bounded = &crowd->desk.mailbox;
	for (uint64_t i = 0; i < EACH; i++) {
		if (wardi_mailbox_push(bounded, make(&crowd->desk, sender->number << 32 | i)))
			atomic_fetch_add(&crowd->scheduled, 1);
		if (i % (EACH / SYSTEM_EACH) != 0)
			continue;
		ward_assert(wardi_mailbox_link_system(
			bounded, &crowd->system[sender->number][i / (EACH / SYSTEM_EACH)]));
		if (wardi_mailbox_wake(bounded))
			atomic_fetch_add(&crowd->scheduled, 1);
	}
	return NULL;
}

WARD_TEST(senders_and_holder_hand_the_cell_over_and_lose_nothing, "S4")
{
	static struct crowd crowd;
	struct sender senders[SENDERS];
	uint64_t next[SENDERS] = {0}, got = 0, system = 0;
	struct ward_msg *msg = NULL;

	open_desk(&crowd.desk);
	struct wardi_mailbox *bounded = &crowd.desk.mailbox;
	ward_assert(wardi_mailbox_give_up(bounded, crowd.desk.from));
	for (uint64_t i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){.crowd = &crowd, .number = i};
		ward_assert_eq(pthread_create(&senders[i].thread, NULL, send_many, &senders[i]), 0);
	}
	while (got < SENDERS * EACH || system < SENDERS * SYSTEM_EACH) {
		/* A lost wake-up would leave us here for ever; the kit's limit ends that. */
		if (atomic_load(&crowd.scheduled) == 0) {
			sched_yield();
			continue;
		}
		ward_assert_eq(atomic_fetch_sub(&crowd.scheduled, 1), 1); /* never two holders */
		do {
			for (struct wardi_sysmsg *at = wardi_mailbox_take_system(bounded);
			     at != NULL; at = wardi_sysmsg_next(at))
				system++;
			while (wardi_mailbox_pop(bounded, crowd.desk.from, &msg) ==
			       WARDI_POP_MESSAGE) {
				uint64_t sender = number_of(msg) >> 32;
				ward_assert_eq(number_of(msg) & UINT32_MAX, next[sender]);
				next[sender]++;
				got++;
			}
		} while (!wardi_mailbox_give_up(bounded, crowd.desk.from));
		if (wardi_mailbox_take_back(bounded))
			atomic_fetch_add(&crowd.scheduled, 1);
	}
	for (int i = 0; i < SENDERS; i++)
		ward_assert_eq(pthread_join(senders[i].thread, NULL), 0);
	close_desk(&crowd.desk);
}

/* ---- closed by its owner ----------------------------------------------------------------- */

static struct ward_msg *make_tick(struct desk *desk)
{
	struct wardi_tick tick = {0, 0};

	return wardi_msg_make(desk->from, &wardi_type_tick, &tick, sizeof tick);
}

static int pick_all(struct desk *desk, wardi_next **at)
{
	struct ward_msg *msg;
	int count = 0;

	for (; wardi_mailbox_pick(&desk->mailbox, at, &msg) == WARDI_POP_MESSAGE; count++) {
		ward_assert(wardi_msg_type(msg) == &wardi_type_tick);
		wardi_msg_free(desk->from, msg);
	}
	return count;
}

WARD_TEST(what_passes_is_taken_out_from_between_and_the_rest_stays_in_order, "S128")
{
	/* The bits of a number: which of six messages pass. */
	for (unsigned bits = 0; bits < 64; bits++) {
		struct desk desk;
		wardi_next *at;

		open_desk(&desk);
		at = wardi_mailbox_tail(&desk.mailbox);
		for (unsigned i = 0; i < 6; i++) {
			struct ward_msg *msg = bits >> i & 1 ? make_tick(&desk) : make(&desk, i);

			wardi_mailbox_push(&desk.mailbox, msg);
			if (i == 2)
				ward_assert_eq(pick_all(&desk, &at), __builtin_popcount(bits & 7));
		}
		ward_assert_eq(pick_all(&desk, &at), __builtin_popcount(bits >> 3));
		for (unsigned i = 0; i < 6; i++)
			if ((bits >> i & 1) == 0)
				check_pop(&desk, i);
		check_empty(&desk);
		close_desk(&desk);
	}
}

WARD_TEST(cell_with_unread_mail_is_given_up_only_behind_all_that_was_looked_at, "S128")
{
	struct desk desk;
	wardi_next *at;
	bool idle, unread;

	open_desk(&desk);
	at = wardi_mailbox_tail(&desk.mailbox);
	wardi_mailbox_push(&desk.mailbox, make(&desk, 1));
	ward_assert_eq(pick_all(&desk, &at), 0);
	wardi_mailbox_push(&desk.mailbox, make_tick(&desk));
	ward_assert(!wardi_mailbox_give_up_behind(&desk.mailbox, at));
	ward_assert_eq(pick_all(&desk, &at), 1);
	ward_assert(wardi_mailbox_give_up_behind(&desk.mailbox, at));
	wardi_mailbox_look(&desk.mailbox, &idle, &unread);
	ward_assert(idle && unread);
	ward_assert(wardi_mailbox_push(&desk.mailbox, make_tick(&desk)));
	ward_assert_eq(pick_all(&desk, &at), 1);
	check_pop(&desk, 1);
	close_desk(&desk);
}

WARD_TEST_MAIN
