/* SPDX-License-Identifier: MIT
 *
 * test_ownership.c - what a message owns is dropped exactly once, whatever becomes of the message.
 *
 * Method: things of four sizes, one for each way that a body is kept in memory. Each path is walked
 * with each size, on an actor that is told what to do with the thing it gets.
 */
#include <stdio.h>
#include <string.h>

#include "support/elsewhere.h"
#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

enum { SIZES = 4, THING_MAX = 500 };

struct thing {
	int64_t number;
	unsigned char rest[THING_MAX - 8];
};

static int dropped, dropped_number;

static void drop_thing(void *body)
{
	dropped++;
	dropped_number = (int)((struct thing *)body)->number;
}

static const ward_type things[SIZES] = {
	{.name = "tiny", .size = 8, .drop = drop_thing},
	{.name = "small", .size = 48, .drop = drop_thing},
	{.name = "middle", .size = 112, .drop = drop_thing},
	{.name = "big", .size = THING_MAX, .drop = drop_thing},
};

static const ward_type *thing_type(const ward_msg *msg)
{
	for (int i = 0; i < SIZES; i++)
		if (ward_msg_body(msg, &things[i]) != NULL)
			return &things[i];
	return NULL;
}

/* ---- an actor that is told what to do ---------------------------------------------------- */

enum action {
	HANDLE,
	LEAVE_UNHANDLED,
	FAIL,
	JUMP,
	FORWARD,
	FORWARD_AND_FAIL,
	TAKE_AND_DISCARD,
	TAKE_AND_KEEP,
	TAKE_AND_GIVE,
	TAKE_AND_FAIL,
	STOP_ITSELF,
};

struct stage {
	ward_kit *kit;
	const ward_type *type;
	enum action action;
	ward_ref subject, other; /* other takes what is passed on, and handles it */
	int arrived;
};

struct stage_args {
	struct stage *stage;
};
WARD_MESSAGE(stage_args);

static struct stage *stage_of(const ward_self *self)
{
	return ((const struct stage_args *)ward_args(self))->stage;
}

static ward_result subject_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct stage *stage = stage_of(self);
	const ward_type *type = thing_type(msg);
	struct thing *taken;
	(void)state;
	ward_assert(type == stage->type);
	ward_assert_eq(dropped, 0);
	switch (stage->action) {
	case HANDLE:
		ward_assert_eq(((const struct thing *)ward_msg_body(msg, type))->number, 42);
		return WARD_DONE;
	case LEAVE_UNHANDLED:
		return WARD_UNHANDLED;
	case FAIL:
		return ward_failed(self, &bad_luck, "told to");
	case JUMP:
		ward_fail(self, &bad_luck, "told to");
	case FORWARD:
	case FORWARD_AND_FAIL:
		ward_forward(self, stage->other);
		ward_forward(self, stage->other); /* once only */
		ward_assert(ward_take_body(self, type) == NULL);
		break;
	case TAKE_AND_DISCARD:
	case TAKE_AND_KEEP:
	case TAKE_AND_GIVE:
	case TAKE_AND_FAIL:
		ward_assert(ward_take_body(self, &ward_type_script_word) == NULL);
		taken = ward_take_body(self, type);
		ward_assert(taken != NULL && taken->number == 42);
		ward_assert(ward_take_body(self, type) == NULL);
		ward_assert(type->size < THING_MAX || ward_msg_body(msg, type) == NULL);
		ward_forward(self, stage->other); /* nothing is left to forward */
		if (stage->action == TAKE_AND_DISCARD)
			ward_discard(self, taken);
		if (stage->action == TAKE_AND_GIVE)
			ward_give_body(self, stage->other, type, taken);
		break;
	case STOP_ITSELF:
		ward_stop(self, ward_self_ref(self));
		break;
	}
	if (stage->action == FORWARD_AND_FAIL || stage->action == TAKE_AND_FAIL)
		return ward_failed(self, &bad_luck, "told to");
	return WARD_DONE;
}

static ward_result other_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct stage *stage = stage_of(self);
	(void)state;
	ward_assert_eq(dropped, 0);
	ward_assert_eq(((const struct thing *)ward_msg_body(msg, stage->type))->number, 42);
	stage->arrived++;
	return WARD_DONE;
}

static const ward_behavior subject_behavior = {
	.name = "subject", .args = &ward_type_stage_args, .receive = subject_receive};
