/* SPDX-License-Identifier: MIT
 *
 * shortage_end.c - the rules for a case whose n-th allocation failed.
 *
 *	all its checks hold                                              complete
 *	one does not hold in a callback                                  that actor fails by it
 *	one does not hold in the body, and no code reported the
 *	shortage by a code, a dead letter or a failure                   wrong
 *	one does not hold in the body, somebody was told                 the test lets go of what
 *	                                                                 it holds up; then the
 *	                                                                 rest is looked at:
 *	    it comes to rest with nobody stuck: no failure is undecided,
 *	        no stop, restart or death notice lost
 *	    it ends in order, and nothing is left                        cut short
 *
 * A case is written for enough memory, so its checks may fail without. But ward must never crash,
 * leak, or lose something silently.
 */
#include "testkit/run/shortage_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/testkit/runner.h>
#include <ward/text.h>

#include "testkit/check/case_result.h"
#include "testkit/check/shortage.h"
#include "testkit/kit/far.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/living_kits.h"

enum { TURNS_MAX = 100 * 1000 /* until the rest is quiet; a loop of restarts never is */ };

static pid_t process; /* of the case */

void wardi_shortage_begin(void)
{
	process = getpid();
}

/* ---- how it ends ------------------------------------------------------------------------- */

__attribute__((noreturn)) static void fail(const char *file, int line, const char *text)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, text);
	fflush(NULL);
	_exit(1);
}

__attribute__((noreturn)) static void leave(enum wardi_shortage_end end)
{
	atomic_store_explicit(&wardi_testkit_run->shortage_end, end, memory_order_relaxed);
	atomic_store_explicit(&wardi_testkit_run->came_to_end, true, memory_order_relaxed);
	/* exit() looks for leaks: only after a complete check of the rest. */
	if (end == WARDI_SHORTAGE_CUT)
		exit(0);
	_exit(0);
}

/* ---- stuck actors ------------------------------------------------------------------------ */

struct row {
	ward_ref ref, parent, held_by;
	char path[WARD_EVENT_PATH];
	const char *state;
	uint32_t suspended;
	bool ready;
	bool has_mail;
	bool closed; /* it may keep its mail */
};

struct picture {
	struct row *rows;
	size_t count, room;
};

static void add_row(void *arg, const ward_actor_info *info)
{
	struct picture *picture = arg;

	if (picture->count == picture->room) {
		picture->room = picture->room == 0 ? 64 : 2 * picture->room;
		picture->rows = realloc(picture->rows, picture->room * sizeof *picture->rows);
		ward_assert(picture->rows != NULL);
	}
	struct row *row = &picture->rows[picture->count++];
	*row = (struct row){.ref = info->ref,
			    .parent = info->parent,
			    .state = info->state,
			    .suspended = info->suspended,
			    .ready = info->ready,
			    .has_mail = info->has_mail,
			    .closed = info->closed,
			    .held_by = info->held_by};
	memcpy(row->path, info->path, sizeof row->path);
}

static const struct row *find_row(const struct picture *picture, ward_ref ref)
{
	for (size_t i = 0; i < picture->count; i++)
		if (ward_ref_equal(picture->rows[i].ref, ref))
			return &picture->rows[i];
	return NULL;
}

static bool is_on_its_way(const struct row *row)
{
	static const char *const states[] = {"starting", "retrying", "restarting", "stopping",
					     "stopped"};

	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		if (strcmp(row->state, states[i]) == 0)
			return true;
	return false;
}

/* Whether the actor waits for a child that is itself on its way. */
static bool waits_for_a_child(const struct picture *picture, const struct row *row)
{
	for (size_t i = 0; i < picture->count; i++)
		if (ward_ref_equal(picture->rows[i].parent, row->ref) &&
		    is_on_its_way(&picture->rows[i]))
			return true;
	return false;
}

/* Whether the parent could decide the failure and has not. */
static bool is_undecided(const struct picture *picture, const struct row *row)
{
	const struct row *parent = find_row(picture, row->parent);

	return strstr(row->state, "failed") != NULL && parent != NULL && parent->suspended == 0 &&
	       strcmp(parent->state, "running") == 0 && !wardi_shortage_is_put_off(row->ref);
}

/* Whether the actor waits for another mailbox to drain, and that is not empty; if it is closed, for
 * as long as its owner likes. */
static bool is_held(const struct picture *picture, const struct row *row)
{
	const struct row *owner = find_row(picture, row->held_by);

	return owner != NULL && owner->has_mail;
}

