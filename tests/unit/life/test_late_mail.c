/* SPDX-License-Identifier: MIT
 *
 * test_late_mail.c - mail that reaches a cell when its life is over.
 *
 * Method: the test is the sender that looked at the generation in time and pushes too late.
 */
#include <stdio.h>

#include "actor/ask.h"
#include "cell/ready.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "send/deliver.h"
#include "support/script.h"

WARD_SIGNAL(greeting);

/* Pushes a message for that life, as wardi_deliver() does after its look. */
static void push_late(ward_kit *kit, ward_ref to, ward_ref sender)
{
	struct wardi_cell *cell = wardi_table_cell(ward_kit_system(kit), wardi_uid_slot(to.uid));
	struct ward_msg *msg = wardi_msg_make(wardi_outside_source(ward_kit_system(kit)),
					      &ward_type_greeting, NULL, 0);

	ward_assert(msg != NULL);
	msg->target_gen = wardi_uid_gen(to.uid);
	msg->sender_uid = sender.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(sender));
	if (wardi_mailbox_push(&cell->mailbox, msg))
		wardi_cell_ready(NULL, cell);
}

WARD_TEST(late_message_is_a_dead_letter_at_once, "S49")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	push_late(kit, a.ref, ward_nobody());
	push_late(kit, a.ref, ward_nobody());
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 2);
	script_finish(kit);
}

WARD_TEST(late_message_does_not_reach_the_next_life, "S49", "S57")
{
	ward_kit *kit;
	struct script a = {.name = "a"}, b = {.name = "b"};

	WARD_TEST_SEEDS(20)
	{
		kit = script_start(NULL);
		script_spawn(kit, &a);

		ward_ref old = a.ref;

		ward_system_stop(ward_kit_system(kit), old);
		ward_kit_run(kit);
		/* It is made ready for its late mail, and wanted for a new life, at once. */
		push_late(kit, old, ward_nobody());
		script_spawn(kit, &b);
		push_late(kit, old, ward_nobody());
		ward_kit_run(kit);
		ward_assert_eq(ward_kit_stats(kit).dead_letters, 2);
		for (size_t i = 0; i < 2; i++)
			ward_assert(ward_ref_equal(
				ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", i)->subject, old));
		ward_assert_eq(ward_kit_stats(kit).unhandled, 0);
		ward_assert(ward_system_is_alive(ward_kit_system(kit), b.ref));
		script_finish(kit);
	}
}

WARD_TEST(cell_with_late_mail_is_used_again, "S57")
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	push_late(kit, a.ref, ward_nobody());
	ward_kit_run(kit);
	script_spawn(kit, &b);
	ward_assert_eq(wardi_uid_slot(a.ref.uid), wardi_uid_slot(b.ref.uid));
	ward_assert_eq(wardi_uid_gen(b.ref.uid), wardi_uid_gen(a.ref.uid) + 1);
	script_finish(kit);
}

WARD_TEST(late_message_half_pushed_is_looked_for_again_and_found, "S49")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	struct wardi_cell *cell = wardi_table_cell(ward_kit_system(kit), wardi_uid_slot(a.ref.uid));
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);

	/* What a sender does, cut in two by a second one that is done. */
	struct ward_msg *msg = wardi_msg_make(wardi_outside_source(ward_kit_system(kit)),
					      &ward_type_greeting, NULL, 0);
	ward_assert(msg != NULL);
	msg->target_gen = wardi_uid_gen(a.ref.uid);
	atomic_store(&msg->next, NULL);
	ward_assert_eq(atomic_exchange(&cell->mailbox.head, (uintptr_t)msg),
		       (uintptr_t)&cell->mailbox.stub | WARDI_IDLE);
	wardi_cell_ready(NULL, cell);
	push_late(kit, a.ref, ward_nobody());
	for (int turns = 0; turns < 3; turns++) {
		ward_assert_eq(ward_simulation_count(ward_kit_system(kit)), 1);
		ward_assert(ward_kit_step(kit));
		ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
	}
	atomic_store(&cell->mailbox.stub, msg);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 2);
	script_finish(kit);
}

/* An answer in its envelope, pushed like any other late message; makes the cell ready or not. */
static void push_late_answer(ward_kit *kit, ward_ref to, bool wakes)
{
	ward_system *system = ward_kit_system(kit);
	struct wardi_source from = wardi_outside_source(system);
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(to.uid));
	ward_ref question = {UINT64_C(7) << WARDI_ASK_SLOT_BITS | wardi_cell_slot(cell),
			     system->place | WARDI_PLACE_QUESTION, 0};
	struct ward_msg *answer = wardi_msg_make(from, &ward_type_greeting, NULL, 0);
	struct ward_msg *envelope;

	ward_assert(answer != NULL);
	envelope = wardi_answer_wrap(from, to, question, answer);
	ward_assert(envelope != NULL);
	if (wardi_mailbox_push(&cell->mailbox, envelope) && wakes)
		wardi_cell_ready(NULL, cell);
}

WARD_TEST(answer_that_finds_no_memory_for_its_envelope_stays_with_its_sender)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	ward_ref question = {UINT64_C(7) << WARDI_ASK_SLOT_BITS | wardi_uid_slot(a.ref.uid),
			     system->place | WARDI_PLACE_QUESTION, 0};
	struct ward_msg *answer =
		wardi_msg_make(wardi_outside_source(system), &ward_type_greeting, NULL, 0);
	ward_reason reason = WARD_REASON_NONE;
	ward_assert(answer != NULL);
	ward_kit_fail_allocation(kit, 1);
	ward_assert_err(wardi_deliver(system, NULL, question, answer, &reason), WARD_ENOMEM);
	ward_assert_eq(reason, WARD_REASON_NO_MEMORY);
	wardi_msg_destroy(wardi_outside_source(system), answer);
	script_finish(kit);
}

