/* SPDX-License-Identifier: MIT
 *
 * test_cell.c - the states of a cell and their moves, the counter of suspensions, the gate.
 *
 * Method: the moves of the picture in cell.c are written out here once more; every other pair of
 * states must be refused. Counter and gate are tried on a cell that no system knows.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cell/self.h"
#include "life/move_state.h"
#include "support/script.h"

static const struct {
	enum wardi_state from, to;
} moves[] = {
	{WARDI_FREE, WARDI_STARTING},
	{WARDI_STARTING, WARDI_RUNNING},
	{WARDI_STARTING, WARDI_START_FAILED},
	{WARDI_START_FAILED, WARDI_RETRYING},
	{WARDI_RETRYING, WARDI_STARTING},
	{WARDI_RUNNING, WARDI_FAILED},
	{WARDI_RUNNING, WARDI_RESTARTING},
	{WARDI_FAILED, WARDI_RUNNING},
	{WARDI_FAILED, WARDI_RESTARTING},
	{WARDI_RESTARTING, WARDI_RUNNING},
	{WARDI_RESTARTING, WARDI_RESTART_FAILED},
	{WARDI_RESTART_FAILED, WARDI_RESTARTING},
	{WARDI_STARTING, WARDI_STOPPING},
	{WARDI_START_FAILED, WARDI_STOPPING},
	{WARDI_RETRYING, WARDI_STOPPING},
	{WARDI_RUNNING, WARDI_STOPPING},
	{WARDI_FAILED, WARDI_STOPPING},
	{WARDI_RESTARTING, WARDI_STOPPING},
	{WARDI_RESTART_FAILED, WARDI_STOPPING},
	{WARDI_STOPPING, WARDI_STOPPED},
	{WARDI_STOPPED, WARDI_FREE},
};

static bool in_picture(enum wardi_state from, enum wardi_state to)
{
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].from == from && moves[i].to == to)
			return true;
	}
	return false;
}

WARD_TEST(moves_are_those_of_the_picture_and_no_others)
{
	for (int from = 0; from < WARDI_STATES; from++) {
		for (int to = 0; to < WARDI_STATES; to++) {
			if (wardi_state_may_follow(from, to) != in_picture(from, to))
				ward_test_fail(__FILE__, __LINE__, "%s -> %s",
					       wardi_state_name(from), wardi_state_name(to));
		}
	}
}

WARD_TEST(states_have_names_of_their_own)
{
	for (int i = 0; i < WARDI_STATES; i++) {
		const char *name = wardi_state_name((enum wardi_state)i);
		ward_assert(name != NULL && name[0] != '\0');
		ward_assert(strlen(name) < sizeof(((ward_event *)0)->old_state));
		for (int j = 0; j < i; j++)
			ward_assert(strcmp(name, wardi_state_name((enum wardi_state)j)) != 0);
	}
}

/* Which states can be reached from this one, over any number of moves. */
static uint32_t reachable(enum wardi_state from)
{
	uint32_t seen = 0, before;
	for (int to = 0; to < WARDI_STATES; to++)
		if (wardi_state_may_follow(from, (enum wardi_state)to))
			seen |= UINT32_C(1) << to;
	do {
		before = seen;
		for (int via = 0; via < WARDI_STATES; via++)
			for (int to = 0; (seen & (UINT32_C(1) << via)) != 0 && to < WARDI_STATES;
			     to++)
				if (wardi_state_may_follow((enum wardi_state)via,
							   (enum wardi_state)to))
					seen |= UINT32_C(1) << to;
	} while (seen != before);
	return seen;
}

WARD_TEST(every_life_can_be_ended_and_every_state_is_reached)
{
	ward_assert_eq(reachable(WARDI_FREE), (UINT32_C(1) << WARDI_STATES) - 1);
	for (int state = WARDI_STARTING; state < WARDI_STOPPING; state++)
		ward_assert(wardi_state_may_follow((enum wardi_state)state, WARDI_STOPPING));
}

