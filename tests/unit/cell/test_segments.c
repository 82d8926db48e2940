/* SPDX-License-Identifier: MIT
 *
 * test_segments.c - segments of free cells are given back, and who has an old ref is none the worse
 * for it.
 */
#include "actor/ask.h"
#include "cell/ready.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "unit/cell/segments.h"

WARD_SIGNAL(greeting);

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};

static ward_ref crowd[CROWD];
static ward_ref old; /* of the crowd, in the segment */
static int64_t now_ns;

static void end_crowd(ward_kit *kit)
{
	for (int i = 0; i < CROWD; i++)
		ward_system_stop(ward_kit_system(kit), crowd[i]);
	ward_kit_run(kit);
}

/* A system after a burst of actors. */
static ward_kit *begin(void)
{
	ward_kit *kit = ward_kit_start(NULL);

	old = spawn_crowd(ward_kit_system(kit), &idle, crowd);
	ward_kit_run(kit);
	end_crowd(kit);
	now_ns = 0;
	return kit;
}

static void let_time_pass(ward_system *system)
{
	tidy(system, now_ns);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
}

static uint64_t bytes_of(ward_kit *kit)
{
	return ward_kit_stats(kit).memory_bytes;
}

static struct wardi_cell *cell_of(ward_system *system, uint32_t slot)
{
	return wardi_table_cell(system, slot);
}

/* ---- when -------------------------------------------------------------------------------- */

WARD_TEST(row_of_free_cells_goes_back_to_the_allocator_after_a_period)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	uint64_t before = bytes_of(kit);

	tidy(system, now_ns);
	now_ns += WARDI_SEGMENTS_PERIOD_NS - 1;
	tidy(system, now_ns);
	ward_assert_eq(bytes_of(kit), before);
	now_ns++;
	tidy(system, now_ns);
	ward_assert(is_gone(system));
	ward_assert(bytes_of(kit) + CELLS * sizeof(struct wardi_cell) < before);
	ward_kit_finish(kit);
}

WARD_TEST(rows_that_are_tidied_leave_nothing_to_wake_up_for)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);

	ward_assert_eq(wardi_segments_due(system), INT64_MIN + 1);
	tidy(system, now_ns);
	ward_assert_eq(wardi_segments_due(system), now_ns + WARDI_SEGMENTS_PERIOD_NS);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	ward_assert_eq(wardi_segments_tidy(system, now_ns), INT64_MAX);
	ward_assert_eq(wardi_segments_due(system), INT64_MAX);
	ward_kit_finish(kit);
}

WARD_TEST(row_that_was_needed_in_a_period_stays)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	struct wardi_cell *cells[CROWD];
	uint64_t before = bytes_of(kit);
	uint32_t count = 0;
	ward_err err;

	tidy(system, now_ns);
	now_ns += WARDI_SEGMENTS_PERIOD_NS / 2;
	while (system->table.whole_count > 0 && count < CROWD)
		cells[count++] = wardi_table_take(system, &err);
	/* The segments that are in use already came first. */
	ward_assert_eq(count, CROWD - CELLS + 1);
	while (count > 0) {
		struct wardi_mailbox *mailbox = &cells[--count]->mailbox;

		ward_assert(wardi_mailbox_swap_head(mailbox, &mailbox->stub));
		wardi_table_give(system, cells[count]);
	}
	now_ns += WARDI_SEGMENTS_PERIOD_NS / 2;
	tidy(system, now_ns);
	ward_assert_eq(bytes_of(kit), before);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	ward_assert(is_gone(system));
	ward_kit_finish(kit);
}

WARD_TEST(row_with_a_living_actor_stays)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_system *system = ward_kit_system(kit);

	old = spawn_crowd(system, &idle, crowd);
	ward_kit_run(kit);
	for (int i = 0; i < CROWD; i++)
		if (!ward_ref_equal(crowd[i], old))
			ward_system_stop(system, crowd[i]);
	ward_kit_run(kit);
	now_ns = 0;
	let_time_pass(system);
	ward_assert(!is_leaving(system) && !is_gone(system));
	ward_assert(ward_system_is_alive(system, old));
	ward_kit_finish(kit);
}

