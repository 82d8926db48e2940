/* SPDX-License-Identifier: MIT
 *
 * storm_family.h - the stormers: their children, supervision and hooks; and the list of all deeds.
 */
#ifndef ATTACK_STORM_FAMILY_H
#define ATTACK_STORM_FAMILY_H

#include <ward/akka_zero.h>
#include <ward/otp.h>

#include "attack/storm_deeds.h"

enum { DEPTH = 4, CHILDREN = 5 };

static const ward_failure_class storm_failure = {.name = "storm_failure",
						 .parent = &ward_exception};
static const ward_failure_class storm_error = {.name = "storm_error", .parent = &ward_error};
static const ward_behavior stormer;

static bool draw_one_in(ward_self *self, uint64_t count)
{
	return ward_random(self) % count == 0;
}

static bool spend(void)
{
	atomic_fetch_add_explicit(&storm.deeds, 1, memory_order_relaxed);
	return atomic_fetch_sub_explicit(&storm.budget, 1, memory_order_relaxed) > 0;
}

/* ---- failing ----------------------------------------------------------------------------- */

static const ward_failure_class *draw_class(ward_self *self)
{
	return draw_one_in(self, 30) ? &storm_error : &storm_failure;
}

static void deed_fail(ward_self *self, struct stormer *me)
{
	struct load load;

	if (draw_one_in(self, 2))
		ward_fail(self, draw_class(self), "jumped");
	draw_load(self, me, &load);
	ward_fail_body(self, draw_class(self), load.type, load.bytes, load.size, "jumped, with it");
}

static void deed_note_failure(ward_self *self, struct stormer *me)
{
	struct load load;

	draw_load(self, me, &load);
	(void)!ward_failed_body(self, draw_class(self), load.type, load.bytes, load.size, "noted");
}

static ward_directive storm_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	static const ward_directive drawn[] = {WARD_RESUME,   WARD_RESTART,  WARD_RESTART,
					       WARD_STOP,     WARD_ESCALATE, WARD_LATER,
					       WARD_UNDECIDED};
	struct stormer *me = ward_state(self);
	ward_directive directive = drawn[ward_random(self) % 7];

	(void)failure;
	if (!spend())
		return WARD_STOP;
	if (draw_one_in(self, 20))
		ward_fail(self, draw_class(self), "could not decide");
	if (directive != WARD_LATER)
		return directive;
	me->undecided = child;
	return ward_try_timer_start(self, &(ward_timer){.key = 7, .after_ms = 2},
				    WARD_BODY(puff)) == WARD_OK
		       ? WARD_LATER
		       : WARD_STOP;
}

static void deed_decide(ward_self *self, struct stormer *me)
{
	ward_directive directive = (ward_directive)(ward_random(self) % 6);

	any(ward_decide(self, me->undecided, directive));
}

static const ward_strategy top_strategy = {.otherwise = WARD_RESTART};
static const ward_strategy strategies[] = {
	{.decide = storm_decide},
	{.decide = storm_decide, .scope = WARD_ALL_FOR_ONE},
	{.decide = storm_decide, .restarts_max = 2, .window_ms = 10},
	{.decide = storm_decide, .restarts_max = 1, .limit = WARD_LIMIT_NOTIFY},
	{.decide = storm_decide, .restarts_max = 2, .window_ms = 5, .limit = WARD_LIMIT_SLIDING},
	{.scope = WARD_ALL_FOR_ONE,
	 .decide = storm_decide,
	 .limit = WARD_LIMIT_INTENSITY,
	 .restarts_max = 2,
	 .window_ms = 10},
};

/* ---- children ---------------------------------------------------------------------------- */

static int depth_of(const ward_self *self)
{
	const struct stormer_args *args = ward_args(self);

	return args == NULL ? DEPTH : args->depth;
}

