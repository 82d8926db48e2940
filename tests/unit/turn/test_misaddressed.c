/* SPDX-License-Identifier: MIT
 *
 * test_misaddressed.c - system messages that reach a cell in another life than they are for.
 *
 * A sender looks at the generation and then links; the life may end between the two, and the next
 * one open the lane again. On one thread that does not happen.
 *
 * Method: a message that waits in the lane of a cell is made one for the life before.
 */
#include <string.h>

#include <ward/simulation.h>

#include "cell/sysmsg.h"
#include "cell/table.h"
#include "shutdown/shutdown.h"
#include "support/script.h"

static struct wardi_cell *cell_of(ward_kit *kit, ward_ref ref)
{
	return wardi_table_cell(ward_kit_system(kit), wardi_uid_slot(ref.uid));
}

static struct wardi_addressed *addressed(struct wardi_sysmsg *msg)
{
	return wardi_container_of(msg, struct wardi_addressed, node);
}

/* NULL: none of that kind waits. */
static struct wardi_sysmsg *find(struct wardi_cell *cell, enum wardi_sys_kind kind)
{
	struct wardi_sysmsg *msg = atomic_load(&cell->mailbox.system);

	while (msg != NULL && msg != WARDI_SYS_CLOSED && msg->kind != kind)
		msg = wardi_sysmsg_next(msg);
	return msg == WARDI_SYS_CLOSED ? NULL : msg;
}

/* As soon as there is one. */
static void make_stray(ward_kit *kit, ward_ref to, enum wardi_sys_kind kind)
{
	struct wardi_cell *cell = cell_of(kit, to);
	struct wardi_sysmsg *msg;

	while ((msg = find(cell, kind)) == NULL)
		ward_assert(ward_kit_step(kit));
	ward_assert_eq(addressed(msg)->target_gen, wardi_uid_gen(to.uid));
	addressed(msg)->target_gen--;
}

/* ---- watches ----------------------------------------------------------------------------- */

static ward_result watch(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, *(ward_ref *)arg));
	return WARD_DONE;
}

static ward_result unwatch(ward_self *self, void *arg)
{
	ward_unwatch(self, *(ward_ref *)arg);
	return WARD_DONE;
}

/* Notes each message about the one that was watched. */
static ward_result hear(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	(void)self;
	if (gone == NULL)
		return WARD_UNHANDLED;
	journal_note("%s is gone%s", script_name(gone->who),
		     gone->end != WARD_END_UNKNOWN ? "" : " long since");
	return WARD_DONE;
}

struct pair {
	ward_kit *kit;
	struct script watcher, watched;
};

static void start_pair(struct pair *pair)
{
	*pair = (struct pair){.watcher = {.name = "w", .receive = hear}, .watched = {.name = "a"}};
	pair->kit = script_start(NULL);
	script_spawn(pair->kit, &pair->watcher);
	script_spawn(pair->kit, &pair->watched);
	journal_clear();
}

/* Lets the watcher do it, and no more. */
static void let(struct pair *pair, script_call *call)
{
	script_do(pair->kit, pair->watcher.ref, call, &pair->watched.ref);
	ward_assert(ward_kit_step(pair->kit));
}

/* Stops the watched, which handles that before what comes to it from here on. */
static void stop_watched(struct pair *pair)
{
	ward_system_stop(ward_kit_system(pair->kit), pair->watched.ref);
}

WARD_TEST(watch_for_an_earlier_life_is_answered_at_once, "S62")
{
	struct pair pair;
	start_pair(&pair);
	let(&pair, watch);
	make_stray(pair.kit, pair.watched.ref, WARDI_SYS_WATCH);
	ward_kit_run(pair.kit);
	assert_journal("a is gone long since");
	stop_watched(&pair);
	ward_kit_run(pair.kit);
	assert_journal("a is gone long since;a:post_stop");
	script_finish(pair.kit);
}

WARD_TEST(unwatch_for_an_earlier_life_leaves_the_notice_to_come_to_nothing, "S64")
{
	struct pair pair;
	start_pair(&pair);
	let(&pair, watch);
	ward_kit_run(pair.kit);
	let(&pair, unwatch);
	make_stray(pair.kit, pair.watched.ref, WARDI_SYS_UNWATCH);
	ward_kit_run(pair.kit);
	stop_watched(&pair);
	ward_kit_run(pair.kit);
	assert_journal("a:post_stop");
	script_finish(pair.kit); /* finds no memory left */
}

WARD_TEST(notice_for_an_earlier_life_is_not_heard_by_this_one, "S69")
{
	struct pair pair;
	start_pair(&pair);
	let(&pair, watch);
	ward_kit_run(pair.kit);
	stop_watched(&pair);
	make_stray(pair.kit, pair.watcher.ref, WARDI_SYS_NOTICE);
	ward_kit_run(pair.kit);
	assert_journal("a:post_stop");
	script_finish(pair.kit);
}

