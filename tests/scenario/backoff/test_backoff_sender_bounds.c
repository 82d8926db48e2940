/* SPDX-License-Identifier: MIT
 *
 * test_backoff_sender_bounds.c - what a back-off sender does not do for ever: keep, try, wait
 * (S108). And what it refuses, at its spawn and later.
 */
#include "sender_and_children.h"

/* ---- a bound on what is kept --------------------------------------------------------------- */

static void start_for(ward_probe *parent, struct ward_backoff_sender args)
{
	args = filled(args);
	rig.sender = ward_probe_spawn(parent, &ward_backoff_sender, .name = "sender",
				      .args = {WARD_COPY(ward_backoff_sender, &args)});
	ward_kit_run(rig.kit);
}

WARD_TEST(bound_drops_the_oldest_counts_it_and_tells_the_parent, "S108")
{
	rig_open(NULL);
	ward_probe *parent = ward_probe_start(rig.kit, "parent");
	ward_probe *a = ward_probe_start(rig.kit, "a");
	start_for(parent, (struct ward_backoff_sender){.pending_max = 2});
	rig.broken = true;
	ward_probe_tell(a, rig.sender, job, .number = 1);
	ward_kit_run(rig.kit);
	rig.broken = false;
	send_jobs(2, 2);
	ward_expect_none(parent, 0);
	send_jobs(3, 4);
	const struct ward_backoff_dropped *dropped = ward_expect(parent, 0, ward_backoff_dropped);
	ward_assert_eq(dropped->id, 1);
	ward_assert_eq(dropped->dropped, 1);
	ward_assert(ward_ref_equal(dropped->sender, ward_probe_ref(a)));
	ward_assert(!dropped->handed_over);
	ward_assert(ward_ref_equal(ward_probe_sender(parent), rig.sender));
	dropped = ward_expect(parent, 0, ward_backoff_dropped);
	ward_assert_eq(dropped->id, 2);
	ward_assert_eq(dropped->dropped, 2);
	ward_assert_eq(sending().dropped, 2);
	ward_assert_eq(sending().pending, 2);
	/* Nobody has them: they are dead letters, of their senders. */
	ward_assert_eq(dead_letters(WARD_REASON_NOBODY), 2);
	ward_assert_str(ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->sender_path,
			"sim/user/a");
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.3 2.4");
	rig_close();
}

WARD_TEST(oldest_that_the_child_has_is_dropped_without_a_dead_letter, "S108")
{
	rig_open(NULL);
	ward_probe *owner = ward_probe_start(rig.kit, "owner");
	start_sender(.pending_max = 1, .owner = ward_probe_ref(owner));
	rig.mute = true;
	send_parcel(1);
	send_parcel(2);
	const struct ward_backoff_dropped *dropped = ward_expect(owner, 0, ward_backoff_dropped);
	ward_assert_eq(dropped->id, 1);
	ward_assert(dropped->handed_over);
	ward_assert_eq(dead_letters(WARD_REASON_NOBODY), 0);
	ward_kit_stop(rig.kit, rig.child);
	rig.mute = false;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 1.2 2.2");
	rig_close();
}

WARD_TEST(without_a_bound_all_are_kept, "S108")
{
	rig_open(NULL);
	start_plain();
	rig.mute = true;
	send_jobs(1, 100);
	ward_assert_eq(sending().pending, 100);
	ward_assert_eq(sending().dropped, 0);
	for (uint64_t id = 1; id <= 100; id += 2)
		ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = id);
	ward_assert_eq(sending().pending, 50);
	/* The others come again, and in order. */
	rig.got[0] = '\0';
	rig.count = 0;
	ward_kit_stop(rig.kit, rig.child);
	rig.mute = false;
	ward_kit_advance(rig.kit, 10);
	ward_assert_eq(rig.count, 50);
	ward_assert_eq(sending().pending, 0);
	ward_assert_part(rig.got, "2.2 2.4 2.6 2.8 2.10 2.12");
	ward_assert_part(rig.got, "2.94 2.96 2.98 2.100");
	rig_close();
}

/* ---- a bound on what is tried -------------------------------------------------------------- */

