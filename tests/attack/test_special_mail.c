/* SPDX-License-Identifier: MIT
 *
 * test_special_mail.c - messages that the runtime looks at, on ways on which it does not send them.
 */
#include <ward/extend.h>
#include <ward/selection.h>
#include <ward/testkit.h>
#include <ward/ward.h>

/* What is sent, and what becomes of it. */
static struct {
	const ward_type *type;
	void (*send)(ward_self *self);
	ward_ref other;
	int received;
} mail;

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	mail.received += ward_type_same(ward_msg_type(msg), mail.type);
	return WARD_DONE;
}

static ward_result pre_start(ward_self *self, void *state)
{
	(void)state;
	mail.send(self);
	return WARD_DONE;
}

/* It has no message in hand. */
static ward_result post_stop(ward_self *self, void *state)
{
	(void)state;
	ward_assert_err(ward_try_stash(self), WARD_ENOENT);
	return WARD_DONE;
}

static const ward_behavior other = {.name = "other", .receive = receive};
static const ward_behavior sender = {
	.name = "sender", .receive = receive, .pre_start = pre_start, .post_stop = post_stop};

/* Sends that one; says how often it was received. */
static int send_special(const ward_type *type, void (*send)(ward_self *self))
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref who;

	mail.type = type;
	mail.send = send;
	mail.received = 0;
	mail.other = ward_kit_spawn(kit, &other);
	who = ward_kit_spawn(kit, &sender);
	ward_kit_advance(kit, 10);
	ward_assert_state(kit, who, WARD_STATE_RUNNING);
	ward_kit_stop(kit, who);
	ward_kit_finish(kit);
	return mail.received;
}

static void by_timer(ward_self *self)
{
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 1}, mail.type,
					    NULL, 0));
}

static void by_watch(ward_self *self)
{
	ward_assert_ok(ward_try_watch_with_send(self, mail.other, mail.type, NULL, 0));
	ward_stop(self, mail.other);
}

static void each_way(const ward_type *type)
{
	ward_assert_eq(send_special(type, by_timer), 1);
	ward_assert_eq(send_special(type, by_watch), 1);
}

WARD_TEST(restarts_exceeded_by_timer_and_watch_is_received, "S121")
{
	each_way(&ward_type_ward_restarts_exceeded);
}

WARD_TEST(task_of_a_shutdown_by_timer_and_watch_is_received, "S77")
{
	each_way(&ward_type_ward_shutdown_task);
}

/* Sends that one: it ends its receiver, which does not see it. Returns how often that failed. */
static size_t end_by(const ward_type *type, void (*send)(ward_self *self))
{
	static const ward_behavior ended = {
		.name = "ended", .receive = receive, .pre_start = pre_start};
	ward_kit *kit = ward_kit_start(NULL);
	size_t failures;
	ward_ref who;

	mail.type = type;
	mail.send = send;
	mail.received = 0;
	mail.other = ward_kit_spawn(kit, &other);
	who = ward_kit_spawn(kit, &ended);
	ward_kit_advance(kit, 10);
	ward_assert(!ward_system_is_alive(ward_kit_system(kit), who));
	ward_assert_eq(mail.received, 0);
	failures = ward_kit_count(kit, WARD_EVENT_FAILURE, "*");
	ward_kit_finish(kit);
	return failures;
}

WARD_TEST(pill_by_timer_and_watch_stops_its_receiver, "S50")
{
	ward_assert_eq(end_by(&ward_type_ward_poison_pill, by_timer), 0);
	ward_assert_eq(end_by(&ward_type_ward_poison_pill, by_watch), 0);
}

WARD_TEST(kill_by_timer_and_watch_fails_its_receiver, "S50")
{
	ward_assert_eq(end_by(&ward_type_ward_kill, by_timer), 1);
	ward_assert_eq(end_by(&ward_type_ward_kill, by_watch), 1);
}

WARD_TEST_MAIN
