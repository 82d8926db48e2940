/* SPDX-License-Identifier: MIT
 *
 * hierarchy.c - the gardener and the nodes.
 *
 * Every callback begins with enter() and ends with leave() or with jump(): that is what the model
 * is told. An instance knows by itself which of its callbacks have run; on threads that is all
 * there is.
 */
#include "sim/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include <ward/testkit/check.h>

struct node_args {
	struct hierarchy *hierarchy;
	uint32_t depth; /* of the tree below it, at most */
	uint32_t width;
};
WARD_MESSAGE(node_args);

/* An instance; new in each incarnation. */
struct node {
	uint64_t instance;
	uint32_t calls[WARD_POINTS];
	bool over;  /* pre_restart or post_stop has run */
	bool pacts; /* the next ward_terminated is not handled */
};

static const ward_failure_class brittle = {.name = "brittle", .parent = &ward_exception};
static const ward_failure_class grave = {.name = "grave", .parent = &ward_error};

static const struct node_args *args_of(const ward_self *self)
{
	return ward_args(self);
}

static struct hierarchy *of(const ward_self *self)
{
	return args_of(self)->hierarchy;
}

static bool is_gardener(const ward_self *self)
{
	return ward_ref_equal(ward_self_ref(self), of(self)->gardener);
}

static uint32_t depth_of(const ward_self *self)
{
	return is_gardener(self) ? of(self)->depth : args_of(self)->depth;
}

static uint32_t width_of(const ward_self *self)
{
	return is_gardener(self) ? of(self)->width : args_of(self)->width;
}

static bool one_in(ward_self *self, uint64_t odds)
{
	/* Relaxed: when it is seen does not matter. */
	return !atomic_load_explicit(&of(self)->calm, memory_order_relaxed) && !is_gardener(self) &&
	       ward_random(self) % odds == 0;
}

/* ---- beginnings and ends of callbacks ----------------------------------------------------- */

static void enter_about(ward_self *self, void *state, ward_point point, ward_ref child)
{
	struct node *node = state;

	if (of(self)->model != NULL)
		model_enter(of(self)->model, ward_self_ref(self), point, child);
	if (node == NULL)
		return;
	ward_assert(point != WARD_POINT_INIT || node->instance == 0);
	ward_assert(!node->over || point == WARD_POINT_POST_STOP);
	ward_assert_eq(node->calls[point]++, 0);
	node->over = point == WARD_POINT_PRE_RESTART || point == WARD_POINT_POST_STOP;
}

static void enter(ward_self *self, void *state, ward_point point)
{
	enter_about(self, state, point, ward_nobody());
}

/* The callback is over. What it failed with itself comes before what it was made to fail with. */
static void over(ward_self *self, ward_point point, struct model_outcome outcome)
{
	struct hierarchy *h = of(self);

	if (h->model == NULL)
		return;
	if (h->fails_after == point || outcome.jumped) {
		if (h->fails_after == point &&
		    (outcome.failed == NULL || outcome.failed == &ward_death_pact))
			outcome.failed = &ward_injected;
		h->fails_after = WARD_POINTS;
	}
	model_leave(h->model, ward_self_ref(self), point, &outcome);
}

static ward_result leave(ward_self *self, ward_point point, ward_result result,
			 const ward_failure_class *failed)
{
	over(self, point, (struct model_outcome){.failed = failed});
	return result;
}

WARD_NORETURN static void jump(ward_self *self, ward_point point, const ward_failure_class *failed)
{
	over(self, point, (struct model_outcome){.failed = failed, .jumped = true});
	ward_fail(self, failed, "jumped out of %s", ward_point_text(point));
}

static ward_result fail(ward_self *self, ward_point point)
{
	static const ward_failure_class *const classes[] = {
		&ward_exception, &ward_exception, &brittle, &brittle, &grave, &ward_error,
	};
	const ward_failure_class *failed = classes[ward_random(self) % 6];

	if (ward_random(self) % 2 == 0)
		jump(self, point, failed);
	return leave(self, point,
		     ward_failed(self, failed, "returned by %s", ward_point_text(point)), failed);
}

/* Ends a callback, well or not. */
static ward_result end(ward_self *self, ward_point point)
{
	if (one_in(self, of(self)->odds))
		return fail(self, point);
	return leave(self, point, WARD_DONE, NULL);
}

/* ---- deciding ---------------------------------------------------------------------------- */