static ward_props child_props(ward_self *self, struct stormer_args *args)
{
	static const char *const names[] = {"one", "two", NULL, NULL};
	uint64_t dice = ward_random(self);
	ward_props props = {
		.behavior = &stormer,
		.name = names[dice % 4],
		.args = {WARD_COPY(stormer_args, args)},
		.child_strategy = &strategies[(dice >> 4) % 6],
		.stash_max = (dice >> 8) % 2 == 0 ? 3 : 0,
		.memory_max = (dice >> 10) % 8 == 0 ? 5000 : 0,
		.dispatcher = (dice >> 20) % 8 == 0   ? WARD_BLOCKING
			      : (dice >> 20) % 8 == 1 ? WARD_PINNED
						      : NULL,
	};

	if ((dice >> 30) % 3 == 0) {
		props.mailbox.messages_max = 1 + (uint32_t)(dice >> 32) % 4;
		props.mailbox.overflow = (ward_overflow)((dice >> 34) % 4);
	}
	props.mailbox.control_first = (dice >> 36) % 4 == 0;
	props.mailbox.counted = (dice >> 38) % 4 == 0;
	return props;
}

static bool may_spawn(ward_self *self)
{
	return depth_of(self) < DEPTH && ward_children(self, NULL, 0) < CHILDREN;
}

static void deed_spawn(ward_self *self, struct stormer *me)
{
	struct stormer_args args = {.depth = depth_of(self) + 1};
	ward_props props = child_props(self, &args);
	ward_ref child;
	ward_err err;

	if (!may_spawn(self))
		return;
	args.cargo.block = own_block();
	err = draw_one_in(self, 3) ? ward_try_spawn_link(self, &props, &child)
				   : ward_try_spawn(self, &props, &child);
	stormer_args_drop(&args);
	if (err == WARD_OK)
		know(self, me, child);
}

static void deed_spawn_router(ward_self *self, struct stormer *me)
{
	static const char *const paths[] = {"*", "/user/one"};
	struct stormer_args args = {.depth = DEPTH};
	uint64_t dice = ward_random(self);
	struct ward_router router = {
		.routing = (ward_routing)(dice % 6), .timeout_ms = 5, .interval_ms = 1};
	ward_props props = {.behavior = &ward_pool, .args = {WARD_COPY(ward_router, &router)}};
	ward_ref child;

	if (!may_spawn(self))
		return;
	router.routee = child_props(self, &args);
	router.routee.name = NULL;
	router.routees = 1 + (uint32_t)(dice >> 8) % 3;
	/* Without members: among them might be routers, and mail go round for ever. */
	if ((dice >> 16) % 3 == 0) {
		router = (struct ward_router){.routing = WARD_ROUTE_BROADCAST,
					      .paths = paths,
					      .paths_count = (uint32_t)(dice >> 18) % 3};
		props.behavior = &ward_group;
	}
	if (ward_try_spawn(self, &props, &child) == WARD_OK)
		know(self, me, child);
}

static void deed_manage(ward_self *self, struct stormer *me)
{
	ward_ref to = draw_known(self, me);

	if (draw_one_in(self, 2))
		ward_tell(self, to, ward_adjust_pool,
			  .change = (int32_t)(ward_random(self) % 4) - 2);
	else
		ward_tell(self, to, ward_remove_routee, .routee = draw_known(self, me));
}

static void deed_spawn_backoff(ward_self *self, struct stormer *me)
{
	struct stormer_args args = {.depth = DEPTH};
	struct ward_backoff options = {.min_backoff_ms = 1,
				       .max_backoff_ms = 4,
				       .random_factor = 0.5,
				       .retries_max = 2,
				       .stash_max = (uint32_t)(ward_random(self) % 3)};
	ward_props props;
	ward_ref child;

	if (!may_spawn(self))
		return;
	options.child = child_props(self, &args);
	props = draw_one_in(self, 2) ? *WARD_PROPS(&ward_backoff_on_stop,
						   .args = {WARD_COPY(ward_backoff, &options)})
				     : *WARD_PROPS(&ward_backoff_on_failure,
						   .args = {WARD_COPY(ward_backoff, &options)});
	if (ward_try_spawn(self, &props, &child) == WARD_OK)
		know(self, me, child);
}

