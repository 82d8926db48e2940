/* SPDX-License-Identifier: MIT
 *
 * test_ending.c - what comes to an actor in the moment in which it ends.
 *
 * Method: a simulated actor's mailbox is closed by hand, as another thread would do it between two
 * looks at it; and opened again afterwards, so that all can end as usual.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "actor/ask.h"
#include "actor/fd.h"
#include "cell/command.h"
#include "cell/self.h"
#include "cell/system.h"
#include "cell/table.h"
#include "sched/poller.h"
#include "sched/state.h"
#include "send/backpressure.h"
#include "send/deliver.h"
#include "support/script.h"
#include "turn/auto_receive.h"

struct question {
	int number;
};
WARD_MESSAGE(question);

struct scene {
	ward_kit *kit;
	ward_system *system;
	struct script a, b;
	ward_ref question; /* what b was asked by */
	int ends[2];
};

static struct scene *the_scene;

static ward_result note_all(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, question) != NULL)
		the_scene->question = ward_msg_sender(msg);
	else if (ward_match(msg, ward_ask_failed) != NULL)
		journal_note("%s:failed", script_of(self)->name);
	else if (ward_match(msg, ward_receive_timeout) != NULL)
		journal_note("%s:timeout", script_of(self)->name);
	else if (ward_match(msg, ward_fd_ready) != NULL)
		journal_note("%s:ready", script_of(self)->name);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	*scene = (struct scene){.a = {.name = "a", .receive = note_all},
				.b = {.name = "b", .receive = note_all}};
	the_scene = scene;
	ward_assert_eq(pipe(scene->ends), 0); /* the kit's end looks for what was opened later */
	scene->kit = script_start(NULL);
	scene->system = ward_kit_system(scene->kit);
	script_spawn(scene->kit, &scene->a);
	script_spawn(scene->kit, &scene->b);
	journal_clear();
}

static void finish(struct scene *scene)
{
	script_finish(scene->kit);
	close(scene->ends[0]);
	close(scene->ends[1]);
}

static void do_it(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, scene);
	ward_kit_run(scene->kit);
}

static struct wardi_cell *cell_of(struct scene *scene, ward_ref ref)
{
	return wardi_table_cell(scene->system, wardi_uid_slot(ref.uid));
}

static void set_open(struct scene *scene, bool open)
{
	struct wardi_cell *cell = cell_of(scene, scene->a.ref);
	atomic_store_explicit(&cell->open_gen, open ? wardi_uid_gen(cell->uid) : 0,
			      memory_order_release);
}

static ward_result ask_b(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_ask(self, ((struct scene *)arg)->b.ref, 7, 10, question));
	return WARD_DONE;
}

WARD_TEST(question_that_is_late_when_its_asker_ends_goes_with_it)
{
	struct scene scene;
	start(&scene);
	do_it(&scene, ask_b);
	set_open(&scene, false);
	ward_kit_advance(scene.kit, 20);
	set_open(&scene, true);
	ward_kit_advance(scene.kit, 20);
	assert_journal("");
	ward_system_stop(scene.system, scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	finish(&scene);
}

WARD_TEST(answer_that_is_dropped_outside_of_all_actors_is_stale)
{
	struct scene scene;
	start(&scene);
	do_it(&scene, ask_b);
	struct wardi_source from = wardi_outside_source(scene.system);
	struct ward_msg *answer = wardi_msg_make(from, &ward_type_question, &(struct question){1},
						 sizeof(struct question));
	struct ward_msg *envelope = wardi_answer_wrap(from, scene.a.ref, scene.question, answer);
	ward_assert(envelope != NULL);
	wardi_answer_dropped(scene.system, NULL, envelope);
	wardi_msg_free(from, envelope);
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_eq(event->reason, WARD_REASON_STALE);
	ward_assert(ward_ref_equal(event->subject, scene.a.ref));
	finish(&scene);
}

static ward_result time_out(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_receive_timeout_set(self, 10));
	return WARD_DONE;
}

WARD_TEST(receive_timeout_that_is_due_when_its_actor_ends_comes_later_or_never)
{
	struct scene scene;
	start(&scene);
	do_it(&scene, time_out);
	set_open(&scene, false);
	ward_kit_advance(scene.kit, 15);
	set_open(&scene, true);
	assert_journal("");
	ward_kit_advance(scene.kit, 10);
	assert_journal("a:timeout");
	finish(&scene);
}

/* ---- descriptors ------------------------------------------------------------------------- */

static ward_result watch_it(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_fd_watch(self, ((struct scene *)arg)->ends[0], WARD_FD_READ));
	return WARD_DONE;
}

static bool closed_meanwhile;

