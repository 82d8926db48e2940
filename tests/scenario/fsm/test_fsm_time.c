/* SPDX-License-Identifier: MIT
 *
 * test_fsm_time.c - finite state machines inside actors: timeouts and subscribers (row 57).
 *
 * Method: time is virtual and exact.
 */
#include "scripted_machine.h"

/* ---- timeouts ---------------------------------------------------------------------------- */

WARD_TEST(timeout_of_a_state_counts_from_its_last_message)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	ward_kit_advance(kit, 99);
	say(kit, ref, STAY, 0);
	ward_kit_advance(kit, 99);
	say(kit, ref, UNKNOWN, 0);
	journal_clear();
	ward_kit_advance(kit, 99);
	assert_journal("");
	ward_kit_advance(kit, 1);
	assert_journal("timeout in open");
	/* It is a message like others: so it comes again. */
	ward_kit_advance(kit, 100);
	assert_journal("timeout in open;timeout in open");
	script_finish(kit);
}

WARD_SIGNAL_FLAGS(poll, WARD_TYPE_NOT_INFLUENCING);

WARD_TEST(message_that_influences_nothing_puts_off_no_timeout_of_a_state)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	ward_kit_advance(kit, 60);
	ward_kit_tell(kit, ref, poll);
	ward_kit_run(kit);
	journal_clear();
	ward_kit_advance(kit, 40);
	assert_journal("timeout in open");
	script_finish(kit);
}

static ward_result note_silence(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	journal_note("%s", ward_match(msg, ward_receive_timeout) ? "silence" : "timeout");
	return WARD_DONE;
}

static const ward_fsm_row waiting[] = {
	{.name = "waiting", .receive = note_silence, .timeout_ms = 100}};
static const ward_fsm_table waiter_table = {.rows = waiting, .count = 1};

static ward_result start_both(ward_self *self, void *state)
{
	if (ward_try_receive_timeout_set(self, 40))
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return ward_fsm_init(self, state, &waiter_table);
}

static ward_result receive_both(ward_self *self, void *state, const ward_msg *msg)
{
	return ward_fsm_receive(self, state, msg);
}

WARD_TEST(receive_timeout_puts_off_no_timeout_of_a_state)
{
	static const ward_behavior waiter = {.name = "waiter",
					     .state_size = sizeof(ward_fsm),
					     .pre_start = start_both,
					     .receive = receive_both};
	ward_kit *kit = script_start(NULL);
	ward_kit_spawn(kit, &waiter);
	ward_kit_run(kit);
	ward_kit_advance(kit, 100);
	assert_journal("silence;silence;timeout");
	script_finish(kit);
}

WARD_TEST(timeout_of_a_state_that_was_left_is_never_seen)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	ward_kit_advance(kit, 90);
	say(kit, ref, GO, LOCKED);
	journal_clear();
	ward_kit_advance(kit, 249);
	assert_journal("");
	ward_kit_advance(kit, 1);
	assert_journal("timeout in locked");
	say(kit, ref, GO, SHUT);
	journal_clear();
	ward_kit_advance(kit, WARD_MINUTE);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
	script_finish(kit);
}

/* The tick is in the mailbox already, behind a message that moves the machine away. */
WARD_TEST(timeout_that_is_due_behind_a_move_is_never_seen)
{
	WARD_TEST_SEEDS(40)
	{
		ward_kit *kit;
		ward_ref ref = start(&kit);
		say(kit, ref, GO, OPEN);
		journal_clear();
		ward_kit_tell(kit, ref, order, .what = GO, .to = OPEN);
		ward_kit_advance(kit, 100);
		ward_assert_part(journal_text(), "enter open from open");
		script_finish(kit);
	}
}

WARD_TEST(timeout_that_somebody_else_sends_is_unhandled)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	journal_clear();
	ward_kit_tell(kit, ref, ward_fsm_timeout, .state = OPEN);
	ward_kit_run(kit);
	assert_journal("");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 1);
	script_finish(kit);
}

WARD_TEST(machines_of_one_actor_have_timeouts_of_their_own)
{
	ward_kit *kit;
	set.has_other = true;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	journal_clear();
	ward_kit_advance(kit, 70);
	assert_journal("other: timeout");
	ward_kit_advance(kit, 30);
	assert_journal("other: timeout;timeout in open");
	script_finish(kit);
}

