/* SPDX-License-Identifier: MIT
 *
 * test_backoff_mail.c - messages to, from and through a back-off supervisor, with a child and
 * without one; and what it shows meanwhile (S99-S103).
 *
 * Method: as in test_backoff.c; the probes see who is said to have sent what. What comes while the
 * child is on its way out is sent by its post_stop, in the client's name: it is there before the
 * notice of the end.
 */
#include <ward/codec.h>
#include <ward/extend.h>

#include "supervisor_between_probes.h"

static const ward_strategy stops = {.otherwise = WARD_STOP};

/* ---- S99: questions ---------------------------------------------------------------------- */

/* From `self`, but as if the client had sent it. */
static void send_as_client(ward_self *self, const ward_type *type, const void *body, size_t size)
{
	void *kept = ward_make_body(self, type, size);

	if (kept == NULL)
		return;
	if (size > 0)
		memcpy(kept, body, size);
	ward_give_body_from(self, ward_probe_ref(nest.client), ward_parent(self), type, kept);
}

static void ask_and_work(ward_self *self)
{
	send_as_client(self, WARD_BODY(ward_get_current_child));
	send_as_client(self, WARD_BODY(ward_get_restart_count));
	send_as_client(self, WARD_BODY(task, .number = 9));
}

WARD_TEST(child_on_its_way_out_is_told_still_and_gets_the_mail, "S99")
{
	struct ward_backoff options = nest_options();
	ward_ref old;

	nest_on_failure(&options);
	old = nest.child;
	nest.last_words = ask_and_work;
	nest_fail();
	ward_assert(ward_ref_equal(ward_expect(nest.client, 0, ward_current_child)->child, old));
	ward_assert_eq(ward_expect(nest.client, 0, ward_restart_count)->count, 0);
	ward_assert_eq(nest_dead(WARD_REASON_DEAD), 1);
	ward_assert_eq(nest_dead(WARD_REASON_DOWN), 0);
	nest.last_words = NULL;
	ward_assert(nest_has_child(ward_nobody()));
	ward_assert_eq(nest_count(), 1);
	nest_advance(3000);
	ward_assert(!ward_ref_equal(nest.child, old));
	ward_assert(nest_has_child(nest.child));
	nest_end();
}

/* ---- S100: both ways --------------------------------------------------------------------- */

WARD_TEST(mail_of_the_child_goes_to_the_parent_in_the_supervisors_name, "S100")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest_tell(task, .number = 7, .deed = TELL_PARENT);
	ward_assert_eq(ward_expect(nest.parent, 0, report)->number, 7);
	ward_assert(ward_ref_equal(ward_probe_sender(nest.parent), nest.supervisor));
	/* also of the next one */
	nest_expect_start(3000, END_WITH_IT);
	nest_tell(task, .number = 8, .deed = TELL_PARENT);
	ward_assert_eq(ward_expect(nest.parent, 0, report)->number, 8);
	ward_assert(ward_ref_equal(ward_probe_sender(nest.parent), nest.supervisor));
	nest_end();
}

/* True: it got through; else the supervisor has failed of it, and begins again. */
static bool report_gets_through(uint64_t failing_allocation)
{
	struct ward_backoff options = nest_options();
	bool through;

	nest_on_stop(&options);
	(void)nest_log();
	ward_probe_tell(nest.client, nest.supervisor, task, .number = 7, .deed = TELL_PARENT);
	while (nest.log[0] == '\0')
		ward_assert(ward_kit_step(nest.kit));
	ward_kit_fail_allocation(nest.kit, failing_allocation);
	ward_assert(ward_kit_step(nest.kit)); /* the supervisor's turn */
	ward_kit_fail_allocation(nest.kit, 0);
	ward_kit_run(nest.kit);
	through = ward_kit_state(nest.kit, nest.supervisor) == WARD_STATE_RUNNING;
	if (through) {
		ward_assert_eq(ward_expect(nest.parent, 0, report)->number, 7);
	} else {
		(void)ward_expect_failure(nest.parent, 0, nest.supervisor, &ward_out_of_memory);
		ward_assert_eq(ward_probe_count(nest.parent), 0);
		ward_probe_decide(nest.parent, nest.supervisor, WARD_RESTART);
		ward_kit_run(nest.kit);
		ward_assert_str(nest_log(), "7 - +0");
	}
	nest_end();
	return through;
}

WARD_TEST(mail_of_the_child_that_finds_no_memory_fails_the_supervisor, "S100")
{
	uint64_t failing = 1;

	while (!report_gets_through(failing))
		failing++;
	ward_assert(failing > 2); /* to take it, and to send it */
}

static void tell_small(ward_self *self)
{
	ward_tell(self, ward_parent(self), task_done, .number = 5);
	ward_tell(self, ward_parent(self), ward_get_restart_count);
}