static const char *what_is_wrong(const struct picture *picture, const struct row *row)
{
	if (row->ready) /* a simulation has stalled it */
		return NULL;
	/* The root has no parent to note its end. */
	if (is_on_its_way(row) && !waits_for_a_child(picture, row) &&
	    !ward_ref_is_nobody(row->parent))
		return "waits for nothing";
	if (is_undecided(picture, row))
		return "has failed, and its parent has not heard";
	if (strcmp(row->state, "running") == 0 && row->suspended == 0 && row->has_mail &&
	    !row->closed && !is_held(picture, row))
		return "has mail, and is asleep";
	return NULL;
}

static void look_for_stuck(ward_kit *kit, const char *file, int line)
{
	struct picture picture = {0};

	ward_system_actors(kit->system, add_row, &picture);
	for (size_t i = 0; i < picture.count; i++) {
		const struct row *row = &picture.rows[i];
		const char *wrong = what_is_wrong(&picture, row);

		if (wrong == NULL)
			continue;
		ward_kit_print_tree(kit, STDERR_FILENO);
		ward_test_fail(file, line, "after the shortage %s (%s) %s", row->path, row->state,
			       wrong);
	}
	free(picture.rows);
}

static void check_nobody_is_stuck(ward_kit *kit, const char *file, int line)
{
	for (int turns = 0; ward_simulation_step(kit->system); turns++)
		if (turns == TURNS_MAX)
			return;
	look_for_stuck(kit, file, line);
	if (kit->far != NULL)
		look_for_stuck(wardi_kit_far.other(kit), file, line);
}

/* ---- a check that does not hold ---------------------------------------------------------- */

static uint64_t times_told(void)
{
	uint64_t told =
		atomic_load_explicit(&wardi_testkit_run->shortage_told, memory_order_relaxed);
	ward_kit *kit = NULL;

	while ((kit = wardi_kit_next_living(kit)) != NULL) {
		ward_stats stats = ward_kit_stats(kit);

		told += stats.shortages + stats.events_lost;
	}
	return told;
}

/* Makes the actor fail if the check failed in a callback. In any other function that the system
 * calls, nothing can be done. */
static void fail_in_callback(const char *file, int line, const char *text)
{
	ward_kit *kit = NULL;
	bool moving;

	while ((kit = wardi_kit_next_living(kit)) != NULL) {
		ward_self *self = ward_simulation_self(kit->system, &moving);

		if (self != NULL)
			ward_fail(self, &ward_check_failed, "%s:%d: %.*s", file, line,
				  WARD_TEXT_FIT(text, 150));
		if (moving || kit->real_threads)
			leave(WARDI_SHORTAGE_UNSEEN);
	}
}

/* Ends the process, from a thread that the case started or from a child process. */
__attribute__((noreturn)) static void leave_elsewhere(void)
{
	if (getpid() == process)
		leave(WARDI_SHORTAGE_UNSEEN);
	wardi_shortage_told(times_told());
	_exit(1);
}

/* From now on each system moves by itself: others that moved with it will be gone first. But a kit
 * ends its second system, and moves with it until then. */
static void part_systems(void)
{
	ward_kit *kit = NULL;

	while ((kit = wardi_kit_next_living(kit)) != NULL)
		if (kit->far == NULL && !wardi_kit_is_second(kit)) {
			(void)ward_simulation_others(kit->system, NULL, NULL);
			kit->node = NULL;
		}
}

/* Returns the latest kit that the case itself started. */
static ward_kit *latest_kit(void)
{
	ward_kit *kit = NULL;

	do
		kit = wardi_kit_next_living(kit);
	while (kit != NULL && wardi_kit_is_second(kit));
	return kit;
}

void wardi_shortage_failed(void *arg, const char *file, int line, const char *text)
{
	char silence[2200];
	ward_kit *kit;

	(void)arg;
	if (!wardi_shortage_excuses())
		fail(file, line, text);
	if (gettid() != getpid() || getpid() != process)
		leave_elsewhere();
	fail_in_callback(file, line, text);
	if (wardi_shortage_looks_after())
		fail(file, line, text);
	wardi_shortage_look_after();
	if (times_told() == 0) {
		snprintf(silence, sizeof silence, "the shortage was not reported, and yet: %s",
			 text);
		fail(file, line, silence);
	}
	part_systems();
	while ((kit = latest_kit()) != NULL) {
		if (kit->on_cut != NULL)
			kit->on_cut(kit->on_cut_arg);
		check_nobody_is_stuck(kit, file, line);
		kit->may_leave_mail = true;
		ward_kit_finish_at(kit, file, line);
	}
	leave(WARDI_SHORTAGE_CUT);
}