/* ---- old refs ---------------------------------------------------------------------------- */

static void count_one(void *arg, const ward_actor_info *info)
{
	(void)info;
	++*(int *)arg;
}

static void count_line(void *arg, const char *text)
{
	(void)text;
	++*(int *)arg;
}

static void assert_dead(ward_kit *kit, ward_ref who)
{
	ward_system *system = ward_kit_system(kit);
	uint64_t dead = ward_kit_stats(kit).dead_letters;
	char path[64];

	ward_assert(!ward_system_is_alive(system, who));
	ward_assert_err(ward_system_try_tell(system, who, greeting), WARD_EDEAD);
	ward_system_tell(system, who, greeting);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, dead + 1);
	ward_system_stop(system, who);
	ward_assert_ok(ward_system_wait_for(system, who, 0));
	(void)ward_system_path(system, who, path, sizeof path);
	ward_assert(path[0] == '?');
}

WARD_TEST(ref_of_a_row_that_is_leaving_or_gone_is_dead_as_before, "S49", "S57")
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	ward_ref question = {UINT64_C(7) << WARDI_ASK_SLOT_BITS | SLOT,
			     system->place | WARDI_PLACE_QUESTION, 0};
	uint32_t visit = wardi_visit_begin(system->sched);
	int actors = 0, lines = 0;

	assert_dead(kit, old);
	let_time_pass(system);
	ward_assert(is_leaving(system));
	assert_dead(kit, old);
	wardi_visit_end(system->sched, visit);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	ward_assert(is_gone(system));
	assert_dead(kit, old);
	ward_assert_err(ward_system_try_tell(system, question, greeting), WARD_EDEAD);
	(void)ward_system_actors(system, count_one, &actors);
	ward_assert_eq(actors, GUARDIANS);
	ward_assert_ok(ward_system_tree(system, count_line, &lines));
	ward_assert_eq(lines, GUARDIANS);
	ward_kit_finish(kit);
}

WARD_TEST(generation_and_question_never_come_twice_in_a_row_that_is_back, "S57")
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	ward_ref before;

	for (uint32_t lives = 2; lives < 5; lives++) {
		before = old;
		ward_assert_eq(wardi_uid_gen(before.uid), lives - 1);
		wardi_cell_numbers(cell_of(system, SLOT + 5))->last += 7;
		let_time_pass(system);
		ward_assert(is_gone(system));
		old = spawn_crowd(system, &idle, crowd);
		ward_assert(!is_gone(system));
		ward_kit_run(kit);
		for (int i = 0; i < CROWD; i++)
			if (wardi_uid_slot(crowd[i].uid) >= WARDI_TABLE_KEPT)
				ward_assert_eq(wardi_uid_gen(crowd[i].uid), lives);
		ward_assert(ward_system_is_alive(system, old) &&
			    !ward_system_is_alive(system, before));
		ward_assert_eq(wardi_cell_numbers(cell_of(system, SLOT))->last, 7 * (lives - 1));
		end_crowd(kit);
	}
	ward_kit_finish(kit);
}

WARD_TEST(visitor_keeps_a_row_that_it_may_have_found_and_a_later_one_does_not)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	const struct wardi_cell *cell = cell_of(system, SLOT);

	for (int side = 0; side < 3; side++) {
		uint32_t visit = wardi_visit_begin(system->sched), later;

		let_time_pass(system);
		for (int looks = 0; looks < 5; looks++) {
			now_ns += WARDI_SEGMENTS_PERIOD_NS;
			tidy(system, now_ns);
			ward_assert(is_leaving(system));
		}
		ward_assert(wardi_cell_slot(cell) == SLOT); /* it may be looked at */
		later = wardi_visit_begin(system->sched);
		ward_assert(!wardi_cell_is_known(cell_of(system, SLOT)));
		ward_assert(cell_of(system, SLOT) != cell);
		wardi_visit_end(system->sched, visit);
		now_ns += WARDI_SEGMENTS_PERIOD_NS;
		tidy(system, now_ns);
		ward_assert(is_gone(system));
		wardi_visit_end(system->sched, later);
		old = spawn_crowd(system, &idle, crowd);
		ward_kit_run(kit);
		end_crowd(kit);
		cell = cell_of(system, SLOT);
	}
	ward_kit_finish(kit);
}