static const ward_behavior other_behavior = {
	.name = "other", .args = &ward_type_stage_args, .receive = other_receive};

static void open_stage(struct stage *stage, int size, enum action action,
		       const ward_strategy *strategy)
{
	struct stage_args args = {stage};
	*stage = (struct stage){.type = &things[size], .action = action};
	dropped = 0;
	stage->kit = script_start(&(ward_kit_options){.system.user_strategy = strategy});
	stage->subject = ward_kit_spawn(stage->kit, &subject_behavior, .name = "subject",
					.args = {WARD_COPY(stage_args, &args)});
	stage->other = ward_kit_spawn(stage->kit, &other_behavior, .name = "other",
				      .args = {WARD_COPY(stage_args, &args)});
	ward_kit_run(stage->kit);
}

static void close_stage(struct stage *stage)
{
	script_finish(stage->kit);
	ward_assert_eq(dropped, 1);
	ward_assert_eq(dropped_number, 42);
}

static void send_thing(struct stage *stage, ward_ref to)
{
	struct thing thing = {.number = 42};
	ward_system_send(ward_kit_system(stage->kit), to, stage->type, &thing, stage->type->size);
}

static void stop_and_run(struct stage *stage, ward_ref who)
{
	ward_system_stop(ward_kit_system(stage->kit), who);
	ward_kit_run(stage->kit);
}

/* ---- received ---------------------------------------------------------------------------- */

/* Sends one thing to an actor that does this with it; then it is dropped, or will be at the end. */
static void check_action(enum action action, const ward_strategy *strategy, bool at_once)
{
	for (int size = 0; size < SIZES; size++) {
		struct stage stage;
		open_stage(&stage, size, action, strategy);
		send_thing(&stage, stage.subject);
		ward_kit_run(stage.kit);
		ward_assert_eq(dropped, at_once);
		close_stage(&stage);
	}
}

static const ward_strategy resuming = {.otherwise = WARD_RESUME};
static const ward_strategy stopping = {.otherwise = WARD_STOP};

WARD_TEST(handled_and_unhandled_messages_are_dropped)
{
	check_action(HANDLE, NULL, true);
	check_action(LEAVE_UNHANDLED, NULL, true);
	check_action(STOP_ITSELF, NULL, true);
}

WARD_TEST(message_of_a_failure_is_dropped_whatever_is_decided, "S17")
{
	const ward_strategy *strategies[] = {&resuming, &ward_default_strategy, &stopping};
	for (int i = 0; i < 3; i++) {
		check_action(FAIL, strategies[i], true);
		check_action(JUMP, strategies[i], true);
	}
}

WARD_TEST(forwarded_message_is_dropped_by_its_last_receiver)
{
	check_action(FORWARD, NULL, true);
	check_action(FORWARD_AND_FAIL, NULL, true);
	check_action(FORWARD_AND_FAIL, &stopping, true);
}

WARD_TEST(taken_message_is_dropped_when_it_is_discarded_or_its_owner_ends)
{
	check_action(TAKE_AND_DISCARD, NULL, true);
	check_action(TAKE_AND_KEEP, NULL, false);
	check_action(TAKE_AND_GIVE, NULL, true);
	check_action(TAKE_AND_FAIL, NULL, true);       /* a restart ends the incarnation */
	check_action(TAKE_AND_FAIL, &resuming, false); /* a resume does not */
	check_action(TAKE_AND_FAIL, &stopping, true);
}

WARD_TEST(forwarded_and_given_messages_arrive)
{
	const enum action actions[] = {FORWARD, FORWARD_AND_FAIL, TAKE_AND_GIVE};
	for (int i = 0; i < 3; i++) {
		struct stage stage;
		open_stage(&stage, 3, actions[i], NULL);
		send_thing(&stage, stage.subject);
		ward_kit_run(stage.kit);
		ward_assert_eq(stage.arrived, 1);
		ward_assert_eq(ward_kit_stats(stage.kit).dead_letters, 0);
		close_stage(&stage);
	}
}

/* ---- not received ------------------------------------------------------------------------ */