static void send_ping(ward_self *self, ward_ref to, uint32_t wish, uint32_t hops);

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	static const ward_directive choices[] = {
		WARD_RESTART, WARD_RESTART, WARD_RESTART,  WARD_RESTART,   WARD_RESUME,
		WARD_RESUME,  WARD_STOP,    WARD_ESCALATE, WARD_UNDECIDED,
	};
	ward_directive choice = choices[ward_random(self) % (sizeof choices / sizeof choices[0])];

	ward_assert(strlen(ward_failure_text(failure)) > 0);
	enter_about(self, NULL, WARD_POINT_DECIDE, child);
	if (one_in(self, 24))
		jump(self, WARD_POINT_DECIDE, &brittle);
	/* Without the model nobody would see to it that it is decided in the end. */
	if (of(self)->model != NULL && one_in(self, 6)) {
		choice = WARD_LATER;
		send_ping(self, ward_self_ref(self), WISH_DECIDE, 0);
	}
	over(self, WARD_POINT_DECIDE, (struct model_outcome){.directive = choice});
	return choice;
}

static const ward_strategy strategies[] = {
	{.decide = decide},
	{.decide = decide, .scope = WARD_ALL_FOR_ONE},
	{.decide = decide, .otherwise = WARD_RESTART, .restarts_max = 3},
	{.decide = decide,
	 .scope = WARD_ALL_FOR_ONE,
	 .otherwise = WARD_RESUME,
	 .restarts_max = 5,
	 .window_ms = 5},
	{.rules = {{&ward_exception, WARD_RESTART},
		   {&brittle, WARD_RESUME},
		   {&ward_error, WARD_ESCALATE}}},
	{.rules = {{&ward_initialization, WARD_RESTART},
		   {&ward_post_restart, WARD_RESUME},
		   {&grave, WARD_RESTART}},
	 .scope = WARD_ALL_FOR_ONE,
	 .restarts_max = 8},
	{.rules = {{&brittle, WARD_ESCALATE}, {&ward_killed, WARD_RESTART}},
	 .decide = decide,
	 .otherwise = WARD_STOP,
	 .restarts_max = WARD_RESTARTS_NONE},
	{.rules = {{&ward_error, WARD_RESTART}},
	 .otherwise = WARD_RESTART,
	 .restarts_max = 2,
	 .window_ms = 20},
};
enum { STRATEGIES = sizeof strategies / sizeof strategies[0] + 2 };

static const ward_strategy *any_strategy(ward_self *self)
{
	uint64_t which = ward_random(self) % STRATEGIES;

	if (which == 0)
		return &ward_default_strategy;
	return which == 1 ? &ward_stopping_strategy : &strategies[which - 2];
}

/* Whatever comes up to the gardener ends there. */
static const ward_strategy garden = {
	.rules = {{&ward_initialization, WARD_STOP}, {&brittle, WARD_RESUME}},
	.otherwise = WARD_RESTART,
};

/* ---- children ---------------------------------------------------------------------------- */

static const ward_behavior node_behavior;

/* False: no memory. */
static bool watch(ward_self *self, ward_ref who)
{
	ward_err err = ward_try_watch(self, who);

	ward_assert(err == WARD_OK || err == WARD_ENOMEM);
	if (err == WARD_OK && of(self)->model != NULL)
		model_watch(of(self)->model, ward_self_ref(self), who);
	return err == WARD_OK;
}

/* Nobody: it was refused. */
static ward_ref spawn(ward_self *self, const char *name)
{
	uint32_t depth = depth_of(self) - 1;
	const ward_strategy *strategy = any_strategy(self);
	struct node_args args = {of(self), depth, 0};
	ward_ref child = ward_nobody();

	if (depth > 0)
		args.width = 1 + (uint32_t)(ward_random(self) % of(self)->width);
	ward_err err = ward_try_spawn(self,
				      WARD_PROPS(&node_behavior, .name = name,
						 .args = {WARD_COPY(node_args, &args)},
						 .child_strategy = strategy),
				      &child);
	ward_assert(err == WARD_OK || err == WARD_ENOMEM || err == WARD_ELIMIT);
	if (err != WARD_OK)
		return ward_nobody();
	if (of(self)->model != NULL)
		model_spawned(of(self)->model, ward_self_ref(self), child, strategy);
	hierarchy_remember(of(self), child);
	return child;
}

/* Those that are missing come again under the same name. False: one of them could not. */
static bool fill(ward_self *self)
{
	for (uint32_t i = 0; i < width_of(self); i++) {
		char name[] = {'c', (char)('0' + i), '\0'};
		ward_ref child = ward_child(self, name);

		if (ward_ref_is_nobody(child))
			child = spawn(self, name);
		if (ward_ref_is_nobody(child) || !watch(self, child))
			return is_gardener(self);
	}
	return true;
}

