/* SPDX-License-Identifier: MIT
 *
 * hierarchy_world.c - what all of the tree share: refs, fates of pings; and the acts from outside.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/testkit/check.h>

#include "sim/hierarchy.h"

enum { YOUNG = 100 };

struct hierarchy *hierarchy_create(void)
{
	struct hierarchy *h = calloc(1, sizeof *h);

	ward_assert(h != NULL);
	h->fails_after = WARD_POINTS;
	atomic_store_explicit(&h->calm, true, memory_order_relaxed);
	ward_assert_eq(pthread_mutex_init(&h->mu, NULL), 0);
	return h;
}

void hierarchy_destroy(struct hierarchy *h)
{
	pthread_mutex_destroy(&h->mu);
	free(h);
}

bool hierarchy_is_planted(struct hierarchy *h)
{
	pthread_mutex_lock(&h->mu);
	bool planted = h->refs_count > 0;
	pthread_mutex_unlock(&h->mu);
	return planted;
}

uint64_t hierarchy_draw(uint64_t *dice)
{
	uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* ---- refs and fates ---------------------------------------------------------------------- */

void hierarchy_remember(struct hierarchy *h, ward_ref ref)
{
	pthread_mutex_lock(&h->mu);
	ward_assert(h->model == NULL || h->refs_count < HIERARCHY_REFS_MAX);
	h->refs[h->refs_count++ % HIERARCHY_REFS_MAX] = ref;
	pthread_mutex_unlock(&h->mu);
}

static ward_ref one_of(struct hierarchy *h, uint64_t dice)
{
	ward_ref ref;

	pthread_mutex_lock(&h->mu);
	/* The young are more often alive. */
	size_t count = h->refs_count < HIERARCHY_REFS_MAX ? h->refs_count : HIERARCHY_REFS_MAX;
	if (dice % 4 != 0 && count > YOUNG)
		ref = h->refs[(h->refs_count - 1 - dice / 4 % YOUNG) % HIERARCHY_REFS_MAX];
	else
		ref = h->refs[dice / 4 % count];
	pthread_mutex_unlock(&h->mu);
	return ref;
}

ward_ref hierarchy_anybody(struct hierarchy *h, ward_system *system, uint64_t dice)
{
	ward_ref ref = one_of(h, dice);

	for (int i = 1; i < 5 && !ward_system_is_alive(system, ref); i++)
		ref = one_of(h, hierarchy_draw(&dice));
	return ref;
}

void hierarchy_fate(struct hierarchy *h, uint64_t number, _Atomic uint64_t *of_these)
{
	ward_assert(number < HIERARCHY_FATES_MAX);
	ward_assert_eq(atomic_exchange_explicit(&h->fates[number], 1, memory_order_relaxed), 0);
	atomic_fetch_add_explicit(of_these, 1, memory_order_relaxed);
}

/* ---- from outside ------------------------------------------------------------------------ */

void hierarchy_ping(struct hierarchy *h, ward_system *system, ward_ref to, enum wish wish)
{
	uint64_t number = atomic_fetch_add_explicit(&h->pings, 1, memory_order_relaxed);

	if (h->model != NULL)
		model_sent(h->model, ward_nobody(), to, MODEL_PING, number);
	ward_system_tell(system, to, ping, .number = number, .wish = wish, .hops = 3);
}

void hierarchy_act(struct hierarchy *h, ward_system *system, uint64_t dice)
{
	ward_ref who = hierarchy_anybody(h, system, dice >> 16);

	if (ward_ref_equal(who, h->gardener) || dice % 64 >= 4) {
		hierarchy_ping(h, system, who, (enum wish)(dice / 64 % (2 * WISHES)));
	} else if (dice % 64 == 0) {
		if (h->model != NULL)
			model_stop(h->model, ward_nobody(), who);
		ward_system_stop(system, who);
	} else if (dice % 64 == 1) {
		if (h->model != NULL)
			model_sent(h->model, ward_nobody(), who, MODEL_PILL, 0);
		ward_system_tell(system, who, ward_poison_pill);
	} else {
		if (h->model != NULL)
			model_sent(h->model, ward_nobody(), who, MODEL_KILL, 0);
		ward_system_tell(system, who, ward_kill);
	}
}

void hierarchy_log(void *arg, const ward_event *event)
{
	struct hierarchy *h = arg;

	if (event->kind == WARD_EVENT_DEAD_LETTER && strcmp(event->message_type, "ping") == 0) {
		const struct ping *ping = (const void *)event->bytes;

		hierarchy_fate(h, ping->number, &h->dead);
	}
	if (h->model != NULL)
		model_event(h->model, event);
}