WARD_TEST(row_waits_for_what_was_pushed_too_late, "S49")
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	struct wardi_cell *cell = cell_of(system, SLOT);
	uint32_t visit = wardi_visit_begin(system->sched);
	struct ward_msg *msg;

	let_time_pass(system);
	ward_assert(is_leaving(system));
	/* A sender that has seen the generation open. */
	msg = wardi_msg_make(wardi_outside_source(system), &ward_type_greeting, NULL, 0);
	ward_assert(msg != NULL);
	msg->target_gen = wardi_uid_gen(old.uid);
	if (wardi_mailbox_push(&cell->mailbox, msg))
		wardi_cell_ready(NULL, cell);
	wardi_visit_end(system->sched, visit);
	for (int looks = 0; looks < 5; looks++) {
		now_ns += WARDI_SEGMENTS_PERIOD_NS;
		tidy(system, now_ns);
		ward_assert(is_leaving(system));
	}
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 1);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	ward_assert(is_gone(system));
	ward_kit_finish(kit);
}

/* ---- shortage ---------------------------------------------------------------------------- */

WARD_TEST(row_that_is_leaving_comes_back_where_there_is_no_memory)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	uint32_t visit = wardi_visit_begin(system->sched);
	uint32_t count = 0;
	ward_err err = WARD_OK;

	let_time_pass(system);
	ward_assert(is_leaving(system));
	ward_kit_fail_all_allocations(kit, true);
	while (count < CROWD && wardi_table_take(system, &err) != NULL)
		count++;
	ward_kit_fail_all_allocations(kit, false);
	ward_assert_eq(count, CROWD);
	ward_assert(!is_leaving(system));
	wardi_visit_end(system->sched, visit);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	ward_assert(!is_gone(system));
	ward_kit_finish(kit);
}

WARD_TEST(row_stays_where_there_is_no_memory_to_remember_it)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);

	ward_kit_fail_all_allocations(kit, true);
	let_time_pass(system);
	ward_kit_fail_all_allocations(kit, false);
	ward_assert(!is_leaving(system) && !is_gone(system));
	ward_assert_eq(cell_of(system, SLOT)->uid, old.uid);
	let_time_pass(system);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	ward_assert(is_gone(system));
	ward_kit_finish(kit);
}

WARD_TEST(row_that_is_gone_is_no_reason_to_allow_fewer_actors, "S57")
{
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.system = {.actors_max = WARDI_TABLE_KEPT + CELLS}});
	ward_system *system = ward_kit_system(kit);
	uint32_t count = 0;
	ward_err err;

	for (int round = 0; round < 2; round++) {
		struct wardi_cell *cells[CROWD + 1];

		for (count = 0; (cells[count] = wardi_table_take(system, &err)) != NULL;)
			count++;
		ward_assert_eq(err, WARD_ELIMIT);
		ward_assert_eq(count, CROWD);
		for (uint32_t i = 0; i < count; i++)
			wardi_table_give(system, cells[i]); /* held, as they never had a life */
		now_ns = 0;
		let_time_pass(system);
		ward_assert(is_gone(system));
	}
	ward_kit_fail_all_allocations(kit, true);
	for (count = 0; wardi_table_take(system, &err) != NULL;)
		count++;
	ward_kit_fail_all_allocations(kit, false);
	ward_assert_eq(err, WARD_ENOMEM);
	ward_assert_eq(count, WARDI_TABLE_KEPT - GUARDIANS);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