WARD_TEST(message_that_is_never_read_is_dropped, "S49")
{
	for (int size = 0; size < SIZES; size++) {
		/* in the mailbox at a stop; in the mailbox at the end of the system; sent to the
		 * dead; sent to nobody; sent without memory */
		for (int way = 0; way < 5; way++) {
			struct stage stage;
			open_stage(&stage, size, HANDLE, NULL);
			if (way == 2)
				stop_and_run(&stage, stage.subject);
			ward_kit_fail_all_allocations(stage.kit, way == 4);
			if (way == 4) /* beyond what the caches hold */
				ward_kit_fail_all_allocations(stage.kit, true);
			send_thing(&stage, way == 3 ? ward_nobody() : stage.subject);
			ward_kit_fail_all_allocations(stage.kit, false);
			if (way == 0)
				stop_and_run(&stage, stage.subject);
			ward_assert_eq(dropped, way != 1);
			if (way == 4)
				ward_assert_eq(
					ward_kit_event(stage.kit, WARD_EVENT_DEAD_LETTER, "*", 0)
						->reason,
					WARD_REASON_NO_MEMORY);
			close_stage(&stage);
		}
	}
}

WARD_TEST(forwarded_or_given_to_the_dead_is_dropped)
{
	const enum action actions[] = {FORWARD, TAKE_AND_GIVE, FORWARD_AND_FAIL};
	for (int i = 0; i < 3; i++) {
		for (int size = 0; size < SIZES; size++) {
			struct stage stage;
			open_stage(&stage, size, actions[i], NULL);
			stop_and_run(&stage, stage.other);
			send_thing(&stage, stage.subject);
			ward_kit_run(stage.kit);
			ward_assert_eq(dropped, 1);
			ward_assert_eq(ward_kit_stats(stage.kit).dead_letters, 1);
			close_stage(&stage);
		}
	}
}

WARD_TEST(refused_message_stays_its_senders)
{
	for (int size = 0; size < SIZES; size++) {
		struct stage stage;
		struct thing thing = {.number = 42};
		open_stage(&stage, size, HANDLE, NULL);
		stop_and_run(&stage, stage.subject);
		ward_system *system = ward_kit_system(stage.kit);
		uint32_t bytes = stage.type->size;
		ward_ref foreign = ref_elsewhere(stage.other);
		ward_assert_err(
			ward_system_try_send(system, stage.subject, stage.type, &thing, bytes),
			WARD_EDEAD);
		ward_assert_err(
			ward_system_try_send(system, ward_nobody(), stage.type, &thing, bytes),
			WARD_EDEAD);
		ward_assert_err(ward_system_try_send(system, foreign, stage.type, &thing, bytes),
				WARD_EFOREIGN);
		ward_assert_err(
			ward_system_try_send(system, stage.other, stage.type, &thing, bytes - 1),
			WARD_ESIZE);
		ward_assert_err(ward_system_try_send(system, stage.other, NULL, &thing, bytes),
				WARD_EINVAL);
		ward_assert_err(ward_system_try_send(NULL, stage.other, stage.type, &thing, bytes),
				WARD_EINVAL);
		ward_kit_fail_all_allocations(stage.kit, true);
		ward_assert_err(
			ward_system_try_send(system, stage.other, stage.type, &thing, bytes),
			WARD_ENOMEM);
		ward_kit_fail_all_allocations(stage.kit, false);
		ward_assert_eq(dropped, 0);
		ward_assert_eq(ward_kit_stats(stage.kit).dead_letters, 0);
		ward_assert_ok(
			ward_system_try_send(system, stage.other, stage.type, &thing, bytes));
		close_stage(&stage);
	}
}

/* ---- in a bounded mailbox ---------------------------------------------------------------- */

WARD_TEST(message_to_a_full_mailbox_is_dropped_once)
{
	for (int policy = WARD_OVERFLOW_REFUSE; policy <= WARD_OVERFLOW_DROP_OLDEST; policy++) {
		for (int size = 0; size < SIZES; size++) {
			ward_kit *kit;
			struct script a = {
				.name = "a",
				.mailbox = {.messages_max = 2, .overflow = (ward_overflow)policy}};
			struct thing thing = {.number = 42};
			dropped = 0;
			kit = script_start(NULL);
			script_spawn(kit, &a);
			for (int i = 0; i < 5; i++)
				ward_system_send(ward_kit_system(kit), a.ref, &things[size], &thing,
						 things[size].size);
			ward_assert_eq(dropped, 3);
			ward_kit_run(kit);
			ward_assert_eq(dropped, 5);
			script_finish(kit);
			ward_assert_eq(dropped, 5);
		}
	}
}

/* ---- made in place ----------------------------------------------------------------------- */

