/* SPDX-License-Identifier: MIT
 *
 * storm_deeds.h - the deeds of a storm: sending, keeping, watching, asking, timers, descriptors.
 */
#ifndef ATTACK_STORM_DEEDS_H
#define ATTACK_STORM_DEEDS_H

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <ward/extend.h>

#include "attack/storm.h"

typedef void (*deed_fn)(ward_self *self, struct stormer *me);

/* What a deed answers is of no interest: it may be refused. */
static void any(ward_err err)
{
	(void)err;
}

static const char *draw_path(ward_self *self)
{
	static const char *const paths[] = {"../*",    "*",     "**", "../..", "../*/*",
					    "/user/*", "/user", "",   "/*/?*", "../one"};

	return paths[ward_random(self) % (sizeof paths / sizeof paths[0])];
}

/* ---- sending ----------------------------------------------------------------------------- */

static void deed_send(ward_self *self, struct stormer *me)
{
	struct load load;

	draw_load(self, me, &load);
	ward_send(self, draw_known(self, me), load.type, load.bytes, load.size);
}

static void deed_try_send(ward_self *self, struct stormer *me)
{
	struct load load;

	draw_load(self, me, &load);
	if (ward_try_send(self, draw_known(self, me), load.type, load.bytes, load.size) != WARD_OK)
		drop_load(&load);
}

static void deed_gust(ward_self *self, struct stormer *me)
{
	ward_tell(self, draw_known(self, me), gust, .who = draw_known(self, me),
		  .left = 1 + (int32_t)(ward_random(self) % 4));
}

static void deed_forward(ward_self *self, struct stormer *me)
{
	ward_forward(self, draw_known(self, me));
}

static void deed_select(ward_self *self, struct stormer *me)
{
	struct load load;

	draw_load(self, me, &load);
	ward_select_send(self, draw_path(self), load.type, load.bytes, load.size);
}

static void deed_select_forward(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_select_forward(self, draw_path(self));
}

static void deed_identify(ward_self *self, struct stormer *me)
{
	ward_tell(self, draw_known(self, me), ward_identify, .tag = 1);
}

static void deed_dead_letter(ward_self *self, struct stormer *me)
{
	ward_dead_letter(self, draw_known(self, me), WARD_REASON_DEAD);
}

static void deed_broadcast(ward_self *self, struct stormer *me)
{
	struct load load;

	fill_load(&load, ward_random(self), 3, draw_known(self, me));
	any(ward_try_broadcast_send(self, draw_known(self, me), load.type, load.bytes, load.size));
}

/* ---- keeping ----------------------------------------------------------------------------- */

static void deed_stash(ward_self *self, struct stormer *me)
{
	(void)me;
	any(ward_try_stash(self));
}

static void deed_unstash(ward_self *self, struct stormer *me)
{
	(void)me;
	(void)ward_unstash(self);
}

static void deed_unstash_all(ward_self *self, struct stormer *me)
{
	(void)me;
	(void)ward_unstash_all(self);
}

static void deed_stash_clear(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_stash_clear(self);
}

static int free_place(const struct stormer *me)
{
	for (int i = 0; i < BODIES; i++)
		if (me->bodies[i] == NULL)
			return i;
	return -1;
}

static void deed_make(ward_self *self, struct stormer *me)
{
	int i = free_place(me);
	struct load load;

	if (i < 0)
		return;
	fill_load(&load, ward_random(self), 3, draw_known(self, me));
	me->bodies[i] = ward_make_body(self, load.type, load.size);
	me->types[i] = load.type;
	if (me->bodies[i] == NULL)
		drop_load(&load);
	else
		memcpy(me->bodies[i], load.bytes, load.size);
}

static void take_any(ward_self *self, struct stormer *me, int i)
{
	for (int t = 0; t < LOAD_TYPES && me->bodies[i] == NULL; t++) {
		me->types[i] = load_types[t];
		me->bodies[i] = ward_take_body(self, load_types[t]);
	}
}

static void deed_take(ward_self *self, struct stormer *me)
{
	int i = free_place(me);

	if (i >= 0)
		take_any(self, me, i);
}

static void deed_give(ward_self *self, struct stormer *me)
{
	uint64_t dice = ward_random(self);
	size_t i = dice % BODIES;
	ward_ref to = draw_known(self, me), sender = draw_known(self, me);

	if (me->bodies[i] == NULL)
		return;
	switch ((dice >> 8) % 5) {
	case 0:
		ward_give_body(self, to, me->types[i], me->bodies[i]);
		break;
	case 1:
		ward_give_body_from(self, sender, to, me->types[i], me->bodies[i]);
		break;
	case 2:
		ward_select_give_body_from(self, sender, draw_path(self), me->types[i],
					   me->bodies[i]);
		break;
	case 3:
		if (ward_try_give_body_from(self, sender, to, me->types[i], me->bodies[i]) !=
		    WARD_OK)
			return;
		break;
	default:
		ward_discard(self, me->bodies[i]);
		break;
	}
	me->bodies[i] = NULL;
}