static ward_result watch_and_unwatch(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, *(ward_ref *)arg));
	ward_unwatch(self, *(ward_ref *)arg);
	return WARD_DONE;
}

WARD_TEST(unwatch_of_what_did_not_become_a_watch_is_let_go, "S63")
{
	struct pair pair;
	start_pair(&pair);
	let(&pair, watch_and_unwatch);
	make_stray(pair.kit, pair.watched.ref, WARDI_SYS_WATCH);
	ward_kit_run(pair.kit);
	assert_journal("");
	script_finish(pair.kit);
}

/* The same, found in the lane when it is closed. */

static ward_result stop_and_watch(ward_self *self, void *arg)
{
	struct pair *pair = arg;

	stop_watched(pair);
	ward_assert_ok(ward_try_watch(self, pair->watched.ref));
	return WARD_DONE;
}

static ward_result stop_and_unwatch(ward_self *self, void *arg)
{
	struct pair *pair = arg;

	stop_watched(pair);
	ward_unwatch(self, pair->watched.ref);
	return WARD_DONE;
}

WARD_TEST(watch_for_an_earlier_life_is_answered_at_the_end_of_this_one, "S62")
{
	for (int strays = 0; strays < 2; strays++) {
		struct pair pair;
		start_pair(&pair);
		script_do(pair.kit, pair.watcher.ref, stop_and_watch, &pair);
		ward_assert(ward_kit_step(pair.kit));
		if (strays == 1)
			make_stray(pair.kit, pair.watched.ref, WARDI_SYS_WATCH);
		ward_kit_run(pair.kit);
		assert_journal_of("a", "post_stop");
		ward_assert(strstr(journal_text(),
				   strays == 1 ? "a is gone long since" : "a is gone") != NULL);
		ward_assert((strstr(journal_text(), "long since") != NULL) == (strays == 1));
		script_finish(pair.kit);
	}
}

WARD_TEST(unwatch_at_the_end_of_a_life_is_let_go, "S64")
{
	for (int strays = 0; strays < 2; strays++) {
		struct pair pair;
		start_pair(&pair);
		let(&pair, watch);
		ward_kit_run(pair.kit);
		script_do(pair.kit, pair.watcher.ref, stop_and_unwatch, &pair);
		ward_assert(ward_kit_step(pair.kit));
		if (strays == 1)
			make_stray(pair.kit, pair.watched.ref, WARDI_SYS_UNWATCH);
		ward_kit_run(pair.kit);
		assert_journal("a:post_stop");
		script_finish(pair.kit);
	}
}

/* ---- others ------------------------------------------------------------------------------ */

WARD_SIGNAL(greeting);

WARD_TEST(selection_for_an_earlier_life_misses, "S58")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	ward_system_select_tell(system, "/user/a", greeting);
	make_stray(kit, system->user, WARDI_SYS_SELECT);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).unhandled, 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_NO_MATCH);
	script_finish(kit);
}

WARD_TEST(shutdown_that_an_earlier_life_was_to_lead_is_not_led)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	ward_system_shutdown(system, "a test");
	make_stray(kit, system->system_guardian, WARDI_SYS_SHUTDOWN);
	ward_kit_run(kit);
	ward_assert(ward_system_is_alive(system, a.ref));
	/* And by this one it is. */
	wardi_shutdown_send(system, NULL);
	ward_kit_run(kit);
	ward_assert(!ward_system_is_alive(system, a.ref));
	script_finish(kit);
}

/* A spawn from outside waits while it is under way: the simulation is asked what to run next. */
static size_t choose(void *arg, ward_system *system, size_t count)
{
	bool *strays = arg;
	struct wardi_cell *user = wardi_table_cell(system, wardi_uid_slot(system->user.uid));
	struct wardi_sysmsg *msg = find(user, WARDI_SYS_SPAWN);

	if (*strays && msg != NULL) {
		addressed(msg)->target_gen--;
		*strays = false;
	}
	return count - 1;
}

WARD_TEST(spawn_for_an_earlier_life_is_refused)
{
	struct script a = {.name = "a"};
	bool strays = true;
	const ward_simulation driver = {.choose = choose, .arg = &strays};
	ward_kit *kit = script_start(&(ward_kit_options){.simulation = &driver});
	ward_system *system = ward_kit_system(kit);
	ward_assert_err(ward_system_spawn(system, script_props(&a), &a.ref), WARD_ESTOPPING);
	ward_assert(!strays);
	ward_assert_ok(ward_system_spawn(system, script_props(&a), &a.ref));
	script_finish(kit);
}

WARD_TEST(kinds_that_may_be_misaddressed_carry_the_life_they_are_for)
{
	for (uint32_t kind = 0; kind < WARDI_SYS_KINDS; kind++) {
		ward_assert(wardi_sys_kinds[kind].action != NULL);
		if (wardi_sys_kinds[kind].misaddressed != NULL)
			ward_assert(wardi_sys_is_addressed(kind));
	}
}

WARD_TEST_MAIN