/* As the poller does it, on a worker. */
static ward_result tell_of_readiness(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	struct wardi_watches *watches = &scene->system->sched->poller.watches;
	uint64_t first_watch = UINT64_C(1) << 32 | (uint32_t)scene->ends[0];
	struct wardi_notice notice;

	(void)self;
	ward_assert_eq(wardi_watch_found(watches, 2 * first_watch - (uint32_t)scene->ends[0],
					 EPOLLIN, &notice),
		       WARDI_FOUND_VAIN); /* there is no second one */
	ward_assert_eq(wardi_watch_found(watches, first_watch, EPOLLIN, &notice),
		       WARDI_FOUND_NOTICE);
	if (closed_meanwhile)
		set_open(scene, false);
	ward_assert(wardi_fd_ready(wardi_worker_current(), &notice));
	set_open(scene, true);
	ward_assert_eq(wardi_watch_found(watches, first_watch, EPOLLIN, &notice),
		       WARDI_FOUND_NOTHING);
	return WARD_DONE;
}

static void check_readiness(bool closed, const char *notes)
{
	struct scene scene;
	start(&scene);
	do_it(&scene, watch_it);
	closed_meanwhile = closed;
	script_do(scene.kit, scene.b.ref, tell_of_readiness, &scene);
	ward_kit_run(scene.kit);
	assert_journal(notes);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	finish(&scene);
}

WARD_TEST(descriptor_that_is_ready_is_told_of_once_and_only_if_it_is_watched)
{
	check_readiness(false, "a:ready");
}

WARD_TEST(descriptor_that_is_ready_when_its_actor_ends_is_told_to_nobody)
{
	check_readiness(true, "");
}

/* ---- children ---------------------------------------------------------------------------- */

static ward_result look_for_child(ward_self *self, void *arg)
{
	static struct script c = {.name = "c"};
	struct scene *scene = arg;
	ward_assert_ok(script_spawn_child(self, &c));
	struct wardi_cell *cell = cell_of(scene, c.ref);
	ward_assert(wardi_self_child(self, c.ref) == cell);
	cell->uid += UINT64_C(1) << 32; /* its next life */
	ward_assert(wardi_self_child(self, c.ref) == NULL);
	cell->uid -= UINT64_C(1) << 32;
	ward_assert(wardi_self_child(self, scene->b.ref) == NULL);
	ward_assert(wardi_self_child(self, ward_nobody()) == NULL);
	ward_stop(self, c.ref);
	journal_note("looked");
	return WARD_DONE;
}

WARD_TEST(child_that_has_ended_meanwhile_is_none)
{
	struct scene scene;
	start(&scene);
	do_it(&scene, look_for_child);
	assert_journal_of("a", "");
	ward_assert_part(journal_text(), "looked");
	finish(&scene);
}

WARD_TEST(report_that_comes_while_another_is_decided_is_the_later_one, "S19")
{
	static ward_system system;
	static struct wardi_cell parent;
	struct wardi_segment *row = calloc(1, sizeof(*row) + sizeof(row->cells[0]));
	ward_assert(row != NULL);
	struct wardi_cell *child = &row->cells[0];
	struct ward_self self = {.cell = &parent};
	struct wardi_failure later = {(uintptr_t)&ward_misuse | 1};
	row->system = &system;
	child->parent = &parent;
	child->commands.reports = 1;
	child->commands.unanswered = true;
	child->last_failure = later;
	wardi_command_put_reports_back(&self, child, (struct wardi_reports){.count = 2});
	/* Its node is on its way already, and was not sent again. */
	ward_assert(wardi_mailbox_close_system(&parent.mailbox) == NULL);
	struct wardi_reports reports = wardi_command_take_reports(child);
	ward_assert_eq(reports.count, 3);
	ward_assert(reports.unanswered);
	ward_assert(wardi_failure_class(wardi_cell_last_failure(child)) == &ward_misuse);
	reports = wardi_command_take_reports(child);
	ward_assert_eq(reports.count, 0);
	ward_assert(!reports.unanswered);
	free(row);
}

/* ---- held senders ------------------------------------------------------------------------ */

static ward_result tell_b_twice(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	for (int i = 0; i < 2; i++)
		ward_tell(self, scene->b.ref, question, .number = i);
	return WARD_DONE;
}

WARD_TEST(sender_of_an_earlier_life_is_held_by_nobody)
{
	struct scene scene;
	start(&scene);
	struct script full = {
		.name = "full",
		.receive = note_all,
		.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_HOLD_SENDER}};
	script_spawn(scene.kit, &full);
	scene.b.ref = full.ref;
	struct wardi_cell *cell = cell_of(&scene, scene.a.ref);
	script_do(scene.kit, scene.a.ref, tell_b_twice, &scene);
	while (wardi_cell_held(cell) == 0)
		ward_assert(ward_kit_step(scene.kit));
	ward_assert_eq(wardi_backpressure_by(scene.system, cell, scene.a.ref.uid), full.ref.uid);
	ward_assert_eq(
		wardi_backpressure_by(scene.system, cell, scene.a.ref.uid - (UINT64_C(1) << 32)),
		0);
	ward_kit_run(scene.kit);
	ward_assert_eq(wardi_cell_held(cell), 0);
	finish(&scene);
}

WARD_TEST_MAIN
