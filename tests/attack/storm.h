/* SPDX-License-Identifier: MIT
 *
 * storm.h - actors of which each draws what it does next from all that an actor may do.
 *
 * A gust travels from actor to actor with a ref, and makes its receiver do a few of the deeds. All
 * deeds together have a budget, so that a storm ends; messages that own something are counted, so
 * that what is lost or dropped twice is seen.
 */
#ifndef ATTACK_STORM_H
#define ATTACK_STORM_H

#include <stdlib.h>
#include <string.h>

#include <ward/backoff.h>
#include <ward/breaker.h>
#include <ward/delivery.h>
#include <ward/retry.h>
#include <ward/router.h>

#include "support/stress.h"

enum { KNOWN = 8, BODIES = 3, DEFERS = 3, TIMERS = 3, BOOK = 16 };

/* What all storms of a process share. */
static struct {
	_Atomic int64_t budget; /* of deeds */
	_Atomic int64_t owned;  /* blocks that messages own */
	bool threads;           /* real ones */
	bool ends;              /* deeds may end the system */
	_Atomic uint64_t deeds;
	pthread_mutex_t mu;
	ward_ref book[BOOK]; /* under mu: whom everybody knows */
} storm = {.mu = PTHREAD_MUTEX_INITIALIZER};

static ward_ref look_up(uint64_t dice)
{
	pthread_mutex_lock(&storm.mu);
	ward_ref ref = storm.book[dice % BOOK];
	pthread_mutex_unlock(&storm.mu);
	return ref;
}

static void enter_in_book(uint64_t dice, ward_ref ref)
{
	pthread_mutex_lock(&storm.mu);
	storm.book[dice % BOOK] = ref;
	pthread_mutex_unlock(&storm.mu);
}

/* ---- messages ---------------------------------------------------------------------------- */

struct gust {
	ward_ref who;
	int32_t left;
};
WARD_MESSAGE_FLAT(gust);
WARD_SIGNAL(puff);

struct cargo {
	char *block;
};
struct parcel {
	char *block;
	char bytes[200];
};

static char *own_block(void)
{
	atomic_fetch_add_explicit(&storm.owned, 1, memory_order_relaxed);
	return calloc(1, 16);
}

static void drop_block(char *block)
{
	if (block == NULL)
		return;
	block[0]++;
	atomic_fetch_sub_explicit(&storm.owned, 1, memory_order_relaxed);
	free(block);
}

static void cargo_drop(struct cargo *cargo)
{
	drop_block(cargo->block);
}
static ward_err cargo_clone(struct cargo *to, const struct cargo *from)
{
	to->block = from->block == NULL ? NULL : own_block();
	return WARD_OK;
}
WARD_MESSAGE_CLONE(cargo, cargo_drop, cargo_clone);

static void parcel_drop(struct parcel *parcel)
{
	drop_block(parcel->block);
}
WARD_MESSAGE_DROP(parcel, parcel_drop);

static void tail_drop(void *body)
{
	drop_block(((struct cargo *)body)->block);
}
static const ward_type ward_type_tail = {
	.name = "tail", .size = sizeof(struct cargo), .size_max = 3001, .drop = tail_drop};
static const ward_type ward_type_speck = {.name = "speck", .size_max = 1};

/* A body that is drawn, with its type. */
struct load {
	const ward_type *type;
	size_t size;
	_Alignas(16) char bytes[3008];
};

static const ward_type *const load_types[] = {
	&ward_type_gust,
	&ward_type_puff,
	&ward_type_cargo,
	&ward_type_parcel,
	&ward_type_tail,
	&ward_type_speck,
	&ward_type_gust,
	&ward_type_cargo,
	&ward_type_gust,
	&ward_type_ward_poison_pill,
	&ward_type_ward_kill,
	&ward_type_ward_identify,
	&ward_type_ward_terminated,
	&ward_type_ward_fd_ready,
	&ward_type_ward_receive_timeout,
	&ward_type_ward_exited,
	&ward_type_ward_event,
	&ward_type_ward_identity,
	&ward_type_ward_ask_failed,
	&ward_type_ward_delivered,
	&ward_type_ward_get_routees,
	&ward_type_ward_restarts_exceeded,
	&ward_type_ward_shutdown_task,
};
enum { LOAD_TYPES = sizeof load_types / sizeof load_types[0], PLAIN_LOADS = 9 };

static void fill_load(struct load *load, uint64_t dice, int32_t left, ward_ref who)
{
	/* Half of them are the program's own. */
	size_t index = dice % 2 == 0 ? (dice >> 8) % PLAIN_LOADS : (dice >> 8) % LOAD_TYPES;

	memset(load, 0, sizeof *load);
	load->type = load_types[index];
	load->size = load->type->size;
	if (load->type == &ward_type_gust)
		*(struct gust *)(void *)load->bytes = (struct gust){who, left};
	else if (load->type->drop != NULL)
		((struct cargo *)(void *)load->bytes)->block = own_block();
	if (load->type == &ward_type_tail)
		load->size += (dice >> 20) % 2000;
	if (load->type == &ward_type_speck)
		load->size = (dice >> 20) % 2;
}

/* A call that takes its body only if it went well did not take this. */
static void drop_load(struct load *load)
{
	if (load->type->drop != NULL)
		load->type->drop(load->bytes);
}

/* ---- state ------------------------------------------------------------------------------- */

struct stormer_args {
	int32_t depth;
	struct cargo cargo;
};
static void stormer_args_drop(struct stormer_args *args)
{
	drop_block(args->cargo.block);
}
static ward_err stormer_args_clone(struct stormer_args *to, const struct stormer_args *from)
{
	return cargo_clone(&to->cargo, &from->cargo);
}
WARD_MESSAGE_CLONE(stormer_args, stormer_args_drop, stormer_args_clone);

struct stormer {
	ward_ref known[KNOWN];
	void *bodies[BODIES]; /* made or taken, and not given on */
	const ward_type *types[BODIES];
	ward_deferred defers[DEFERS];
	int fds[2];
	ward_retry retry;
	ward_breaker breaker;
	ward_delivery delivery;
	ward_ref undecided;
	ward_ref sender; /* of the last message */
	bool picky;
};

static ward_ref draw_known(ward_self *self, const struct stormer *me)
{
	uint64_t dice = ward_random(self);
	ward_ref children[4];
	size_t count;

	switch (dice % 8) {
	case 0:
		return ward_self_ref(self);
	case 1:
		return (dice >> 8) % 4 == 0 ? ward_parent(self) : look_up(dice >> 12);
	case 2:
		return me->sender;
	case 4:
	case 5:
		return look_up(dice >> 8);
	case 3:
		count = ward_children(self, children, 4);
		return count == 0 ? ward_nobody() : children[(dice >> 8) % (count < 4 ? count : 4)];
	default:
		return me->known[(dice >> 8) % KNOWN];
	}
}

static void know(ward_self *self, struct stormer *me, ward_ref who)
{
	uint64_t dice = ward_random(self);

	me->known[dice % KNOWN] = who;
	if ((dice >> 8) % 2 == 0)
		enter_in_book(dice >> 16, who);
}

static void draw_load(ward_self *self, const struct stormer *me, struct load *load)
{
	fill_load(load, ward_random(self), 3, draw_known(self, me));
}

#endif
