/* SPDX-License-Identifier: MIT
 *
 * test_priority.c - the order in which the messages of a bounded mailbox wait, and what makes room.
 *
 * Method: random pushes, pops and drops, on the order and on a plain array that is searched from
 * end to end; both must give the same message each time.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "mail/priority.h"

enum { WAITING_MAX = 2000, STEPS = 20000 };

struct waiting {
	struct ward_msg *msg;
	int64_t rank;
	uint64_t arrival;
};

struct model {
	struct wardi_alloc alloc;
	struct wardi_priority_queue order;
	struct waiting waiting[WAITING_MAX];
	size_t count;
	uint64_t arrivals;
};

static void start(struct model *m)
{
	memset(m, 0, sizeof *m);
	wardi_alloc_init(&m->alloc, NULL, true);
}

static void push(struct model *m, int64_t rank, bool special)
{
	struct ward_msg *msg = aligned_alloc(16, sizeof *msg);
	ward_assert(msg != NULL);
	memset(msg, 0, sizeof *msg);
	msg->type = special ? WARDI_MSG_AUTO_RECEIVED : 0;
	ward_assert(wardi_priority_reserve(&m->order, &m->alloc, rank));
	wardi_priority_push(&m->order, msg, rank);
	m->waiting[m->count++] = (struct waiting){msg, rank, m->arrivals++};
}

static void forget(struct model *m, size_t at)
{
	free(m->waiting[at].msg);
	memmove(&m->waiting[at], &m->waiting[at + 1], (--m->count - at) * sizeof(m->waiting[0]));
}

static void pop(struct model *m)
{
	struct ward_msg *msg = wardi_priority_pop(&m->order, &m->alloc);
	size_t first = 0;
	if (m->count == 0) {
		ward_assert(msg == NULL);
		return;
	}
	for (size_t i = 1; i < m->count; i++) /* the array is in order of arrival */
		if (m->waiting[i].rank < m->waiting[first].rank)
			first = i;
	ward_assert(msg == m->waiting[first].msg);
	forget(m, first);
}

static size_t ordinary(const struct model *m)
{
	size_t count = 0;
	for (size_t i = 0; i < m->count; i++)
		count += !wardi_msg_is_auto_received(m->waiting[i].msg);
	return count;
}

static void make_room(struct model *m, int64_t rank)
{
	struct ward_msg *msg = wardi_priority_make_room(&m->order, rank);
	size_t least = m->count;
	for (size_t i = 0; i < m->count; i++)
		if (!wardi_msg_is_auto_received(m->waiting[i].msg) &&
		    (least == m->count || m->waiting[i].rank > m->waiting[least].rank))
			least = i;
	if (m->waiting[least].rank < rank) {
		ward_assert(msg == NULL);
		return;
	}
	ward_assert(msg == m->waiting[least].msg);
	forget(m, least);
}

static int64_t draw_rank(void)
{
	static const int64_t ranks[] = {WARDI_RANK_CONTROL, INT32_MIN, -7, -1, 0, 0, 1, 2,
					INT32_MAX};
	return ranks[(size_t)rand() % (sizeof ranks / sizeof ranks[0])];
}

WARD_TEST(order_gives_what_a_search_of_all_gives)
{
	static struct model m;
	start(&m);
	srand((unsigned)ward_test_seed());
	size_t most = 0, dropped = 0;
	for (int i = 0; i < STEPS; i++) {
		/* It grows in one half of the time, and drains in the other. */
		bool grows = i / 1000 % 2 == 0;
		int draw = rand() % 8;
		if (draw < (grows ? 5 : 1) && m.count < WAITING_MAX) {
			push(&m, draw_rank(), false);
		} else if (draw == 5) {
			push(&m, 0, true);
		} else if (draw == 6 && ordinary(&m) > 0) {
			size_t before = m.count;
			make_room(&m, draw_rank());
			dropped += before - m.count;
		} else {
			pop(&m);
		}
		ward_assert_eq(wardi_priority_empty(&m.order), m.count == 0);
		most = m.count > most ? m.count : most;
	}
	ward_assert(most > 200 && dropped > 100);
	while (m.count > 0)
		pop(&m);
	pop(&m);
	wardi_priority_finish(&m.order, &m.alloc);
	ward_assert_eq(m.alloc.blocks, 0);
}

WARD_TEST(order_without_priorities_takes_no_memory)
{
	static struct model m;
	start(&m);
	for (int i = 0; i < 1000; i++)
		push(&m, i % 3 == 0 ? WARDI_RANK_CONTROL : 0, i % 3 == 1);
	ward_assert_eq(m.alloc.blocks, 0);
	while (m.count > 0)
		pop(&m);
	wardi_priority_finish(&m.order, &m.alloc);
}

WARD_TEST(order_gives_back_what_a_burst_took)
{
	static struct model m;
	start(&m);
	for (int i = 0; i < 10; i++)
		push(&m, 1, false);
	while (m.count > 0)
		pop(&m);
	ward_assert_eq(m.alloc.blocks, 1); /* a little is kept for the next ones */
	for (int i = 0; i < 1000; i++)
		push(&m, 1, false);
	while (m.count > 0)
		pop(&m);
	ward_assert_eq(m.alloc.blocks, 0);
	push(&m, 1, false);
	pop(&m);
	wardi_priority_finish(&m.order, &m.alloc);
	ward_assert_eq(m.alloc.blocks, 0);
}

static void *no_alloc(void *arg, size_t size)
{
	(void)arg;
	ward_test_fail(__FILE__, __LINE__, "asked for %zu bytes", size);
}

static void no_free(void *arg, void *ptr, size_t size)
{
	(void)arg;
	(void)ptr;
	(void)size;
}

WARD_TEST(order_at_the_end_of_numbers_has_no_place)
{
	static const ward_allocator none = {.alloc = no_alloc, .free = no_free};
	static struct model m;
	start(&m);
	wardi_alloc_init(&m.alloc, &none, true);
	m.order.ranked = m.order.room = UINT32_MAX / 2 + 1;
	ward_assert(!wardi_priority_reserve(&m.order, &m.alloc, 1));
	ward_assert(wardi_priority_reserve(&m.order, &m.alloc, 0));
	ward_assert(wardi_priority_reserve(&m.order, &m.alloc, WARDI_RANK_CONTROL));
}

WARD_TEST(room_is_made_behind_special_ones_also_at_the_end_of_the_line)
{
	static struct model m;
	start(&m);
	push(&m, 0, true);
	push(&m, 0, true);
	push(&m, 0, false);
	make_room(&m, 0); /* the last of the line */
	push(&m, 0, true);
	push(&m, 0, false);
	push(&m, 0, false);
	make_room(&m, 0); /* one in the middle */
	ward_assert_eq(m.count, 4);
	while (m.count > 0)
		pop(&m);
	pop(&m);
	wardi_priority_finish(&m.order, &m.alloc);
}

WARD_TEST_MAIN