static void deed_spawn_supervisor(ward_self *self, struct stormer *me)
{
	struct stormer_args args = {.depth = DEPTH};
	uint64_t dice = ward_random(self);
	ward_otp_child_spec children[] = {
		{.id = "a", .props = child_props(self, &args), .shutdown_ms = 5},
		{.id = "b",
		 .props = child_props(self, &args),
		 .restart = (ward_otp_restart)(dice % 3),
		 .shutdown_ms = WARD_OTP_BRUTAL},
		{.id = NULL},
	};
	ward_otp_supervisor table = {.strategy = (ward_otp_strategy)((dice >> 8) % 3),
				     .intensity = 2,
				     .window_ms = 1 * WARD_SECOND,
				     .children = children};
	ward_ref child;

	if (!may_spawn(self))
		return;
	children[0].props.name = children[1].props.name = NULL;
	if (ward_try_spawn(self,
			   WARD_PROPS(&ward_otp_behavior,
				      .args = {WARD_COPY(ward_otp_supervisor, &table)}),
			   &child) == WARD_OK)
		know(self, me, child);
}

/* ---- the rest ---------------------------------------------------------------------------- */

static ward_result stormer_receive(ward_self *self, void *state, const ward_msg *msg);
static ward_result other_receive(ward_self *self, void *state, const ward_msg *msg);

static void deed_become(ward_self *self, struct stormer *me)
{
	(void)me;
	if (draw_one_in(self, 2))
		ward_become(self, other_receive);
	else
		any(ward_try_become_stacked(self, other_receive));
}

static void deed_unbecome(ward_self *self, struct stormer *me)
{
	(void)me;
	ward_unbecome(self);
}

static void deed_subscribe(ward_self *self, struct stormer *me)
{
	(void)me;
	any(ward_try_subscribe(self, draw_one_in(self, 2) ? 0 : WARD_EVENT_ALL & ~WARD_EVENT_NOTE));
}

static void deed_status(ward_self *self, struct stormer *me)
{
	(void)me;
	if (draw_one_in(self, 3))
		ward_status_clear(self);
	else if (draw_one_in(self, 2))
		ward_status_set(self, "in %d", 3);
	else
		ward_status_countdown(self, INT64_MAX, "{} {}");
}

/* Not that of services: one that waits for a decision would hold up the end for ever. */
static void deed_join(ward_self *self, struct stormer *me)
{
	(void)me;
	any(ward_try_shutdown_join(self, "service-stop", "storm"));
}

static void deed_pick(ward_self *self, struct stormer *me)
{
	(void)self;
	me->picky = !me->picky;
}

static void deed_end_system(ward_self *self, struct stormer *me)
{
	(void)me;
	if (storm.ends && draw_one_in(self, 200))
		ward_system_shutdown(ward_self_system(self), "the storm is over");
}

static const deed_fn deeds[] = {
	deed_send,
	deed_try_send,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_forward,
	deed_select,
	deed_select_forward,
	deed_identify,
	deed_dead_letter,
	deed_broadcast,
	deed_stash,
	deed_unstash,
	deed_unstash_all,
	deed_stash_clear,
	deed_make,
	deed_take,
	deed_give,
	deed_give,
	deed_watch,
	deed_watch_with,
	deed_unwatch,
	deed_link,
	deed_unlink,
	deed_trap,
	deed_exit,
	deed_exit_self,
	deed_stop,
	deed_stop_self,
	deed_pill,
	deed_kill,
	deed_ask,
	deed_ask_pipe,
	deed_ask_cancel,
	deed_stop_gracefully,
	deed_retry,
	deed_retry_cancel,
	deed_breaker,
	deed_breaker_call,
	deed_deliver,
	deed_confirm,
	deed_take_delivery,
	deed_timer,
	deed_timer_delay,
	deed_timer_rate,
	deed_timer_cancel,
	deed_send_after,
	deed_receive_timeout,
	deed_receive_timeout_cancel,
	deed_alloc,
	deed_defer,
	deed_run_deferred,
	deed_fds,
	deed_fd_watch,
	deed_fd_end,
	deed_fail,
	deed_note_failure,
	deed_decide,
	deed_spawn,
	deed_spawn,
	deed_spawn,
	deed_spawn_router,
	deed_manage,
	deed_spawn_backoff,
	deed_spawn_supervisor,
	deed_become,
	deed_unbecome,
	deed_subscribe,
	deed_status,
	deed_join,
	deed_pick,
	deed_end_system,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_gust,
	deed_spawn,
	deed_spawn,
	deed_spawn,
	deed_spawn,
	deed_send,
	deed_send,
	deed_send,
	deed_send,
	deed_select,
	deed_timer_delay,
	deed_timer_rate,
	deed_ask,
	deed_ask,
	deed_give,
	deed_stash,
	deed_make,
};
enum { DEEDS = sizeof deeds / sizeof deeds[0] };