WARD_TEST(last_words_of_the_child_go_to_the_parent_and_its_questions_do_not, "S100")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest.last_words = tell_small;
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_eq(ward_expect(nest.parent, 0, task_done)->number, 5);
	ward_assert(ward_ref_equal(ward_probe_sender(nest.parent), nest.supervisor));
	ward_assert_eq(ward_probe_count(nest.parent), 0);
	nest.last_words = NULL;
	nest_end();
}

WARD_TEST(mail_for_the_child_has_its_sender_still, "S100")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest_tell(task, .number = 7, .deed = ANSWER_IT);
	ward_assert_eq(ward_expect(nest.client, 0, task_done)->number, 7);
	ward_assert(ward_ref_equal(nest_sender(), nest.child));
	nest_end();
}

/* ---- S101: while it is down -------------------------------------------------------------- */

WARD_TEST(mail_while_the_child_is_down_is_dead_with_its_sender, "S101")
{
	struct ward_backoff options = nest_options();
	const ward_event *dead;

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	ward_assert_eq(nest_dead(WARD_REASON_DOWN), 2);
	dead = ward_kit_event(nest.kit, WARD_EVENT_DEAD_LETTER, "*/nest", 0);
	ward_assert_str(dead->message_type, "task");
	ward_assert_part(ward_reason_text(WARD_REASON_DOWN), "down");
	/* what is for the supervisor is for it still */
	ward_assert_eq(nest_count(), 1);
	ward_assert(nest_has_child(ward_nobody()));
	nest_advance(3000);
	nest_tell(task, .number = 3);
	ward_assert_str(nest_log(), "+0 0 - +3000 3");
	nest_end();
}

struct busy {
	int code;
	int spare;
};
WARD_MESSAGE_FIELDS_FLAGS(busy, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, busy, code),
			  WARD_FIELD(INT, busy, spare));

WARD_TEST(mail_while_the_child_is_down_is_replied_to_if_it_has_a_sender, "S101")
{
	struct ward_backoff options = nest_options();
	struct busy constant = {.code = 3};

	options.reply_while_stopped = (ward_constant){WARD_COPY(busy, &constant)};
	nest_begin();
	ward_props props =
		*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)});
	nest_spawn(props);
	constant.code = 4; /* it was copied */
	nest_tell(task, .deed = END_WITH_IT);
	for (int i = 0; i < 2; i++) {
		nest_tell(task, .number = 1);
		ward_assert_eq(ward_expect(nest.client, 0, busy)->code, 3);
		ward_assert(ward_ref_equal(nest_sender(), nest.supervisor));
	}
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_kit_tell(nest.kit, nest.supervisor, task, .number = 1);
	ward_kit_run(nest.kit);
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER, "*/nest"), 1);
	nest_end();
}

WARD_SIGNAL(sorry);

WARD_TEST(reply_may_be_a_signal, "S101")
{
	struct ward_backoff options = nest_options();

	options.reply_while_stopped = (ward_constant){WARD_BODY(sorry)};
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	(void)ward_expect(nest.client, 0, sorry);
	nest_end();
}

WARD_TEST(mail_while_the_child_is_down_goes_to_the_handler_with_its_sender, "S101")
{
	struct ward_backoff options = nest_options();
	ward_probe *handler;

	nest_begin();
	handler = ward_probe_start(nest.kit, "handler");
	options.handler_while_stopped = ward_probe_ref(handler);
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 4);
	ward_assert_eq(ward_expect(handler, 0, task)->number, 4);
	ward_assert(ward_ref_equal(ward_probe_sender(handler), ward_probe_ref(nest.client)));
	nest_end();
}

WARD_TEST(mail_while_the_child_is_down_waits_for_the_next_one_in_order, "S101")
{
	struct ward_backoff options = nest_options();
	struct busy constant = {.code = 3};

	options.stash_max = 3;
	options.reply_while_stopped = (ward_constant){WARD_COPY(busy, &constant)};
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	for (int i = 1; i <= 4; i++)
		nest_tell(task, .number = i, .deed = i == 2 ? ANSWER_IT : JUST_NOTE);
	ward_assert_eq(ward_expect(nest.client, 0, busy)->code, 3); /* the fourth */
	ward_assert_eq(nest_count(), 1);
	nest_advance(3000);
	ward_assert_str(nest_log(), "+0 0 - +3000 1 2 3");
	ward_assert_eq(ward_expect(nest.client, 0, task_done)->number, 2);
	/* and again, also after one that ends the child with others behind it */
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 5, .deed = END_WITH_IT);
	nest_tell(task, .number = 6);
	nest_advance(6000);
	ward_assert_part(nest_log(), "0 - +9000 5");
	nest_advance(12000);
	nest_end();
}

