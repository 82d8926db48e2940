/* SPDX-License-Identifier: MIT
 *
 * test_fsm.c - finite state machines inside actors: moves, hooks, what is not allowed (row 57).
 */
#include "scripted_machine.h"

/* ---- moving ------------------------------------------------------------------------------ */

WARD_TEST(machine_enters_its_initial_state_and_moves_when_it_is_asked_to)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	assert_journal("enter shut from shut");
	journal_clear();
	say(kit, ref, STAY, 0);
	assert_journal("shut 0");
	journal_clear();
	say(kit, ref, GO, OPEN);
	assert_journal("shut 1;leave shut to open;enter open from shut");
	journal_clear();
	say(kit, ref, GO, LOCKED); /* which has no hooks */
	assert_journal("open 1;leave open to locked");
	journal_clear();
	say(kit, ref, GO, SHUT);
	assert_journal("locked 1;enter shut from locked");
	script_finish(kit);
}

WARD_TEST(move_to_the_same_state_enters_it_again)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	journal_clear();
	say(kit, ref, GO, SHUT);
	assert_journal("shut 1;leave shut to shut;enter shut from shut");
	script_finish(kit);
}

WARD_TEST(last_of_two_moves_counts_and_a_failure_moves_nothing)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	journal_clear();
	say(kit, ref, GO_TWICE, OPEN);
	assert_journal("shut 2;leave shut to open;enter open from shut");
	journal_clear();
	say(kit, ref, GO_AND_FAIL, LOCKED); /* restarted: all begins again */
	assert_journal("open 3;enter shut from shut");
	journal_clear();
	ward_kit_advance(kit, WARD_SECOND);
	assert_journal(""); /* the timeout of open went with the incarnation */
	script_finish(kit);
}

WARD_TEST(enter_hook_may_go_on)
{
	ward_kit *kit;
	set.enter_goes_on = LOCKED;
	ward_ref ref = start(&kit);
	journal_clear();
	say(kit, ref, GO, OPEN);
	assert_journal("shut 1;leave shut to open;enter open from shut;leave open to locked");
	ward_kit_advance(kit, 249);
	assert_journal("shut 1;leave shut to open;enter open from shut;leave open to locked");
	journal_clear();
	ward_kit_advance(kit, 1);
	assert_journal("timeout in locked");
	script_finish(kit);
}

WARD_TEST(enter_hook_of_the_initial_state_may_go_on)
{
	ward_kit *kit;
	static const ward_fsm_table opens = {.rows = rows, .count = STATES, .initial = OPEN};
	set.enter_goes_on = LOCKED;
	set.table = &opens;
	(void)start(&kit);
	assert_journal("enter open from open;leave open to locked");
	script_finish(kit);
}

static ward_result go_from_outside(ward_self *self, const ward_fsm_table *table)
{
	ward_fsm fsm = {.table = NULL};
	ward_assert_str(ward_fsm_state_text(&fsm), "?");
	if (ward_fsm_init(self, &fsm, table) == WARD_FAILED)
		return WARD_FAILED;
	return WARD_DONE;
}

static ward_result two_rows_enter(ward_self *self, void *state, uint32_t from)
{
	(void)self;
	(void)state;
	journal_note("entered from %u", from);
	return WARD_DONE;
}

static ward_result nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static ward_result go_at_once(ward_self *self, void *arg)
{
	static const ward_fsm_row two[] = {
		{.name = "one", .receive = nothing},
		{.name = "two", .receive = nothing, .enter = two_rows_enter}};
	static const ward_fsm_table table = {.rows = two, .count = 2};
	ward_fsm fsm = {.table = NULL};
	(void)arg;
	ward_assert_eq(ward_fsm_init(self, &fsm, &table), WARD_DONE);
	ward_assert_eq(ward_fsm_go(self, &fsm, 1), WARD_DONE);
	ward_assert_eq(ward_fsm_state(&fsm), 1);
	assert_journal_of("a", "init;pre_start");
	ward_assert_part(journal_text(), "entered from 0");
	return go_from_outside(self, &table);
}