static ward_ref any_child(ward_self *self)
{
	ward_ref children[16];
	size_t count = ward_children(self, children, 16);

	return count == 0 ? ward_nobody() : children[ward_random(self) % count];
}

static void stop(ward_self *self, ward_ref who)
{
	if (of(self)->model != NULL)
		model_stop(of(self)->model, ward_self_ref(self), who);
	ward_stop(self, who);
}

/* ---- hooks ------------------------------------------------------------------------------- */

static ward_result node_init(ward_self *self, void *state, const void *args)
{
	struct node *node = state;

	(void)args;
	enter(self, node, WARD_POINT_INIT);
	node->instance =
		1 + atomic_fetch_add_explicit(&of(self)->instances, 1, memory_order_relaxed);
	return end(self, WARD_POINT_INIT);
}

static ward_result node_pre_start(ward_self *self, void *state)
{
	enter(self, state, WARD_POINT_PRE_START);
	if (!fill(self))
		return fail(self, WARD_POINT_PRE_START);
	return end(self, WARD_POINT_PRE_START);
}

static ward_result node_post_stop(ward_self *self, void *state)
{
	const struct node *node = state;

	/* The last one of a restart has its children still: they are told to stop (S32). */
	ward_assert(node->over || ward_children(self, NULL, 0) == 0);
	enter(self, state, WARD_POINT_POST_STOP);
	return end(self, WARD_POINT_POST_STOP);
}

/* Ends a hook in which a default hook has failed. */
static ward_result failed_inside(ward_self *self, ward_point point)
{
	/* Which class it was the model knows from inside. */
	return leave(self, point, WARD_FAILED, &ward_exception);
}

static ward_result node_pre_restart(ward_self *self, void *state, const ward_failure *why,
				    const ward_msg *msg)
{
	(void)msg;
	enter(self, state, WARD_POINT_PRE_RESTART);
	ward_assert(strlen(ward_failure_text(why)) > 0);
	switch (ward_random(self) % 4) {
	case 0: /* keeps all */
		break;
	case 1: /* keeps all but one */
		stop(self, any_child(self));
		break;
	case 2: /* gets half way */
		stop(self, any_child(self));
		if (one_in(self, 1))
			return fail(self, WARD_POINT_PRE_RESTART);
		break;
	default:
		if (of(self)->model != NULL)
			model_default_pre_restart(of(self)->model, ward_self_ref(self));
		if (ward_default_pre_restart(self) != WARD_DONE)
			return failed_inside(self, WARD_POINT_PRE_RESTART);
		break;
	}
	return end(self, WARD_POINT_PRE_RESTART);
}

static ward_result node_post_restart(ward_self *self, void *state, const ward_failure *why)
{
	enter(self, state, WARD_POINT_POST_RESTART);
	ward_assert(strlen(ward_failure_text(why)) > 0);
	if (ward_random(self) % 4 == 0)
		(void)fill(self);
	else if (ward_default_post_restart(self) != WARD_DONE)
		return failed_inside(self, WARD_POINT_POST_RESTART);
	return end(self, WARD_POINT_POST_RESTART);
}

/* ---- mail -------------------------------------------------------------------------------- */

static void send_ping(ward_self *self, ward_ref to, uint32_t wish, uint32_t hops)
{
	struct hierarchy *h = of(self);
	uint64_t number = atomic_fetch_add_explicit(&h->pings, 1, memory_order_relaxed);

	if (h->model != NULL)
		model_sent(h->model, ward_self_ref(self), to, MODEL_PING, number);
	ward_tell(self, to, ping, .number = number, .wish = wish, .hops = hops);
}

static void decide_later(ward_self *self)
{
	static const ward_directive choices[] = {WARD_RESUME, WARD_RESTART, WARD_RESTART, WARD_STOP,
						 WARD_ESCALATE};
	ward_ref children[16];
	size_t count = ward_children(self, children, 16);

	for (size_t i = 0; i < count && i < 16; i++) {
		ward_directive choice = choices[ward_random(self) % 5];
		struct model *model = of(self)->model;
		ward_err wanted = WARD_ENOENT;

		if (model != NULL)
			wanted =
				model_decide_later(model, ward_self_ref(self), children[i], choice);
		ward_err err = ward_decide(self, children[i], choice);
		/* Without the model nothing is put off, and nobody knows whom it told to stop. */
		ward_assert(err == wanted || (model == NULL && err == WARD_ESTOPPING));
	}
}