WARD_TEST(resume_stops_at_zero, "S8")
{
	struct wardi_cell cell = {0};
	wardi_cell_resume(&cell, 1);
	ward_assert_eq(wardi_cell_suspended(&cell), 0);
	wardi_cell_suspend(&cell, 2);
	wardi_cell_resume(&cell, 1);
	ward_assert_eq(wardi_cell_suspended(&cell), 1);
	wardi_cell_resume(&cell, 5);
	ward_assert_eq(wardi_cell_suspended(&cell), 0);
}

static void set_state(struct wardi_cell *cell, enum wardi_state state)
{
	atomic_store_explicit(&cell->state, (uint8_t)state, memory_order_relaxed);
}

WARD_TEST(mail_runs_only_in_a_running_cell_without_suspensions, "S8")
{
	struct wardi_cell cell = {0};
	for (int state = 0; state < WARDI_STATES; state++) {
		set_state(&cell, state);
		ward_assert_eq(wardi_cell_runs_mail(&cell), state == WARDI_RUNNING);
	}
	set_state(&cell, WARDI_RUNNING);
	wardi_cell_suspend(&cell, 1);
	ward_assert(!wardi_cell_runs_mail(&cell));
}

WARD_TEST(gate_follows_suspensions_and_waiting_restarts, "S5")
{
	struct wardi_cell cell = {0};
	set_state(&cell, WARDI_RUNNING);
	ward_assert_eq(wardi_cell_gate(&cell), WARDI_GATE_OPEN);
	wardi_cell_suspend(&cell, 1);
	ward_assert_eq(wardi_cell_gate(&cell), WARDI_GATE_SUSPENDED);
	/* Waiting to end counts as suspended, waiting to restart does not. */
	set_state(&cell, WARDI_STOPPING);
	ward_assert_eq(wardi_cell_gate(&cell), WARDI_GATE_SUSPENDED);
	set_state(&cell, WARDI_RESTARTING);
	ward_assert_eq(wardi_cell_gate(&cell), WARDI_GATE_WAITING);
	set_state(&cell, WARDI_RETRYING);
	ward_assert_eq(wardi_cell_gate(&cell), WARDI_GATE_WAITING);
}

WARD_TEST(failure_is_outstanding_until_it_is_decided, "S13", "S47")
{
	struct wardi_cell cell = {0};
	for (int state = 0; state < WARDI_STATES; state++) {
		set_state(&cell, state);
		ward_assert_eq(wardi_cell_has_failed(&cell),
			       state == WARDI_FAILED || state == WARDI_START_FAILED ||
				       state == WARDI_RESTART_FAILED || state == WARDI_STOPPING ||
				       state == WARDI_STOPPED);
	}
}

/* ---- the moves themselves ---------------------------------------------------------------- */

/* Moves a fresh cell of a living system there in a process of its own; says how that ended. */
static int end_of_move(ward_kit *kit, enum wardi_state from, uint32_t suspended,
		       enum wardi_state to)
{
	fflush(NULL);
	pid_t pid = fork();
	ward_assert(pid >= 0);
	if (pid == 0) {
		struct wardi_segment *segment =
			calloc(1, sizeof(*segment) + sizeof(segment->cells[0]));
		struct wardi_cell *cell = &segment->cells[0];
		segment->system = ward_kit_system(kit);
		cell->rare = WARDI_NO_RARE;
		atomic_store_explicit(&cell->state, (uint8_t)from, memory_order_relaxed);
		wardi_cell_suspend(cell, suspended);
		wardi_cell_move(NULL, cell, to);
		_exit(wardi_cell_state(cell) == to ? 0 : 1);
	}
	int status;
	ward_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

WARD_TEST(move_that_is_not_in_the_table_ends_the_process)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_assert_eq(end_of_move(kit, WARDI_STARTING, 0, WARDI_RUNNING), 0);
	ward_assert_eq(end_of_move(kit, WARDI_STOPPING, 0, WARDI_RUNNING), SIGABRT);
	ward_assert_eq(end_of_move(kit, WARDI_STOPPED, 0, WARDI_STARTING), SIGABRT);
#ifndef WARDI_NO_ASSERT
	/* In the table, but the invariant of the state does not hold: failed and not suspended. */
	ward_assert_eq(end_of_move(kit, WARDI_RUNNING, 0, WARDI_FAILED), SIGABRT);
#endif
	ward_assert_eq(end_of_move(kit, WARDI_RUNNING, 1, WARDI_FAILED), 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