WARD_TEST(sender_gives_up_after_so_many_retries_and_tells_its_owner, "S108")
{
	rig_open(NULL);
	ward_probe *parent = ward_probe_start(rig.kit, "parent");
	start_for(parent, (struct ward_backoff_sender){.retries_max = 2});
	ward_probe_watch(parent, rig.sender);
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 10);
	ward_expect_none(parent, 0);
	ward_assert_eq(sending().retries, 2);
	send_jobs(2, 2);
	ward_kit_advance(rig.kit, 30);
	assert_got("1.1 2.1 3.1");
	const struct ward_backoff_gave_up *end = ward_expect(parent, 0, ward_backoff_gave_up);
	ward_assert_eq(end->retries, 2);
	ward_assert_eq(end->pending, 2);
	ward_expect_terminated(parent, 0, rig.sender);
	ward_assert_eq(rig.made, 3);
	/* Both that were kept; and the copy of the second, behind the one that it failed of. */
	ward_assert_eq(dead_letters(WARD_REASON_DEAD), 3);
	rig_close();
}

WARD_TEST(sender_without_retries_gives_up_at_the_first_end, "S108")
{
	rig_open(NULL);
	ward_probe *owner = ward_probe_start(rig.kit, "owner");
	start_sender(.retries_max = WARD_RESTARTS_NONE, .owner = ward_probe_ref(owner));
	rig.broken = true;
	send_jobs(1, 1);
	ward_assert_eq(ward_expect(owner, 0, ward_backoff_gave_up)->retries, 0);
	ward_assert_eq(rig.made, 1);
	ward_assert_state(rig.kit, rig.sender, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(retries_are_counted_over_a_ceiling_and_from_the_last_that_was_done, "S108")
{
	rig_open(NULL);
	ward_probe *owner = ward_probe_start(rig.kit, "owner");
	start_sender(.retries_max = 5, .back_off.ceiling = 2, .owner = ward_probe_ref(owner));
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 19);
	/* At 0; at 10, where the ceiling resets; and so at 10 again. */
	assert_times(TIMES(0, 10, 10));
	ward_assert_eq(sending().retries, 3);
	rig.broken = false;
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(sending().retries, 0);
	/* It has five again. */
	rig.broken = true;
	send_jobs(2, 2);
	ward_kit_advance(rig.kit, 29);
	ward_expect_none(owner, 0);
	ward_assert_eq(sending().retries, 5);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(ward_expect(owner, 0, ward_backoff_gave_up)->retries, 5);
	rig_close();
}

WARD_TEST(without_a_limit_it_never_gives_up, "S108")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert(sending().retries > 50);
	rig.broken = false;
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

/* The sender with a strategy of its own for the child. */
static void start_under(const ward_strategy *strategy)
{
	struct ward_backoff_sender args = filled((struct ward_backoff_sender){.id = id_of});

	rig.sender = ward_kit_spawn(rig.kit, &ward_backoff_sender, .name = "sender",
				    .args = {WARD_COPY(ward_backoff_sender, &args)},
				    .child_strategy = strategy);
	ward_kit_run(rig.kit);
}

WARD_TEST(limit_of_a_strategy_that_stops_does_nothing, "S25", "S108")
{
	static const ward_strategy stopping = {.otherwise = WARD_STOP, .restarts_max = 1};

	rig_open(NULL);
	start_under(&stopping);
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 10 + 30 + 70 + 150);
	assert_times(TIMES(0, 10, 40, 110, 260));
	rig_close();
}

WARD_TEST(child_that_a_strategy_restarts_has_not_ended)
{
	static const ward_strategy restarts = {.otherwise = WARD_RESTART};

	rig_open(NULL);
	start_under(&restarts);
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	send_jobs(2, 2);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	assert_got("1.1 2.2"); /* nothing is sent again: the first is kept */
	ward_assert_eq(sending().pending, 1);
	ward_assert_eq(sending().retries, 0);
	rig_close();
}

/* ---- a bound on what is waited for --------------------------------------------------------- */