WARD_TEST(mail_that_waits_is_dead_when_the_supervisor_ends, "S101")
{
	struct ward_backoff options = nest_options();

	options.stash_max = 3;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	ward_kit_stop(nest.kit, nest.supervisor);
	ward_kit_run(nest.kit);
	nest_expect_end();
	ward_assert_eq(nest_dead(WARD_REASON_DEAD), 2);
	nest_end();
}

/* ---- S102: the final message ------------------------------------------------------------- */

static bool is_last(const ward_msg *msg)
{
	const struct task *task = ward_match(msg, task);

	return task != NULL && task->number == 99;
}

WARD_TEST(final_message_is_for_the_child_and_its_end_is_the_last, "S102")
{
	struct ward_backoff options = nest_options();

	options.final_stop = is_last;
	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_tell(task, .number = 99);
	nest_tell(task, .number = 1);
	nest_fail(); /* a restart at once is no end */
	ward_assert_str(nest_log(), "99 1 0 R");
	nest_tell(task, .deed = END_WITH_IT);
	nest_expect_end();
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_NOTE, "*/nest"), 0);
	nest_advance(WARD_MINUTE);
	ward_assert_str(nest_log(), "0 -");
	nest_end();
}

WARD_TEST(final_message_while_the_child_is_down_ends_the_supervisor_at_once, "S102")
{
	struct ward_backoff options = nest_options();

	options.final_stop = is_last;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 99);
	nest_expect_end();
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	nest_end();
}

/* ---- S103: quiet, and nothing behind ----------------------------------------------------- */

WARD_TEST(control_messages_make_no_dead_letters, "S103")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	ward_kit_stop(nest.kit, nest.supervisor);
	ward_kit_run(nest.kit);
	nest_expect_end();
	nest_tell(ward_backoff_start);
	nest_tell(ward_backoff_reset);
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_SUPPRESSED, "*"), 2);
	nest_end();
}

WARD_TEST(supervisor_that_is_gone_starts_nothing, "S103")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 1); /* the start */
	ward_kit_stop(nest.kit, nest.supervisor);
	ward_kit_run(nest.kit);
	nest_expect_end();
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 0);
	nest_advance(WARD_MINUTE);
	ward_assert_str(nest_log(), "0 -");
	ward_assert_eq(
		ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER | WARD_EVENT_SUPPRESSED, "*"), 0);
	nest_end();
}

WARD_TEST(supervisor_that_is_restarted_begins_anew, "S94", "S103")
{
	struct ward_backoff options = nest_options();

	options.strategy = &stops;
	options.stash_max = 2;
	nest_on_stop(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_fail();
	nest_tell(task, .number = 1);
	ward_probe_decide_always(nest.parent, WARD_RESTART);
	nest_tell(ward_kill);
	ward_assert_str(nest_log(), "0 - +3000 1"); /* now, and with what was put aside */
	ward_assert_eq(nest_count(), 0);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_end();
}

/* ---- what it shows ----------------------------------------------------------------------- */

WARD_TEST(supervisor_shows_how_long_it_is_until_the_next_start)
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	ward_assert_str(nest_status(), "");
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_str(nest_status(), "new child in 3.0 s (1st time)");
	nest_advance(1234);
	ward_assert_str(nest_status(), "new child in 1.8 s (1st time)");
	nest_advance(1766);
	ward_assert_str(nest_status(), "");
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_str(nest_status(), "new child in 6.0 s (2nd time)");
	nest_tell(ward_backoff_start);
	ward_assert_str(nest_status(), "");
	nest_end();
}

WARD_TEST(supervisor_counts_as_people_do)
{
	struct ward_backoff options = nest_options();
	char wanted[64];

	options.manual_reset = true;
	options.auto_reset_ms = 0;
	nest_on_stop(&options);
	for (int i = 1; i <= 123; i++) {
		const char *ending = i % 10 == 1   ? "st"
				     : i % 10 == 2 ? "nd"
				     : i % 10 == 3 ? "rd"
						   : "th";

		if (i % 100 >= 11 && i % 100 <= 13)
			ending = "th";
		nest_tell(task, .deed = END_WITH_IT);
		snprintf(wanted, sizeof wanted, "(%d%s time)", i, ending);
		ward_assert_part(nest_status(), wanted);
		nest_tell(ward_backoff_start);
		(void)nest_log();
	}
	nest_end();
}

/* ---- S100: questions of the child --------------------------------------------------------- */

struct wish {
	int number;
};
WARD_MESSAGE_FIELDS_FLAGS(wish, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, wish, number));
struct gift {
	int number;
};
WARD_MESSAGE_FIELDS_FLAGS(gift, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, gift, number));
WARD_REPLY(wish, gift);

static struct {
	int wishes, gifts; /* at the child */
	ward_ref giver;
} wishing;