enum making { GIVE, GIVE_TO_DEAD, GIVE_WRONG_TYPE, DISCARD, KEEP, GIVE_AND_FAIL };

struct making_order {
	struct stage *stage;
	enum making making;
};

static ward_result make_thing(ward_self *self, void *arg)
{
	const struct making_order *order = arg;
	struct stage *stage = order->stage;
	struct thing *thing = ward_make_body(self, stage->type, stage->type->size);
	ward_assert(thing != NULL);
	ward_assert_eq(thing->number, 0);
	thing->number = 42;
	switch (order->making) {
	case GIVE:
	case GIVE_TO_DEAD:
	case GIVE_AND_FAIL:
		ward_give_body(self, stage->other, stage->type, thing);
		break;
	case GIVE_WRONG_TYPE:
		ward_give_body(self, stage->other, &ward_type_script_word, thing);
		break;
	case DISCARD:
		ward_discard(self, thing);
		break;
	case KEEP:
		break;
	}
	ward_discard(self, NULL);
	ward_give_body(self, stage->other, stage->type, NULL);
	return order->making == GIVE_AND_FAIL ? ward_failed(self, &bad_luck, "told to") : WARD_DONE;
}

WARD_TEST(made_body_is_dropped_once_whatever_becomes_of_it)
{
	for (enum making making = GIVE; making <= GIVE_AND_FAIL; making++) {
		for (int size = 0; size < SIZES; size++) {
			struct stage stage;
			struct making_order order = {&stage, making};
			struct script maker = {.name = "maker"};
			open_stage(&stage, size, HANDLE, NULL);
			script_spawn(stage.kit, &maker);
			if (making == GIVE_TO_DEAD)
				stop_and_run(&stage, stage.other);
			script_do(stage.kit, maker.ref, make_thing, &order);
			ward_kit_run(stage.kit);
			ward_assert_eq(dropped, making != KEEP);
			ward_assert_eq(stage.arrived, making == GIVE || making == GIVE_AND_FAIL);
			if (making == GIVE_WRONG_TYPE) {
				const ward_event *event =
					ward_kit_event(stage.kit, WARD_EVENT_DEAD_LETTER, "*", 0);
				ward_assert_eq(event->reason, WARD_REASON_MISUSE);
			}
			close_stage(&stage);
		}
	}
}

static ward_result make_wrong(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert(ward_make_body(self, NULL, 8) == NULL);
	ward_assert(ward_make_body(self, &things[1], things[1].size - 1) == NULL);
	ward_assert_part(ward_err_detail(), "does not fit");
	ward_assert(ward_make_body(self, &things[0], SIZE_MAX) == NULL);
	ward_assert(ward_take_body(self, &things[0]) == NULL);
	return WARD_DONE;
}

WARD_TEST(body_of_a_wrong_size_is_not_made)
{
	ward_kit *kit;
	struct script a = {.name = "a"};
	dropped = 0;
	kit = script_start(NULL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, make_wrong, NULL);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(dropped, 0);
	script_finish(kit);
}

/* A body with more bytes than its type, as ward_make() makes it. */
struct frame {
	uint32_t count;
	char text[];
};
WARD_MESSAGE(frame);

static ward_result make_frame(ward_self *self, void *arg)
{
	struct frame *frame = ward_make(self, frame, 1000);
	ward_assert(frame != NULL);
	frame->count = 1000;
	memset(frame->text, 'x', 1000);
	ward_give(self, *(ward_ref *)arg, frame, &frame);
	ward_assert(frame == NULL);
	return WARD_DONE;
}

static ward_result take_frame(ward_self *self, const ward_msg *msg)
{
	const struct frame *frame = ward_match(msg, frame);
	if (frame == NULL)
		return WARD_UNHANDLED;
	ward_assert_eq(ward_msg_size(msg), sizeof(*frame) + 1000);
	ward_assert_eq(frame->text[999], 'x');
	struct frame *mine = ward_take(self, frame);
	ward_assert(mine == frame); /* moved, not copied */
	ward_assert_eq(mine->count, 1000);
	journal_note("taken");
	return WARD_DONE;
}

WARD_TEST(made_body_is_moved_without_a_copy)
{
	struct script a = {.name = "a"}, b = {.name = "b", .receive = take_frame};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	journal_clear();
	script_do(kit, a.ref, make_frame, &b.ref);
	ward_kit_run(kit);
	assert_journal("taken");
	script_finish(kit);
}