WARD_TEST(child_that_is_silent_for_too_long_is_stopped_and_made_anew)
{
	rig_open(NULL);
	start_sender(.patience_ms = 100);
	ward_kit_advance(rig.kit, 1000); /* nothing to do: no hurry */
	ward_assert_eq(rig.made, 1);
	rig.mute = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 60);
	send_jobs(2, 2); /* does not put it off */
	ward_kit_advance(rig.kit, 39);
	ward_assert_eq(rig.made, 1);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(rig.made, 2);
	assert_got("1.1 1.2");
	rig.mute = false;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 1.2 2.1 2.2");
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(rig.made, 2);
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 0);
	rig_close();
}

WARD_TEST(each_word_of_the_child_puts_off_the_end_of_patience)
{
	rig_open(NULL);
	start_sender(.patience_ms = 100);
	rig.mute = true;
	send_jobs(1, 3);
	for (uint64_t id = 1; id <= 2; id++) {
		ward_kit_advance(rig.kit, 90);
		ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = id);
	}
	ward_kit_advance(rig.kit, 99);
	ward_assert_eq(rig.made, 1);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(rig.made, 2);
	rig_close();
}

WARD_TEST(patience_is_anew_for_each_child, "S108")
{
	rig_open(NULL);
	start_sender(.patience_ms = 1000);
	rig.mute = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 950);
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_run(rig.kit);
	ward_kit_advance(rig.kit, 10 + 999); /* the second has it since 960 */
	ward_assert_eq(rig.made, 2);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(rig.made, 3);
	rig_close();
}

WARD_TEST(patience_does_not_end_in_a_wait)
{
	rig_open(NULL);
	start_sender(.patience_ms = 100, .back_off.slot_time_ms = WARD_SECOND);
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 99);
	ward_kit_advance(rig.kit, 999);
	rig.mute = true;
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 2.1");
	ward_kit_advance(rig.kit, 99);
	ward_assert_eq(rig.made, 2);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(rig.made, 3);
	rig_close();
}

/* ---- what it cannot keep, or cannot send --------------------------------------------------- */

WARD_TEST(message_that_owns_things_is_cloned_for_the_child, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.mute = true;
	send_parcel(1);
	ward_assert_eq(parcels_alive, 1); /* the one that is kept */
	ward_kit_stop(rig.kit, rig.child);
	rig.mute = false;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.1");
	ward_assert_eq(parcels_alive, 0);
	rig_close();
}