WARD_TEST(move_outside_the_functions_of_the_table_happens_at_once)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, go_at_once, NULL);
	ward_kit_run(kit);
	ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(kit);
}

/* ---- what is not allowed ----------------------------------------------------------------- */

WARD_TEST(move_that_is_not_allowed_fails_the_actor_and_names_both_states)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, LOCKED);
	say(kit, ref, GO, LOCKED); /* that is allowed */
	journal_clear();
	say(kit, ref, GO, OPEN);
	assert_journal("locked 1;enter shut from shut");
	ward_assert_str(failure(kit)->failure_class, "ward_misuse");
	ward_assert_str(failure(kit)->text, "from locked the machine may not go to open");
	script_finish(kit);
}

WARD_TEST(move_to_no_state_fails_the_actor)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, STATES);
	ward_assert_str(failure(kit)->failure_class, "ward_misuse");
	ward_assert_str(failure(kit)->text,
			"there is no state 3 to go to from shut: the table has 3");
	script_finish(kit);
}

WARD_TEST(leave_hook_must_not_go_elsewhere)
{
	ward_kit *kit;
	set.leave_goes = true;
	ward_ref ref = start(&kit);
	say(kit, ref, GO, OPEN);
	ward_assert_str(failure(kit)->text, "the leave hook of shut wants to go to locked");
	script_finish(kit);
}

WARD_TEST(failure_in_a_hook_fails_the_actor)
{
	ward_kit *kit;
	set.leave_fails = true;
	ward_ref ref = start(&kit);
	journal_clear();
	say(kit, ref, GO, OPEN);
	assert_journal("shut 1;leave shut to open;enter shut from shut");
	ward_assert_str(failure(kit)->text, "in leave");
	script_finish(kit);
	memset(&set, 0, sizeof set);
	set.enter_fails = true;
	ref = start(&kit);
	say(kit, ref, GO, OPEN);
	ward_assert_str(failure(kit)->text, "in enter");
	script_finish(kit);
}

WARD_TEST(machine_that_was_not_started_fails_the_actor)
{
	ward_kit *kit;
	set.forgets_start = true;
	ward_ref ref = start(&kit);
	say(kit, ref, STAY, 0);
	ward_assert_str(failure(kit)->text, "ward_fsm_receive before ward_fsm_init");
	script_finish(kit);
}

static ward_result go_unstarted(ward_self *self, void *arg)
{
	ward_fsm fsm = {.table = NULL};
	(void)arg;
	return ward_fsm_go(self, &fsm, 0);
}

WARD_TEST(move_before_the_start_fails_the_actor)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, go_unstarted, NULL);
	ward_kit_run(kit);
	ward_assert_str(ward_kit_event(kit, WARD_EVENT_FAILURE, "*", 0)->text,
			"ward_fsm_go before ward_fsm_init");
	script_finish(kit);
}

