/* SPDX-License-Identifier: MIT
 *
 * timer_wheel.c - timers in slots of a millisecond.
 *
 *	level 5                                              [ ... 256 slots of 35 years ... ]
 *	level 4                                [ ... 256 slots of 50 days ... ]
 *	level 3                [ ... 256 slots of 4.7 hours ... ]
 *	level 2     [ ... 256 slots of 65.5 s ... ]
 *	level 1    [ ... 256 slots of 256 ms ... ]
 *	level 0   [ ... 256 slots of 1 ms ... ]
 *
 * When `now` enters the block of a slot above level 0, the timers of that slot move to lower
 * levels, in their order, a limited number in each call. Until the last has moved, a new timer of
 * that block queues up behind them: so it never overtakes one that was armed before it.
 *
 * A bit for each slot finds the next one with timers, and each slot above level 0 knows its
 * earliest time. So nobody wakes up only to move timers.
 */
#include "sched/timer_wheel.h"

#include "base/assert.h"

enum { BYTE = 8 };
_Static_assert(INT64_MAX / WARDI_SLOT_NS < INT64_C(1) << (BYTE * WARDI_WHEEL_LEVELS),
	       "every time has a slot");

/* Returns the level of a time, as seen from another: that of the highest byte that differs. */
static unsigned level_of(uint64_t time, uint64_t now)
{
	return time == now ? 0 : (63 - (unsigned)__builtin_clzll(time ^ now)) / BYTE;
}

static unsigned slot_at(uint64_t time, unsigned level)
{
	return (unsigned)(time >> (BYTE * level)) & (WARDI_WHEEL_SLOTS - 1);
}

static void mark_used(struct wardi_wheel *wheel, unsigned level, unsigned slot)
{
	wheel->used[level][slot / 64] |= UINT64_C(1) << (slot % 64);
}