/* ---- watching, linking, ending ----------------------------------------------------------- */

static void deed_watch(ward_self *self, struct stormer *me)
{
	any(ward_try_watch(self, draw_known(self, me)));
}

static void deed_watch_with(ward_self *self, struct stormer *me)
{
	struct load load;

	draw_load(self, me, &load);
	any(ward_try_watch_with_send(self, draw_known(self, me), load.type, load.bytes, load.size));
}

static void deed_unwatch(ward_self *self, struct stormer *me)
{
	ward_unwatch(self, draw_known(self, me));
}

static void deed_link(ward_self *self, struct stormer *me)
{
	any(ward_try_link(self, draw_known(self, me)));
}

static void deed_unlink(ward_self *self, struct stormer *me)
{
	ward_unlink(self, draw_known(self, me));
}

static void deed_trap(ward_self *self, struct stormer *me)
{
	(void)me;
	(void)ward_trap_exit(self, ward_random(self) % 2 == 0);
}

static void deed_exit(ward_self *self, struct stormer *me)
{
	ward_exit_reason reason = {.kind = ward_random(self) % 8, .name = "because"};

	any(ward_exit(self, draw_known(self, me), &reason));
}

static void deed_exit_self(ward_self *self, struct stormer *me)
{
	ward_exit_reason reason = {.kind = ward_random(self) % 8, .name = "because"};

	(void)me;
	any(ward_try_exit_self(self, &reason));
}

static void deed_stop(ward_self *self, struct stormer *me)
{
	ward_stop(self, draw_known(self, me));
}

static void deed_stop_self(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_stop_self(self);
}

static void deed_pill(ward_self *self, struct stormer *me)
{
	ward_tell(self, draw_known(self, me), ward_poison_pill);
}

static void deed_kill(ward_self *self, struct stormer *me)
{
	ward_tell(self, draw_known(self, me), ward_kill);
}

/* ---- asking ------------------------------------------------------------------------------ */

static void ask(ward_self *self, struct stormer *me, ward_ref answer_to)
{
	uint64_t dice = ward_random(self);
	ward_question question = {.to = draw_known(self, me),
				  .timeout_ms = dice % 4 == 0 ? WARD_FOREVER : 1 + (dice >> 8) % 20,
				  .tag = (dice >> 16) % 4,
				  .answer_to = answer_to};
	struct load load;

	draw_load(self, me, &load);
	any(ward_try_ask_send(self, &question, load.type, load.bytes, load.size));
}

static void deed_ask(ward_self *self, struct stormer *me)
{
	ask(self, me, ward_nobody());
}

static void deed_ask_pipe(ward_self *self, struct stormer *me)
{
	ask(self, me, draw_known(self, me));
}

static void deed_ask_cancel(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_ask_cancel(self, ward_random(self) % 4);
}

static void deed_stop_gracefully(ward_self *self, struct stormer *me)
{
	any(ward_try_ask_stop(self, draw_known(self, me), 1 + ward_random(self) % 3, 5));
}

static void deed_retry(ward_self *self, struct stormer *me)
{
	ward_question question = {.to = draw_known(self, me), .tag = 10 + ward_random(self) % 2};
	struct load load;

	draw_load(self, me, &load);
	any(ward_try_retry_ask_send(self, &me->retry, &question, load.type, load.bytes, load.size));
}

static void deed_retry_cancel(ward_self *self, struct stormer *me)
{
	ward_retry_cancel(self, &me->retry, 10 + ward_random(self) % 2);
}

static void deed_breaker(ward_self *self, struct stormer *me)
{
	ward_question question = {.to = draw_known(self, me), .tag = 20 + ward_random(self) % 2};
	struct load load;

	draw_load(self, me, &load);
	any(ward_breaker_ask_send(self, &me->breaker, &question, load.type, load.bytes, load.size));
}

static void deed_breaker_call(ward_self *self, struct stormer *me)
{
	ward_breaker_call call;

	if (ward_breaker_allow(self, &me->breaker, &call) != WARD_OK)
		ward_breaker_cancel(self, &me->breaker, 20);
	else if (ward_random(self) % 2 == 0)
		ward_breaker_success(self, &me->breaker, call);
	else
		ward_breaker_failure(self, &me->breaker, call);
}

static void deed_deliver(ward_self *self, struct stormer *me)
{
	struct load load;

	draw_load(self, me, &load);
	any(ward_try_deliver_send(self, &me->delivery, draw_known(self, me), load.type, load.bytes,
				  load.size));
}