WARD_TEST(late_answer_is_a_dead_letter_and_stale)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	push_late_answer(kit, a.ref, true);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_eq(event->reason, WARD_REASON_STALE);
	ward_assert(ward_ref_equal(event->subject, a.ref));
	ward_assert_str(event->message_type, "greeting");
	script_finish(kit);
}

WARD_TEST(late_answer_that_no_worker_gets_to_goes_with_the_system)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	push_late_answer(kit, a.ref, false);
	script_finish(kit); /* finds no memory left */
}

enum { HELD = 6 /* more than are tried */ };

static void end_and_await(ward_kit *kit, ward_ref who)
{
	ward_system_stop(ward_kit_system(kit), who);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), who, WARD_MINUTE));
	ward_kit_run(kit);
}

/* As many as there may be, and that no more may be. */
static void spawn_all(ward_kit *kit, struct script *script, ward_ref refs[HELD])
{
	ward_ref one_more;
	char names[HELD][8];
	ward_props props = *script_props(script);

	for (int i = 0; i < HELD; i++) {
		snprintf(names[i], sizeof names[i], "a%d", i);
		props.name = names[i];
		ward_assert_ok(ward_system_spawn(ward_kit_system(kit), &props, &refs[i]));
	}
	props.name = "b";
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, &one_more), WARD_ELIMIT);
	ward_assert_part(ward_err_detail(), "options.actors_max");
	ward_kit_run(kit);
}

WARD_TEST(free_cells_that_are_held_for_late_mail_take_no_place_of_actors_max)
{
	for (int threads = 0; threads < 2; threads++) {
		struct script a = {.name = "a"};
		struct wardi_cell *held[HELD];
		ward_ref refs[HELD];
		ward_kit *kit = ward_kit_start(
			&(ward_kit_options){.real_threads = threads == 1,
					    .system = {.actors_max = 3 + HELD, .workers = 1}});
		ward_system *system = ward_kit_system(kit);
		uint32_t used = 0;

		for (int round = 0; round < 3; round++) {
			spawn_all(kit, &a, refs);
			for (int i = 0; i < HELD; i++) {
				end_and_await(kit, refs[i]);
				held[i] = wardi_table_cell(system, wardi_uid_slot(refs[i].uid));
				/* As a worker that has just got it for its late mail. */
				ward_assert(wardi_mailbox_wake(&held[i]->mailbox));
			}
			spawn_all(kit, &a, refs);
			for (int i = 0; i < HELD; i++)
				wardi_cell_ready(NULL, held[i]);
			for (int i = 0; i < HELD; i++)
				end_and_await(kit, refs[i]);
			/* What was put aside is used again. */
			if (round == 0)
				used = system->table.used;
			ward_assert_eq(system->table.used, used);
			ward_assert_eq(used, 3 + 2 * HELD);
		}
		ward_kit_finish(kit);
	}
}

/* A cell that was found behind one that is held is not looked for again, which would lose it. */
WARD_TEST(free_cell_behind_one_that_is_held_is_taken_once)
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_ref ref;
	ward_kit *kit = ward_kit_start(&(ward_kit_options){
		.real_threads = true, .system = {.actors_max = 5, .workers = 1}});
	ward_system *system = ward_kit_system(kit);

	a.ref = ward_kit_spawn_props(kit, script_props(&a));
	b.ref = ward_kit_spawn_props(kit, script_props(&b));
	struct wardi_cell *held = wardi_table_cell(system, wardi_uid_slot(a.ref.uid));
	uint32_t other = wardi_uid_slot(b.ref.uid);
	ward_system_stop(system, a.ref);
	ward_assert_ok(ward_system_wait_for(system, a.ref, WARD_MINUTE));
	ward_kit_run(kit);
	ward_system_stop(system, b.ref);
	ward_assert_ok(ward_system_wait_for(system, b.ref, WARD_MINUTE));
	ward_kit_run(kit);
	ward_assert(wardi_mailbox_wake(&held->mailbox));
	ward_assert_ok(ward_system_spawn(system, script_props(&b), &ref));
	ward_assert_eq(wardi_uid_slot(ref.uid), other);
	wardi_cell_ready(NULL, held);
	ward_kit_run(kit);
	ward_assert_ok(ward_system_spawn(system, script_props(&a), &ref));
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

WARD_TEST(cell_whose_life_is_over_belongs_to_no_dispatcher_of_its_own, "S49")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	ward_props props = *script_props(&a);
	props.dispatcher = WARD_PINNED;
	a.ref = ward_kit_spawn_props(kit, &props);
	ward_kit_run(kit);
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(a.ref.uid));
	ward_assert(cell->runnable.dispatcher != system->root_cell->runnable.dispatcher);
	ward_system_stop(system, a.ref);
	ward_kit_run(kit);
	/* That of a pinned one is gone: late mail must not go there. */
	ward_assert(cell->runnable.dispatcher == system->root_cell->runnable.dispatcher);
	push_late(kit, a.ref, ward_nobody());
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 1);
	script_finish(kit);
}

WARD_TEST_MAIN