WARD_TEST(message_that_cannot_be_copied_is_a_dead_letter)
{
	rig_open(NULL);
	start_plain();
	parcels_alive++;
	ward_kit_tell(rig.kit, rig.sender, single, .number = 1, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(dead_letters(WARD_REASON_UNIQUE), 1);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

WARD_TEST(what_a_full_mailbox_of_the_child_refuses_is_sent_later_in_order)
{
	rig_open(NULL);
	start_sender(.child = {.behavior = &danger, .mailbox = {.messages_max = 2}});
	for (int number = 1; number <= 7; number++)
		ward_kit_tell(rig.kit, rig.sender, job, .number = number);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(sending().pending, 0);
	assert_got("1.1 1.2 1.3 1.4 1.5 1.6 1.7");
	rig_close();
}

WARD_TEST(nothing_overtakes_what_a_full_mailbox_has_refused)
{
	rig_open(NULL);
	start_sender(.child = {.behavior = &danger, .mailbox = {.messages_max = 2}});
	rig.mute = true;
	send_jobs(1, 1);
	ward_kit_stop(rig.kit, rig.child);
	rig.mute = false;
	send_jobs(2, 3);
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.1 2.2"); /* both are done, and there is room; but 3 is behind */
	send_jobs(4, 4);
	assert_got("1.1 2.1 2.2");
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.1 2.2 2.3 2.4");
	send_jobs(5, 5); /* nothing is behind any more: at once */
	assert_got("1.1 2.1 2.2 2.3 2.4 2.5");
	rig_close();
}

/* Out of a wait, too, the child gets each once. */
WARD_TEST(what_went_into_a_mailbox_before_it_was_full_is_not_sent_again)
{
	rig_open(NULL);
	start_sender(.child = {.behavior = &danger, .mailbox = {.messages_max = 2}});
	rig.mute = true;
	send_jobs(1, 1);
	ward_kit_stop(rig.kit, rig.child);
	for (int number = 2; number <= 5; number++)
		send_parcel(number);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	assert_got("1.1 2.1 2.2 2.3 2.4 2.5");
	ward_assert_eq(parcels_alive, 4); /* of the copies that were refused nothing is left */
	rig_close();
}

/* Its clone answers what the test says. */
struct stuck {
	int number;
};
static ward_err stuck_answer;
static void stuck_drop(void *body)
{
	(void)body;
}
static ward_err stuck_clone(void *to, const void *from)
{
	(void)to, (void)from;
	return stuck_answer;
}
RAW_MESSAGE_OWNED(stuck, stuck_drop, stuck_clone, raw_decode);

static bool id_also_of_stuck(const ward_msg *msg, uint64_t *ret_id)
{
	*ret_id = 99;
	return ward_match(msg, stuck) != NULL || id_of(msg, ret_id);
}

static void start_for_stuck(ward_probe *parent, struct ward_backoff_sender args)
{
	args = filled(args);
	args.id = id_also_of_stuck;
	rig.sender = ward_probe_spawn(parent, &ward_backoff_sender, .name = "sender",
				      .args = {WARD_COPY(ward_backoff_sender, &args)});
	ward_kit_run(rig.kit);
}

WARD_TEST(message_whose_clone_refuses_is_dropped_and_holds_up_no_other, "S108")
{
	rig_open(NULL);
	ward_probe *parent = ward_probe_start(rig.kit, "parent");
	stuck_answer = WARD_EINVAL;
	start_for_stuck(parent, (struct ward_backoff_sender){0});
	ward_kit_tell(rig.kit, rig.sender, stuck, .number = 1);
	send_jobs(1, 2);
	assert_got("1.1 1.2");
	const struct ward_backoff_dropped *dropped = ward_expect(parent, 0, ward_backoff_dropped);
	ward_assert_eq(dropped->id, 99);
	ward_assert_eq(dropped->why, WARD_EINVAL);
	ward_assert(!dropped->handed_over);
	ward_assert_eq(dropped->dropped, 1);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

WARD_TEST(message_whose_clone_refuses_at_a_tick_is_dropped_and_the_rest_is_sent, "S108")
{
	rig_open(NULL);
	ward_probe *parent = ward_probe_start(rig.kit, "parent");
	stuck_answer = WARD_ENOMEM;
	start_for_stuck(parent, (struct ward_backoff_sender){0});
	send_jobs(1, 1);
	ward_kit_tell(rig.kit, rig.sender, stuck, .number = 1);
	send_jobs(2, 3); /* behind it, as long as there is no memory */
	ward_kit_advance(rig.kit, 100);
	assert_got("1.1");
	ward_expect_none(parent, 0);
	stuck_answer = WARD_ESIZE;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 1.2 1.3");
	ward_assert_eq(ward_expect(parent, 0, ward_backoff_dropped)->why, WARD_ESIZE);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

WARD_TEST(patience_goes_on_when_what_stood_in_its_way_is_done, "S108")
{
	rig_open(NULL);
	ward_probe *parent = ward_probe_start(rig.kit, "parent");
	stuck_answer = WARD_ENOMEM;
	start_for_stuck(parent, (struct ward_backoff_sender){.patience_ms = 1000});
	rig.mute = true;
	send_jobs(1, 1);
	ward_kit_tell(rig.kit, rig.sender, job, .number = 99);
	ward_kit_tell(rig.kit, rig.sender, stuck, .number = 1);  /* waits for memory */
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 99); /* both are done */
	ward_kit_run(rig.kit);
	ward_assert_eq(sending().pending, 1);
	ward_kit_advance(rig.kit, 10 + 999); /* the tick is at 10 */
	ward_assert_eq(rig.made, 1);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(rig.made, 2);
	rig_close();
}

WARD_TEST(message_that_finds_no_memory_is_a_dead_letter)
{
	rig_open(NULL);
	start_plain();
	ward_kit_tell(rig.kit, rig.sender, job, .number = 1);
	ward_kit_fail_all_allocations(rig.kit, true);
	ward_kit_run(rig.kit);
	ward_kit_fail_all_allocations(rig.kit, false);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MEMORY), 1);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

static const ward_strategy restarting = {.otherwise = WARD_RESTART};

static bool is_dead(int number)
{
	for (size_t i = 0; i < ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"); i++) {
		const ward_event *event = ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", i);
		struct job job;

		if (strcmp(event->message_type, "job") != 0)
			continue;
		memcpy(&job, event->bytes, sizeof job);
		if (job.number == number)
			return true;
	}
	return false;
}

/* The n-th allocation from the end of the child on finds no memory; gives whether there was one.
 * Three messages are kept then, and each arrives, or is a dead letter. */
static bool survives_shortage(uint64_t nth)
{
	const char *last = rig.got;
	uint64_t before;
	bool struck;

	rig_open(&(ward_kit_options){.system.user_strategy = &restarting});
	start_sender(.patience_ms = WARD_SECOND); /* the word that one is done may be lost, too */
	rig.mute = true;
	send_jobs(1, 3);
	rig.mute = false;
	rig.got[0] = '\0';
	before = ward_kit_allocations(rig.kit);
	ward_kit_fail_allocation(rig.kit, nth);
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	struck = ward_kit_allocations(rig.kit) - before >= nth;
	ward_kit_fail_allocation(rig.kit, 0);
	for (int number = 1; number <= 3; number++) {
		char again[8];
		const char *at;

		snprintf(again, sizeof again, ".%d", number);
		at = strstr(rig.got, again);
		ward_assert(at != NULL || is_dead(number));
		ward_assert(at == NULL || at > last); /* in order */
		last = at != NULL ? at : last;
	}
	if (ward_kit_is_alive(rig.kit, rig.sender))
		ward_assert_eq(sending().pending, 0);
	rig_close();
	return struck;
}

WARD_TEST(nothing_that_is_kept_is_lost_silently_for_want_of_memory)
{
	uint64_t nth = 1;

	if (ward_test_shortage()) /* then that is done by the runner */
		return;
	while (survives_shortage(nth))
		nth++;
	ward_assert(nth > 5);
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void refused(struct ward_backoff_sender args, ward_err wanted, const char *part)
{
	ward_ref ref;
	ward_err err = ward_system_spawn(
		ward_kit_system(rig.kit),
		WARD_PROPS(&ward_backoff_sender, .args = {WARD_COPY(ward_backoff_sender, &args)}),
		&ref);

	ward_assert_err(err, wanted);
	ward_assert_part(ward_err_detail(), part);
}

WARD_TEST(arguments_that_cannot_be_are_refused_with_a_text, "S108")
{
	static const ward_behavior picky = {
		.name = "picky", .args = &ward_type_single, .receive = danger_receive};
	const ward_props child = {.behavior = &danger};
	struct single single = {0};

	rig_open(NULL);
	refused((struct ward_backoff_sender){.id = id_of}, WARD_EINVAL, "needs .child");
	refused((struct ward_backoff_sender){.child = child}, WARD_EINVAL, "needs .id");
	refused((struct ward_backoff_sender){.child = child, .id = id_of, .retries_max = -2},
		WARD_EINVAL, ".retries_max is -2");
	refused((struct ward_backoff_sender){.child = child, .id = id_of, .patience_ms = -3},
		WARD_EINVAL, ".patience_ms is -3");
	refused((struct ward_backoff_sender){.child = child,
					     .id = id_of,
					     .back_off.slot_time_ms = -4},
		WARD_EINVAL, ".slot_time_ms is -4");
	refused((struct ward_backoff_sender){.child = child, .id = id_of, .reserved = {0, 1}},
		WARD_EINVAL, "reserved");
	refused((struct ward_backoff_sender){.child = {.behavior = &picky,
						       .args = {WARD_COPY(single, &single)}},
					     .id = id_of},
		WARD_EUNIQUE, "\"single\"");
	rig_close();
}

WARD_TEST_MAIN