WARD_TEST(timeout_without_memory_fails_the_actor)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	ward_kit_tell(kit, ref, order, .what = GO, .to = OPEN);
	ward_kit_fail_all_allocations(kit, true);
	ward_kit_run(kit);
	ward_kit_fail_all_allocations(kit, false);
	ward_assert_str(failure(kit)->failure_class, "ward_out_of_memory");
	script_finish(kit);
}

/* ---- subscribers ------------------------------------------------------------------------- */

static ward_result watch_door(ward_self *self, const ward_msg *msg)
{
	const struct ward_fsm_transition *moved = ward_match(msg, ward_fsm_transition);
	const struct script *script = script_of(self);
	if (moved == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_equal(moved->who, *(const ward_ref *)script->arg));
	ward_assert_str(moved->from_name, names[moved->from]);
	ward_assert_str(moved->to_name, names[moved->to]);
	journal_note("%s:%s>%s", script->name, moved->from_name, moved->to_name);
	return WARD_DONE;
}

static ward_result subscribe(ward_self *self, void *arg)
{
	ward_tell(self, *(const ward_ref *)arg, ward_fsm_subscribe);
	return WARD_DONE;
}

static ward_result unsubscribe(ward_self *self, void *arg)
{
	ward_tell(self, *(const ward_ref *)arg, ward_fsm_unsubscribe);
	return WARD_DONE;
}

static void spawn_watcher(ward_kit *kit, struct script *script, ward_ref *door_ref)
{
	script->receive = watch_door;
	script->arg = door_ref;
	script_spawn(kit, script);
	script_do(kit, script->ref, subscribe, door_ref);
	ward_kit_run(kit);
}

WARD_TEST(subscriber_hears_the_current_state_and_then_each_move)
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_kit *kit;
	ward_ref ref = start(&kit);
	spawn_watcher(kit, &a, &ref);
	say(kit, ref, GO, OPEN);
	spawn_watcher(kit, &b, &ref);
	script_do(kit, b.ref, subscribe, &ref); /* once more: the state, but no second move */
	say(kit, ref, STAY, 0);
	say(kit, ref, GO, OPEN);
	script_do(kit, a.ref, unsubscribe, &ref);
	script_do(kit, a.ref, unsubscribe, &ref);
	ward_kit_run(kit);
	say(kit, ref, GO, LOCKED);
	assert_journal_of("a", "init;pre_start;shut>shut;shut>open;open>open");
	assert_journal_of("b", "init;pre_start;open>open;open>open;open>open;open>locked");
	script_finish(kit);
}

WARD_TEST(subscriber_that_is_gone_is_forgotten_and_its_place_is_used_again)
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_kit *kit;
	ward_ref ref = start(&kit);
	spawn_watcher(kit, &a, &ref);
	ward_kit_stop(kit, a.ref);
	ward_kit_run(kit);
	say(kit, ref, GO, OPEN);
	say(kit, ref, GO, SHUT);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	spawn_watcher(kit, &b, &ref);
	say(kit, ref, GO, OPEN);
	assert_journal_of("b", "init;pre_start;shut>shut;shut>open");
	script_finish(kit);
}

WARD_TEST(subscription_goes_with_the_incarnation_and_puts_off_no_timeout)
{
	struct script a = {.name = "a"};
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	ward_kit_advance(kit, 60);
	spawn_watcher(kit, &a, &ref);
	journal_clear();
	ward_kit_advance(kit, 40);
	assert_journal("timeout in open");
	say(kit, ref, FAIL, 0);
	journal_clear();
	say(kit, ref, GO, OPEN);
	assert_journal_of("a", "");
	script_finish(kit);
}

WARD_TEST(subscription_of_nobody_or_without_memory_is_unhandled)
{
	struct script a = {.name = "a"};
	ward_kit *kit;
	ward_ref ref = start(&kit);
	ward_kit_tell(kit, ref, ward_fsm_subscribe);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 1);
	a.receive = watch_door;
	a.arg = &ref;
	script_spawn(kit, &a);
	script_do(kit, a.ref, subscribe, &ref);
	while (ward_kit_state(kit, ref) == WARD_STATE_RUNNING &&
	       ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door") == 1) {
		ward_actor_info info;
		ward_assert(ward_kit_info(kit, ref, &info));
		ward_kit_fail_all_allocations(kit, info.has_mail);
		ward_assert(ward_kit_step(kit));
	}
	ward_kit_fail_all_allocations(kit, false);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 2);
	assert_journal_of("a", "init;pre_start");
	script_finish(kit);
}

WARD_TEST_MAIN