static void mark_unused(struct wardi_wheel *wheel, unsigned level, unsigned slot)
{
	wheel->used[level][slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

/* Returns the first used slot from `slot` on; WARDI_WHEEL_SLOTS: none. */
static unsigned find_used(const struct wardi_wheel *wheel, unsigned level, unsigned slot)
{
	for (unsigned word = slot / 64; word < WARDI_WHEEL_WORDS; word++) {
		uint64_t bits = wheel->used[level][word];

		if (word == slot / 64)
			bits &= ~UINT64_C(0) << (slot % 64);
		if (bits != 0)
			return word * 64 + (unsigned)__builtin_ctzll(bits);
	}
	return WARDI_WHEEL_SLOTS;
}

void wardi_wheel_init(struct wardi_wheel *wheel, int64_t now_ns)
{
	*wheel = (struct wardi_wheel){.now = (uint64_t)now_ns / WARDI_SLOT_NS};
	wardi_list_init(&wheel->moving);
	for (unsigned level = 0; level < WARDI_WHEEL_LEVELS; level++)
		for (unsigned slot = 0; slot < WARDI_WHEEL_SLOTS; slot++)
			wardi_list_init(&wheel->slots[level][slot].timers);
}

/* ---- one timer --------------------------------------------------------------------------- */

static void put_in_slot(struct wardi_wheel *wheel, struct wardi_timer_node *node, uint64_t time,
			unsigned level)
{
	unsigned index = slot_at(time, level);
	struct wardi_wheel_slot *slot = &wheel->slots[level][index];

	if (wardi_list_empty(&slot->timers)) {
		mark_used(wheel, level, index);
		slot->first = time;
	} else if (time < slot->first) {
		slot->first = time;
	}
	node->level = (uint8_t)level;
	node->slot = (uint8_t)index;
	wardi_list_append(&slot->timers, &node->link);
}

/* Returns the time at which a timer is due, which is not before `now`. */
static uint64_t due_time(const struct wardi_wheel *wheel, const struct wardi_timer_node *node)
{
	uint64_t due = wardi_wheel_slot_of(node->deadline_ns);

	return due > wheel->now ? due : wheel->now;
}

int64_t wardi_wheel_insert(struct wardi_wheel *wheel, struct wardi_timer_node *node)
{
	uint64_t time = due_time(wheel, node);
	unsigned level = level_of(time, wheel->now);

	if (level < wheel->moving_from) {
		node->level = (uint8_t)wheel->moving_from;
		node->slot = (uint8_t)slot_at(wheel->now, wheel->moving_from);
		wardi_list_append(&wheel->moving, &node->link);
	} else {
		put_in_slot(wheel, node, time, level);
	}
	return (int64_t)time * WARDI_SLOT_NS;
}

/* Whether a timer is among those that move: above level 0 the slot of `now` has no others. */
static bool is_moving(const struct wardi_wheel *wheel, const struct wardi_timer_node *node)
{
	return node->level > 0 && node->level == wheel->moving_from &&
	       node->slot == slot_at(wheel->now, node->level);
}

void wardi_wheel_remove(struct wardi_wheel *wheel, struct wardi_timer_node *node)
{
	struct wardi_list *before = node->link.prev;
	struct wardi_list *after = node->link.next;

	before->next = after;
	after->prev = before;
	if (before != after)
		return;
	/* Only the head is left. */
	if (is_moving(wheel, node))
		wheel->moving_from = 0;
	else
		mark_unused(wheel, node->level, node->slot);
}

/* ---- time -------------------------------------------------------------------------------- */

/* The next slot with timers. */
struct next {
	unsigned level;
	unsigned slot;
	uint64_t time; /* its begin */
};

/* False: there are no timers, apart from those that are moving. */
static bool find_next(const struct wardi_wheel *wheel, struct next *ret_next)
{
	for (unsigned level = 0; level < WARDI_WHEEL_LEVELS; level++) {
		/* Above level 0 the slot of `now` is empty: its timers have moved. */
		unsigned slot = find_used(wheel, level, slot_at(wheel->now, level));

		if (slot == WARDI_WHEEL_SLOTS)
			continue;
		uint64_t block = wheel->now >> (BYTE * (level + 1)) << (BYTE * (level + 1));
		*ret_next = (struct next){level, slot, block | (uint64_t)slot << (BYTE * level)};
		return true;
	}
	return false;
}

/* Time has come to a slot, and no timer is left before it. If that is in another block, the timers
 * of the block begin to move: they all are in one slot, that of the highest byte that changes. */
static void go_to(struct wardi_wheel *wheel, uint64_t time)
{
	unsigned level = level_of(time, wheel->now);
	unsigned index = slot_at(time, level);

	wardi_assert(wheel->moving_from == 0 && time >= wheel->now);
	wheel->now = time;
	if (level == 0 || wardi_list_empty(&wheel->slots[level][index].timers))
		return;
	mark_unused(wheel, level, index);
	wardi_list_move(&wheel->moving, &wheel->slots[level][index].timers);
	wheel->moving_from = level;
}

/* Moves timers of the block that `now` has entered. False: the limit is reached. */
static bool move(struct wardi_wheel *wheel, unsigned *moves_left)
{
	while (wheel->moving_from != 0) {
		struct wardi_timer_node *node =
			wardi_container_of(wheel->moving.next, struct wardi_timer_node, link);
		uint64_t time = due_time(wheel, node);

		if (*moves_left == 0)
			return false;
		(*moves_left)--;
		__builtin_prefetch(node->link.next->next);
		wardi_wheel_remove(wheel, node);
		put_in_slot(wheel, node, time, level_of(time, wheel->now));
	}
	return true;
}

struct wardi_timer_node *wardi_wheel_pop(struct wardi_wheel *wheel, int64_t now_ns,
					 unsigned *moves_left)
{
	uint64_t now = (uint64_t)now_ns / WARDI_SLOT_NS;
	struct next next;

	for (;;) {
		if (!move(wheel, moves_left))
			return NULL;
		if (!find_next(wheel, &next) || next.time > now)
			break;
		if (next.time > wheel->now)
			go_to(wheel, next.time);
		if (next.level > 0)
			continue;
		struct wardi_list *link = wheel->slots[0][next.slot].timers.next;
		struct wardi_timer_node *node =
			wardi_container_of(link, struct wardi_timer_node, link);
		__builtin_prefetch(link->next);
		wardi_wheel_remove(wheel, node);
		return node;
	}
	if (now + 1 > wheel->now)
		go_to(wheel, now + 1);
	return NULL;
}

int64_t wardi_wheel_next(const struct wardi_wheel *wheel)
{
	struct next next;

	if (wheel->moving_from != 0)
		return (int64_t)wheel->now * WARDI_SLOT_NS;
	if (!find_next(wheel, &next))
		return INT64_MAX;
	if (next.level > 0)
		next.time = wheel->slots[next.level][next.slot].first;
	return (int64_t)next.time * WARDI_SLOT_NS;
}