/* Asks for as much as the task says. */
static ward_result wisher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct task *task = ward_match(msg, task);
	const struct gift *gift = ward_match(msg, gift);

	(void)state;
	if (task != NULL)
		return ward_try_ask(self, ward_parent(self), 1, 1000, wish,
				    .number = task->number) == WARD_OK
			       ? WARD_DONE
			       : WARD_UNHANDLED;
	wishing.wishes += ward_match(msg, wish) != NULL;
	if (gift != NULL && ward_ask_tag(self) == 1) {
		wishing.gifts += gift->number;
		wishing.giver = ward_msg_sender(msg);
	}
	return WARD_DONE;
}

static ward_pilot grant(ward_self *self, void *arg, const ward_msg *msg)
{
	const struct wish *wish = ward_match(msg, wish);

	(void)arg;
	if (wish == NULL)
		return WARD_PILOT_KEEP;
	ward_answer(self, msg, wish, .number = wish->number);
	return WARD_PILOT_EAT;
}

WARD_TEST(question_of_the_child_is_answered_by_the_parent_of_the_supervisor, "S100")
{
	static const ward_behavior wisher = {.name = "wisher", .receive = wisher_receive};
	struct ward_backoff options = nest_options();

	options.child.behavior = &wisher;
	memset(&wishing, 0, sizeof wishing);
	nest_on_stop(&options);
	ward_probe_set_pilot(nest.parent, grant, NULL);
	nest_tell(task, .number = 7);
	ward_assert_eq(wishing.wishes, 0);
	ward_assert_eq(wishing.gifts, 7);
	ward_assert(ward_ref_equal(wishing.giver, ward_probe_ref(nest.parent)));
	nest_end();
}

static void ask_the_nest(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_ask(self, nest.supervisor, 1, 1000, wish, .number = 2));
	ward_assert(ward_ref_equal(ward_asker(self, nest.supervisor), nest.supervisor));
	ward_assert(ward_ref_is_nobody(ward_asker(self, ward_nobody())));
}

WARD_TEST(question_of_anybody_else_goes_to_the_child, "S100")
{
	static const ward_behavior wisher = {.name = "wisher", .receive = wisher_receive};
	struct ward_backoff options = nest_options();

	options.child.behavior = &wisher;
	memset(&wishing, 0, sizeof wishing);
	nest_on_stop(&options);
	ward_probe_do(nest.client, ask_the_nest, NULL);
	ward_kit_run(nest.kit);
	ward_assert_eq(wishing.wishes, 1);
	nest_end();
}

/* ---- S101: two that are down -------------------------------------------------------------- */

static void send_in_the_name_of(ward_self *self, void *arg)
{
	struct task_done *body = ward_make(self, task_done, 0);

	if (body != NULL)
		ward_give_body_from(self, *(const ward_ref *)arg, nest.supervisor,
				    &ward_type_task_done, body);
}

/* A client that asks once, and ends. */
static ward_result brief_start(ward_self *self, void *state)
{
	(void)state;
	if (ward_try_ask(self, nest.supervisor, 1, 1000, task, .number = 7))
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

WARD_TEST(question_of_one_whose_place_the_child_has_now_goes_to_the_child, "S100", "S101")
{
	static const ward_behavior brief = {
		.name = "brief", .pre_start = brief_start, .receive = nothing};
	static const ward_behavior other = {.name = "other", .receive = nothing};
	struct ward_backoff options = nest_options();
	ward_ref asker;

	options.stash_max = 8;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	/* It has the place of the old child. */
	(void)ward_kit_spawn(nest.kit, &other);
	asker = ward_kit_spawn(nest.kit, &brief);
	ward_kit_run(nest.kit);
	nest_advance(3000);
	ward_assert_eq((uint32_t)nest.child.uid, (uint32_t)asker.uid); /* the place */
	ward_assert_str(nest_log(), "+0 0 - +3000 7");
	ward_expect_none(nest.parent, 0);
	nest_end();
}

WARD_TEST(two_that_are_down_do_not_answer_each_other_for_ever, "S101")
{
	struct ward_backoff options = nest_options();
	ward_props props;
	ward_ref other;
	int steps = 0;

	options.reply_while_stopped = (ward_constant){WARD_BODY(task_done, .number = 1)};
	nest_on_stop(&options);
	props = *WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)});
	props.name = "other";
	other = ward_probe_spawn_props(nest.parent, &props);
	ward_kit_run(nest.kit);
	nest_tell(task, .deed = END_WITH_IT);
	ward_probe_tell(nest.client, other, task, .deed = END_WITH_IT);
	ward_kit_run(nest.kit);
	ward_probe_do(nest.client, send_in_the_name_of, &other);
	while (steps < 1000 && ward_kit_step(nest.kit))
		steps++;
	ward_assert(steps < 1000);
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	nest_end();
}

WARD_TEST_MAIN
