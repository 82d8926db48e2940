/* SPDX-License-Identifier: MIT
 *
 * test_refused_bodies.c - bodies that cannot be written, or not be read: dead letters with a text,
 * and ends of questions (S196, S201).
 *
 * Method: a loop by bytes, and a type that refuses to be written or read, as the test says.
 */
#include <stdio.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/testkit/neighbours.h>

#include "support/script.h"

enum { TAG = 1 };
enum fault { NONE, WRITING, READING };

static struct two {
	ward_kit *left, *right;
	ward_loop *loop;
	struct script near, far;
	ward_ref there; /* far, as it is known on the left */
	enum fault fault;
	ward_err err;
} two;

struct vase {
	int number;
};

static ward_err write_vase(const void *body, size_t size, ward_bytes *out)
{
	if (two.fault == WRITING)
		return ward_refused(two.err, "the vase was not packed");
	return ward_bytes_add(out, body, size);
}

static ward_err read_vase(const void *bytes, size_t count, void *body, size_t size)
{
	if (two.fault == READING || count != size)
		return ward_refused(two.err, "the vase was broken");
	memcpy(body, bytes, size);
	return WARD_OK;
}

static const ward_type ward_type_vase = {
	.name = "vase", .size = sizeof(struct vase), .encode = write_vase, .decode = read_vase};
WARD_SIGNAL(give);

static ward_result near_receives(ward_self *self, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	(void)self;
	if (ward_match(msg, vase))
		journal_note("near:vase");
	else if (failed != NULL)
		journal_note("near:%s, reason %d", ward_err_text(failed->why), failed->reason);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static ward_result far_receives(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, vase))
		journal_note("far:vase");
	else if (ward_match(msg, give))
		return ward_reply(self, msg, vase, .number = 1);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static ward_result send_vase(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell(self, two.there, vase, .number = 1);
	return WARD_DONE;
}

static ward_result ask_far(ward_self *self, void *arg)
{
	const ward_type *type = arg;
	static const struct vase vase = {1};
	ward_ask_send(self,
		      &(ward_question){.to = two.there, .tag = TAG, .timeout_ms = WARD_FOREVER},
		      type, type->size > 0 ? &vase : NULL, type->size);
	return WARD_DONE;
}

static void let(script_call *call, const ward_type *type)
{
	script_do(two.left, two.near.ref, call, (void *)(uintptr_t)type);
	ward_kit_advance(two.left, 100);
}

static void begin(enum fault fault, ward_err err)
{
	memset(&two, 0, sizeof two);
	two.near = (struct script){.name = "near", .receive = near_receives};
	two.far = (struct script){.name = "far", .receive = far_receives};
	two.left = script_start(&(ward_kit_options){.system.name = "left", .may_leave_mail = true});
	two.right =
		ward_kit_start(&(ward_kit_options){.system.name = "right", .may_leave_mail = true});
	two.loop = ward_loop_start(&(ward_loop_options){.form = WARD_LOOP_BY_BYTES});
	ward_loop_join(two.loop, ward_kit_system(two.left), "left");
	ward_loop_join(two.loop, ward_kit_system(two.right), "right");
	ward_loop_connect(two.loop, "left", "right");
	ward_assert(ward_loop_await(two.loop, "left", "right", WARD_MINUTE));
	script_spawn(two.left, &two.near);
	script_spawn(two.right, &two.far);
	two.there = ward_loop_ref(two.loop, "left", "right", two.far.ref);
	two.fault = fault;
	two.err = err;
	journal_clear();
}

static void finish(void)
{
	two.fault = NONE;
	ward_assert(ward_loop_is_open(two.loop, "left", "right"));
	let(send_vase, NULL);
	assert_journal_of("far", "vase");
	ward_loop_finish(two.loop);
	ward_kit_finish(two.right);
	script_finish(two.left);
}

/* The side that refuses has the dead letter. */
static void check_dead_letter(ward_kit *kit, ward_reason reason, const char *text)
{
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_eq(ward_kit_count(two.left, WARD_EVENT_DEAD_LETTER, "*") +
			       ward_kit_count(two.right, WARD_EVENT_DEAD_LETTER, "*"),
		       1);
	ward_assert(event != NULL);
	ward_assert_str(event->message_type, "vase");
	ward_assert_eq(event->reason, reason);
	ward_assert_part(event->text, text);
}

static const struct {
	ward_err err;
	ward_reason reason;
	ward_err why; /* of a question */
} refusals[] = {
	{WARD_EINVAL, WARD_REASON_MISUSE, WARD_EDEAD},
	{WARD_ELOCAL, WARD_REASON_LOCAL, WARD_ELOCAL},
	{WARD_ENOMEM, WARD_REASON_NO_MEMORY, WARD_ENOMEM},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

WARD_TEST(body_that_is_not_written_is_a_dead_letter_here, "S196")
{
	for (int i = 0; i < REFUSALS; i++) {
		begin(WRITING, refusals[i].err);
		let(send_vase, NULL);
		check_dead_letter(two.left, refusals[i].reason, "the vase was not packed");
		finish();
	}
}

WARD_TEST(body_that_is_not_read_is_a_dead_letter_there, "S196")
{
	for (int i = 0; i < REFUSALS; i++) {
		begin(READING, refusals[i].err);
		let(send_vase, NULL);
		check_dead_letter(two.right, refusals[i].reason, "the vase was broken");
		finish();
	}
}

static void check_end(int i)
{
	char wanted[100];
	(void)snprintf(wanted, sizeof wanted, "%s, reason %d", ward_err_text(refusals[i].why),
		       refusals[i].reason);
	assert_journal_of("near", wanted);
}

WARD_TEST(question_that_is_refused_ends, "S201")
{
	for (int i = 0; i < REFUSALS; i++) {
		for (enum fault fault = WRITING; fault <= READING; fault++) {
			begin(fault, refusals[i].err);
			let(ask_far, &ward_type_vase);
			check_end(i);
			finish();
		}
	}
}

WARD_TEST(answer_that_is_refused_ends_the_question, "S201")
{
	for (int i = 0; i < REFUSALS; i++) {
		for (enum fault fault = WRITING; fault <= READING; fault++) {
			begin(fault, refusals[i].err);
			let(ask_far, &ward_type_give);
			check_end(i);
			finish();
		}
	}
}

WARD_TEST(thread_that_waits_for_a_refused_answer_is_told, "S201", "S204")
{
	for (enum fault fault = WRITING; fault <= READING; fault++) {
		struct vase vase;
		begin(fault, WARD_EINVAL);
		ward_assert_err(ward_system_ask_send(ward_kit_system(two.left), two.there,
						     WARD_MINUTE, &ward_type_vase, &vase,
						     &ward_type_give, NULL, 0),
				WARD_EDEAD);
		finish();
	}
}

WARD_TEST_MAIN