/* ---- in pre_restart ---------------------------------------------------------------------- */

static ward_result take_in_pre_restart(ward_self *self, const ward_failure *why,
				       const ward_msg *msg)
{
	(void)why;
	const ward_type *type = thing_type(msg);
	struct thing *thing = ward_take_body(self, type);
	ward_assert(thing != NULL);
	ward_assert_eq(thing->number, 42);
	journal_note("taken");
	return WARD_DONE;
}

static ward_result fail_on_things(ward_self *self, const ward_msg *msg)
{
	return thing_type(msg) != NULL ? ward_failed(self, &bad_luck, "a thing") : WARD_UNHANDLED;
}

WARD_TEST(message_taken_in_pre_restart_goes_with_the_old_incarnation, "S31", "S35")
{
	for (int size = 0; size < SIZES; size++) {
		ward_kit *kit;
		struct script a = {
			.name = "a", .pre_restart = take_in_pre_restart, .receive = fail_on_things};
		struct thing thing = {.number = 42};
		dropped = 0;
		kit = script_start(NULL);
		script_spawn(kit, &a);
		ward_system_send(ward_kit_system(kit), a.ref, &things[size], &thing,
				 things[size].size);
		ward_kit_run(kit);
		ward_assert_part(journal_text(), "taken");
		ward_assert_eq(dropped, 1);
		script_finish(kit);
		ward_assert_eq(dropped, 1);
	}
}

/* ---- the body of a failure, and arguments ------------------------------------------------ */

static ward_result fail_with_thing(ward_self *self, void *arg)
{
	const ward_type *type = arg;
	struct thing thing = {.number = 42};
	return ward_failed_body(self, &bad_luck, type, &thing, type->size, "with a thing");
}

static ward_directive note_thing(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	for (int i = 0; i < SIZES; i++) {
		const struct thing *thing = ward_failure_body_of(failure, &things[i]);
		if (thing != NULL)
			journal_note("%d in %s", (int)thing->number, things[i].name);
	}
	return WARD_RESTART;
}

WARD_TEST(body_of_a_failure_is_dropped_with_its_last_user, "S27")
{
	static const ward_strategy noting = {.decide = note_thing};
	for (int size = 0; size < SIZES; size++) {
		ward_kit *kit;
		struct script a = {.name = "a"};
		char wanted[32];
		dropped = 0;
		kit = script_start(&(ward_kit_options){.system.user_strategy = &noting});
		script_spawn(kit, &a);
		script_do(kit, a.ref, fail_with_thing, (void *)(uintptr_t)&things[size]);
		ward_kit_run(kit);
		snprintf(wanted, sizeof(wanted), "42 in %s", things[size].name);
		ward_assert_part(journal_text(), wanted);
		ward_assert_eq(dropped, 0); /* the last failure is kept, to be looked at */
		script_finish(kit);
		ward_assert_eq(dropped, 1);
	}
}

static int clones;

static ward_err clone_thing(void *to, const void *from)
{
	(void)to, (void)from;
	clones++;
	return WARD_OK;
}

WARD_TEST(arguments_that_own_things_are_cloned_once_and_dropped_once)
{
	static const ward_type type = {.name = "owned",
				       .size = sizeof(struct thing),
				       .drop = drop_thing,
				       .clone = clone_thing};
	static const ward_behavior behavior = {
		.name = "owner", .args = &type, .receive = other_receive};
	const ward_body args = {&type, &(struct thing){.number = 42}, sizeof(struct thing)};
	ward_kit *kit = script_start(NULL);
	dropped = clones = 0;
	ward_ref ref = ward_kit_spawn(kit, &behavior, .args = args);
	ward_kit_run(kit);
	ward_assert_eq(clones, 1);
	ward_assert_eq(dropped, 0);
	ward_system_tell(ward_kit_system(kit), ref, ward_kill);
	ward_kit_run(kit);
	ward_assert_eq(dropped, 1);
	/* A spawn that is refused has cloned nothing that it keeps. */
	const ward_props *props = WARD_PROPS(&behavior, .args = args, .dispatcher = "none");
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), props, NULL), WARD_ENOENT);
	ward_assert_eq(dropped - 1, clones - 1);
	script_finish(kit);
	ward_assert_eq(dropped, clones);
}

WARD_TEST_MAIN