static ward_result do_some(ward_self *self, struct stormer *me, int count)
{
	for (int i = 0; i < count; i++)
		if (spend())
			deeds[ward_random(self) % DEEDS](self, me);
	if (spend() && draw_one_in(self, 15))
		return ward_failed(self, draw_class(self), "returned");
	return WARD_DONE;
}

/* ---- callbacks --------------------------------------------------------------------------- */

static ward_result patterns(ward_self *self, struct stormer *me, const ward_msg *msg)
{
	ward_result result = ward_retry_receive(self, &me->retry, msg);

	if (result == WARD_UNHANDLED)
		result = ward_breaker_receive(self, &me->breaker, msg);
	if (result == WARD_UNHANDLED)
		result = ward_delivery_receive(self, &me->delivery, msg);
	return result;
}

static ward_result stormer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct stormer *me = state;
	const struct gust *gust = ward_match(msg, gust);
	int left = gust != NULL ? gust->left : 1;
	ward_result result;

	me->sender = ward_msg_sender(msg);
	me->known[ward_random(self) % KNOWN] = gust != NULL ? gust->who : ward_msg_sender(msg);
	result = patterns(self, me, msg);
	if (result != WARD_UNHANDLED)
		return result;
	result = do_some(self, me, left);
	if (result == WARD_DONE && me->picky && draw_one_in(self, 2))
		return WARD_UNHANDLED;
	return result;
}

static ward_result other_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct load load;

	draw_load(self, state, &load);
	ward_send(self, ward_msg_sender(msg), load.type, load.bytes, load.size);
	return stormer_receive(self, state, msg);
}

static ward_result stormer_init(ward_self *self, void *state, const void *args)
{
	static const ward_retry_options retry = {
		.tries_max = 3, .try_timeout_ms = 3, .delay_min_ms = 1};
	static const ward_breaker_options breaker = {
		.failures_max = 2, .call_timeout_ms = 3, .reset_ms = 4};
	static const ward_delivery_options delivery = {.redeliver_ms = 3, .unconfirmed_max = 4};
	struct stormer *me = state;

	(void)args;
	for (int i = 0; i < KNOWN; i++)
		me->known[i] = i % 2 == 0 ? look_up(ward_random(self)) : ward_self_ref(self);
	if (ward_retry_init(self, &me->retry, &retry) != WARD_DONE ||
	    ward_breaker_init(self, &me->breaker, &breaker) != WARD_DONE ||
	    ward_delivery_init(self, &me->delivery, &delivery) != WARD_DONE)
		return WARD_FAILED;
	return do_some(self, me, 1);
}

static ward_result stormer_pre_start(ward_self *self, void *state)
{
	return do_some(self, state, 2);
}

static ward_result stormer_post_stop(ward_self *self, void *state)
{
	return do_some(self, state, 2);
}

static ward_result stormer_pre_restart(ward_self *self, void *state, const ward_failure *why,
				       const ward_msg *msg)
{
	struct stormer *me = state;

	(void)why;
	any(ward_try_delivery_keep(self, &me->delivery, msg));
	if (draw_one_in(self, 2))
		return do_some(self, me, 2);
	(void)!ward_default_pre_restart(self);
	return do_some(self, me, 1);
}

static ward_result stormer_post_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)why;
	if (draw_one_in(self, 2))
		return ward_default_post_restart(self);
	return do_some(self, state, 1);
}

static const ward_behavior stormer = {
	.name = "stormer",
	.state_size = sizeof(struct stormer),
	.args = &ward_type_stormer_args,
	.init = stormer_init,
	.receive = stormer_receive,
	.pre_start = stormer_pre_start,
	.post_stop = stormer_post_stop,
	.pre_restart = stormer_pre_restart,
	.post_restart = stormer_post_restart,
};

#endif
