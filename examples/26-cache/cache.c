/* SPDX-License-Identifier: MIT
 *
 * cache.c - an actor that keeps values for a limited time.
 *
 * Each entry has a deadline. A get() compares the deadline with the clock, so no expired value is
 * returned, even when timers are late. The timer only frees slots that nobody asks for.
 *
 * A restart empties the cache. A cache may forget, so there is nothing to save.
 */
#include "cache.h"

#include <string.h>

enum { SWEEP = 1, SWEEP_MS = 1000 };
WARD_SIGNAL(sweep);

struct slot {
	char key[KEY_TEXT]; /* "": free */
	int value;
	ward_deadline expires;
};

struct cache {
	struct slot slots[CACHE_SLOTS];
};

static bool is_expired(const ward_self *self, const struct slot *slot)
{
	return ward_deadline_left_ms(self, slot->expires) == 0;
}

static struct slot *find(struct cache *me, const char *key)
{
	for (int i = 0; i < CACHE_SLOTS; i++)
		if (strncmp(me->slots[i].key, key, KEY_TEXT) == 0)
			return &me->slots[i];
	return NULL;
}

/* The slot of this key, else a free slot, else the slot that would expire first. */
static struct slot *slot_for(struct cache *me, const char *key)
{
	struct slot *slot = find(me, key);

	if (!slot)
		slot = find(me, "");
	if (!slot) {
		slot = me->slots;
		for (int i = 1; i < CACHE_SLOTS; i++)
			if (me->slots[i].expires.at_ns < slot->expires.at_ns)
				slot = &me->slots[i];
	}
	return slot;
}

/* The tree of the system shows the text beside the cache: see ward_system_tree(). */
static ward_result sweep_slots(ward_self *self, struct cache *me)
{
	int used = 0;

	for (int i = 0; i < CACHE_SLOTS; i++) {
		if (is_expired(self, &me->slots[i]))
			me->slots[i] = (struct slot){0};
		used += me->slots[i].key[0] != '\0';
	}
	ward_status_set(self, "%d of %d slots in use", used, CACHE_SLOTS);
	return WARD_DONE;
}

static ward_result cache_start(ward_self *self, void *state)
{
	(void)state;
	ward_every(self, SWEEP, SWEEP_MS, sweep);
	return WARD_DONE;
}

static ward_result cache_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct cache *me = state;
	const struct put *put = ward_match(msg, put);
	const struct get *get = ward_match(msg, get);
	struct slot *slot;

	if (put) {
		slot = slot_for(me, put->key);
		memcpy(slot->key, put->key, KEY_TEXT);
		slot->value = put->value;
		slot->expires = ward_deadline_in(self, put->ttl_ms);
		return ward_answer(self, msg, put);
	}
	if (get) {
		slot = find(me, get->key);
		if (!slot || is_expired(self, slot))
			return ward_answer(self, msg, get, .found = false);
		return ward_answer(self, msg, get, .found = true, .value = slot->value);
	}
	return ward_match(msg, sweep) ? sweep_slots(self, me) : WARD_UNHANDLED;
}

const ward_behavior cache = {.name = "cache",
			     .state_size = sizeof(struct cache),
			     .pre_start = cache_start,
			     .receive = cache_receive};