static ward_result obey(ward_self *self, struct node *node, const struct ping *ping)
{
	struct hierarchy *h = of(self);
	bool may_fail = !atomic_load_explicit(&h->calm, memory_order_relaxed) && !is_gardener(self);
	ward_ref other = hierarchy_anybody(h, ward_self_system(self), ward_random(self));

	switch (ping->wish) {
	case WISH_FAIL:
		if (may_fail)
			return fail(self, WARD_POINT_RECEIVE);
		break;
	case WISH_STOP:
		if (may_fail)
			stop(self, ward_self_ref(self));
		break;
	case WISH_PRUNE:
		stop(self, any_child(self));
		break;
	case WISH_FILL:
		if (!fill(self))
			return fail(self, WARD_POINT_RECEIVE);
		break;
	case WISH_RELAY:
		if (ping->hops > 0)
			send_ping(self, other, (uint32_t)(ward_random(self) % WISHES),
				  ping->hops - 1);
		break;
	case WISH_WATCH:
		(void)watch(self, other);
		break;
	case WISH_UNWATCH:
		if (h->model != NULL)
			model_unwatch(h->model, ward_self_ref(self), other);
		ward_unwatch(self, other);
		break;
	case WISH_DECIDE:
		decide_later(self);
		break;
	case WISH_PACT:
		node->pacts = may_fail;
		break;
	default:
		break;
	}
	return end(self, WARD_POINT_RECEIVE);
}

static void check_children(ward_self *self)
{
	ward_ref children[64];
	size_t count = ward_children(self, children, 64);

	if (of(self)->model != NULL)
		model_children(of(self)->model, ward_self_ref(self), children, count);
}

static ward_result node_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct node *node = state;
	struct hierarchy *h = of(self);
	const struct ping *ping = ward_match(msg, ping);
	const struct hail *hail = ward_match(msg, hail);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	ward_assert(node->instance != 0 && !node->over);
	if (hail != NULL) {
		ward_answer(self, msg, hail, .value = hail->value);
		return WARD_DONE;
	}
	if (h->model != NULL)
		model_receive(h->model, ward_self_ref(self), ping != NULL ? ping->number : 0,
			      gone != NULL ? gone->who : ward_nobody());
	check_children(self);
	if (ping != NULL) {
		hierarchy_fate(h, ping->number, &h->handled);
		return obey(self, node, ping);
	}
	ward_assert(gone != NULL);
	if (node->pacts && one_in(self, 1))
		return leave(self, WARD_POINT_RECEIVE, WARD_UNHANDLED, &ward_death_pact);
	if (!fill(self))
		return fail(self, WARD_POINT_RECEIVE);
	return end(self, WARD_POINT_RECEIVE);
}

static const ward_behavior node_behavior = {
	.name = "node",
	.state_size = sizeof(struct node),
	.args = &ward_type_node_args,
	.init = node_init,
	.pre_start = node_pre_start,
	.receive = node_receive,
	.post_stop = node_post_stop,
	.pre_restart = node_pre_restart,
	.post_restart = node_post_restart,
};

/* ---- the gardener ------------------------------------------------------------------------ */

static ward_result gardener_init(ward_self *self, void *state, const void *args)
{
	const struct node_args *mine = args;
	struct hierarchy *h = mine->hierarchy;

	h->gardener = ward_self_ref(self);
	h->dice = ward_random(self);
	h->depth = (h->small ? 1 : 3) + (uint32_t)(hierarchy_draw(&h->dice) % 3);
	h->width = (h->small ? 1 : 3) + (uint32_t)(hierarchy_draw(&h->dice) % 3);
	h->odds = 10 + (uint32_t)(hierarchy_draw(&h->dice) % 40);
	hierarchy_remember(h, h->gardener); /* from here on there is somebody to ping */
	if (h->model != NULL) {
		model_spawned(h->model, ward_nobody(), h->gardener, &garden);
		model_turn(h->model, h->gardener, ward_now_ns(self));
	}
	return node_init(self, state, args);
}

ward_props hierarchy_props(struct hierarchy *hierarchy)
{
	static ward_behavior gardener;
	static struct node_args args;

	gardener = node_behavior;
	gardener.name = "gardener";
	gardener.init = gardener_init;
	args = (struct node_args){.hierarchy = hierarchy};
	return (ward_props){.behavior = &gardener,
			    .name = "garden",
			    .args = {WARD_COPY(node_args, &args)},
			    .child_strategy = &garden};
}