WARD_TEST(table_that_is_wrong_fails_the_start)
{
	const ward_fsm_row good = {.name = "a", .receive = nothing};
	ward_fsm_row row[6] = {good, good, good, good, good, good};
	row[0].name = NULL;
	row[1].receive = NULL;
	row[2].timeout_ms = -1;
	row[3].next = WARD_FSM_TO(1);
	row[4].reserved[0] = 1;
	row[5].reserved[1] = 1;
	const struct {
		ward_fsm_table table;
		const char *text;
	} wrong[] = {
		{{.rows = NULL, .count = 1}, "a machine has no table"},
		{{.rows = &good, .count = 0}, "a machine has 0 states: 1 to 64 are allowed"},
		{{.rows = &good, .count = 65}, "a machine has 65 states"},
		{{.rows = &good, .count = 1, .initial = 1},
		 "the initial state is 1, but the table has 1"},
		{{.rows = &good, .count = 1, .reserved = {1}}, "reserved word of a machine's"},
		{{.rows = &good, .count = 1, .reserved = {0, 1}}, "reserved word of a machine's"},
		{{.rows = &row[0], .count = 1}, "state 0 (?) of a machine: it has no name"},
		{{.rows = &row[1], .count = 1}, "state 0 (a) of a machine: it has no receive"},
		{{.rows = &row[2], .count = 1},
		 "state 0 (a) of a machine: .timeout_ms is -1: it must not be negative"},
		{{.rows = &row[3], .count = 1}, "its `next` has a bit beyond the last state"},
		{{.rows = &row[4], .count = 1}, "a reserved word is not zero"},
		{{.rows = &row[5], .count = 1}, "a reserved word is not zero"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		ward_kit *kit;
		set.table = &wrong[i].table;
		(void)start(&kit);
		ward_assert_part(failure(kit)->text, wrong[i].text);
		script_finish(kit);
	}
}

WARD_TEST(table_may_have_64_states)
{
	static ward_fsm_row many[64];
	static ward_fsm_table table = {.rows = many, .count = 64, .initial = 63};
	ward_kit *kit;
	for (int i = 0; i < 64; i++)
		many[i] = (ward_fsm_row){
			.name = "s", .receive = nothing, .next = WARD_FSM_TO(63) | WARD_FSM_TO(0)};
	set.table = &table;
	(void)start(&kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(kit);
}

/* ---- what no state wants ----------------------------------------------------------------- */

WARD_TEST(what_a_state_leaves_unhandled_goes_to_the_handler_of_the_machine)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	say(kit, ref, UNKNOWN, 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 1);
	script_finish(kit);
	set.has_unhandled = true;
	ref = start(&kit);
	say(kit, ref, UNKNOWN, 0);
	ward_assert_part(journal_text(), "shut 5;left over");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 0);
	script_say(kit, ref, "neither");
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 1);
	script_finish(kit);
}

WARD_TEST(move_is_made_also_if_the_message_is_left_unhandled)
{
	ward_kit *kit;
	ward_ref ref = start(&kit);
	journal_clear();
	say(kit, ref, GO_AND_LEAVE_UNHANDLED, OPEN);
	assert_journal("shut 4;leave shut to open;enter open from shut");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/door"), 1);
	script_finish(kit);
}

/* ---- resumed ----------------------------------------------------------------------------- */

static ward_ref start_resumed(ward_kit **ret_kit)
{
	static const ward_strategy resumes = {.otherwise = WARD_RESUME};
	*ret_kit = script_start(&(ward_kit_options){.system.user_strategy = &resumes});
	ward_ref ref = ward_kit_spawn(*ret_kit, &door, .name = "door");
	ward_kit_run(*ret_kit);
	return ref;
}

WARD_TEST(resumed_machine_is_where_it_was_and_forgets_where_it_was_going)
{
	ward_kit *kit;
	ward_ref ref = start_resumed(&kit);
	journal_clear();
	say(kit, ref, GO_AND_FAIL, OPEN);
	say(kit, ref, STAY, 0);
	assert_journal("shut 3;shut 0");
	journal_clear();
	set.leave_fails = true;
	say(kit, ref, GO, OPEN);
	set.leave_fails = false;
	say(kit, ref, GO, OPEN);
	assert_journal("shut 1;leave shut to open;shut 1;leave shut to open;enter open from shut");
	script_finish(kit);
}

WARD_TEST(machine_that_jumped_out_of_a_hook_goes_on_when_it_is_resumed)
{
	ward_kit *kit;
	ward_ref ref = start_resumed(&kit);
	set.leave_jumps = true;
	say(kit, ref, GO, OPEN);
	set.leave_jumps = false;
	journal_clear();
	say(kit, ref, GO, OPEN);
	assert_journal("shut 1;leave shut to open;enter open from shut");
	script_finish(kit);
}

WARD_TEST(timeout_of_a_state_that_was_left_is_not_seen_when_enter_failed)
{
	ward_kit *kit;
	ward_ref ref = start_resumed(&kit);
	say(kit, ref, GO, OPEN);
	set.enter_fails = true;
	say(kit, ref, GO, OPEN);
	journal_clear();
	ward_kit_advance(kit, WARD_MINUTE);
	assert_journal(""); /* nor is its own: that begins with the next message */
	say(kit, ref, STAY, 0);
	ward_kit_advance(kit, 100);
	assert_journal("open 0;timeout in open");
	script_finish(kit);
}

WARD_TEST_MAIN