static void deed_confirm(ward_self *self, struct stormer *me)
{
	(void)ward_delivery_confirm(self, &me->delivery,
				    ward_delivery_next(&me->delivery) - 1 - ward_random(self) % 3);
}

static void deed_take_delivery(ward_self *self, struct stormer *me)
{
	ward_delivery_state *state;

	if (ward_delivery_take(&me->delivery, &state) != WARD_OK)
		return;
	any(ward_try_delivery_restore(self, &me->delivery, state));
	ward_delivery_state_drop(state);
}

/* ---- timers ------------------------------------------------------------------------------ */

static void timer(ward_self *self, struct stormer *me, ward_timer_mode mode)
{
	uint64_t dice = ward_random(self);
	struct load load;

	draw_load(self, me, &load);
	any(ward_try_timer_start(self,
				 &(ward_timer){.key = 1 + dice % TIMERS,
					       .mode = mode,
					       .after_ms = 1 + (int64_t)((dice >> 8) % 10),
					       .every_ms = mode == WARD_TIMER_ONCE ? 0 : 3},
				 load.type, load.bytes, load.size));
}

static void deed_timer(ward_self *self, struct stormer *me)
{
	timer(self, me, WARD_TIMER_ONCE);
}

static void deed_timer_delay(ward_self *self, struct stormer *me)
{
	timer(self, me, WARD_TIMER_FIXED_DELAY);
}

static void deed_timer_rate(ward_self *self, struct stormer *me)
{
	timer(self, me, WARD_TIMER_FIXED_RATE);
}

static void deed_timer_cancel(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_timer_cancel(self, ward_random(self) % (1 + TIMERS));
}

static void deed_send_after(ward_self *self, struct stormer *me)
{
	uint64_t dice = ward_random(self);
	ward_timer_mode mode = (ward_timer_mode)((dice >> 16) % 3);
	struct load load;

	draw_load(self, me, &load);
	/* One that repeats has a key, so that there are few. */
	any(ward_try_timer_start(self,
				 &(ward_timer){.key = mode == WARD_TIMER_ONCE
							      ? (dice >> 8) % (1 + TIMERS)
							      : 1 + (dice >> 8) % TIMERS,
					       .mode = mode,
					       .after_ms = 1 + (int64_t)(dice % 10),
					       .to = draw_known(self, me)},
				 load.type, load.bytes, load.size));
}

static void deed_receive_timeout(ward_self *self, struct stormer *me)
{
	(void)me;
	any(ward_try_receive_timeout_set(self, 1 + (int64_t)(ward_random(self) % 10)));
}

static void deed_receive_timeout_cancel(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_receive_timeout_set(self, 0);
}

/* ---- what an incarnation owns ------------------------------------------------------------ */

static void deed_alloc(ward_self *self, struct stormer *me)
{
	static const size_t sizes[] = {0, 1, 100, 4000, 20000, 100000};

	(void)me;
	(void)ward_alloc(self, sizes[ward_random(self) % 6]);
	(void)ward_scratch(self, sizes[ward_random(self) % 6]);
}

static void release_block(void *block)
{
	drop_block(block);
}

static void deed_defer(ward_self *self, struct stormer *me)
{
	size_t i = ward_random(self) % DEFERS;
	char *block = own_block();

	if (ward_try_defer(self, release_block, block, &me->defers[i]) != WARD_OK)
		drop_block(block);
}

static void deed_run_deferred(ward_self *self, struct stormer *me)
{
	ward_run_deferred(self, me->defers[ward_random(self) % DEFERS]);
}

static void deed_fds(ward_self *self, struct stormer *me)
{
	int fds[2];

	if (me->fds[0] != 0 || pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return;
	close(fds[1]);
	ward_adopt_fd(self, fds[0]); /* it may jump */
	me->fds[0] = fds[0];
	me->fds[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (me->fds[1] >= 0)
		ward_adopt_fd(self, me->fds[1]);
}

static void deed_fd_watch(ward_self *self, struct stormer *me)
{
	uint64_t dice = ward_random(self);

	if (me->fds[0] == 0)
		return;
	any(ward_try_fd_watch(self, me->fds[dice % 2], 1 + (uint32_t)((dice >> 8) % 3)));
	if ((dice >> 16) % 2 == 0)
		(void)!write(me->fds[1], "abcdefg", 8);
}

static void deed_fd_end(ward_self *self, struct stormer *me)
{
	uint64_t dice = ward_random(self);

	if (me->fds[0] == 0)
		return;
	ward_fd_unwatch(self, me->fds[dice % 2]);
	if ((dice >> 8) % 2 != 0)
		return;
	any(ward_close_fd(self, me->fds[0]));
	if (ward_release_fd(self, me->fds[1]) == WARD_OK)
		close(me->fds[1]);
	memset(me->fds, 0, sizeof me->fds);
}

#endif
