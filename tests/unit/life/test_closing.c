/* SPDX-License-Identifier: MIT
 *
 * test_closing.c - a cell that closes between a look at it and what follows from the look.
 *
 * Method: what the end of a life closes first is closed by hand, and opened again: its number, by
 * which mail gets there, or the lane of system messages.
 */
#include "actor/ask.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "mail/auto_received.h"
#include "send/deliver.h"
#include "send/waiter.h"
#include "shutdown/shutdown.h"
#include "support/script.h"
#include "support/shutdown_tasks.h"
#include "turn/auto_receive.h"

static struct wardi_cell *cell_of(ward_kit *kit, ward_ref ref)
{
	return wardi_table_cell(ward_kit_system(kit), wardi_uid_slot(ref.uid));
}

static void close_mail(ward_kit *kit, ward_ref ref)
{
	atomic_store(&cell_of(kit, ref)->open_gen, 0);
}

static void open_mail(ward_kit *kit, ward_ref ref)
{
	atomic_store(&cell_of(kit, ref)->open_gen, wardi_uid_gen(ref.uid));
}

static void close_lane(ward_kit *kit, ward_ref ref)
{
	ward_assert(wardi_mailbox_close_system(&cell_of(kit, ref)->mailbox) == NULL);
}

static void open_lane(ward_kit *kit, ward_ref ref)
{
	wardi_mailbox_open(&cell_of(kit, ref)->mailbox, NULL);
}

/* ---- timers ------------------------------------------------------------------------------ */

static ward_result tick_soon(ward_self *self, void *arg)
{
	struct script_word word = script_word("tick", &(struct script_word){0});

	(void)arg;
	return ward_try_timer_start(
		       self,
		       &(ward_timer){.key = 1, .mode = WARD_TIMER_FIXED_DELAY, .every_ms = 10},
		       &ward_type_script_word, &word, sizeof(word)) == WARD_OK
		       ? WARD_DONE
		       : WARD_FAILED;
}

WARD_TEST(tick_for_a_closed_mailbox_waits_for_the_next_period, "S87")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, tick_soon, NULL);
	ward_kit_run(kit);
	journal_clear();
	close_mail(kit, a.ref);
	ward_kit_advance(kit, 10);
	open_mail(kit, a.ref);
	ward_kit_run(kit);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
	ward_kit_advance(kit, 10);
	assert_journal("a:tick");
	script_finish(kit);
}

/* ---- watches and spawns ------------------------------------------------------------------ */

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

static ward_result watch(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, *(ward_ref *)arg));
	return WARD_DONE;
}

WARD_TEST(watch_of_a_closed_lane_is_answered_at_once, "S62")
{
	struct script a = {.name = "a"}, w = {.name = "w", .receive = hear};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_spawn(kit, &w);
	journal_clear();
	script_do(kit, w.ref, watch, &a.ref);
	close_lane(kit, a.ref);
	ward_kit_run(kit);
	assert_journal("a is gone long since");
	open_lane(kit, a.ref);
	script_finish(kit);
}

static ward_result stop_with_children(ward_self *self, const ward_msg *msg)
{
	return ward_stop_with_children(self, ward_state(self), msg);
}

/* The notice of an end may come before the message to the parent: the child is one of its children
 * still. */
WARD_TEST(parent_that_stops_with_its_children_does_not_wait_for_one_that_has_closed, "S62")
{
	struct script c = {.name = "c"};
	struct script p = {.name = "p", .children = {&c}, .receive = stop_with_children};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &p);
	script_do(kit, p.ref, watch, &c.ref);
	close_mail(kit, c.ref);
	close_lane(kit, c.ref);
	ward_kit_run(kit);
	ward_assert_eq(wardi_cell_state(cell_of(kit, p.ref)), WARDI_STOPPING);
	open_lane(kit, c.ref);
	open_mail(kit, c.ref);
	ward_system_stop(ward_kit_system(kit), c.ref);
	ward_kit_run(kit);
	ward_assert(!ward_system_is_alive(ward_kit_system(kit), p.ref));
	script_finish(kit);
}

/* One is closed and its parent does not know yet; another one gets its name. Then it goes on to its
 * end, of which the parent hears while the other one lives. */
static void give_its_name_to_another(ward_kit *kit, struct script *old,
				     void (*open)(ward_kit *kit, ward_ref ref))
{
	ward_system *system = ward_kit_system(kit);
	struct script new = {.name = old->name}, third = new;
	const struct wardi_hash *names = &system->user_cell->rare->children->names;
	size_t count = names->count;

	script_spawn(kit, &new);
	ward_assert(!ward_ref_equal(new.ref, old->ref));
	ward_assert_eq(names->count, count);
	open(kit, old->ref);
	ward_system_stop(system, old->ref);
	ward_kit_run(kit);
	ward_assert(!ward_system_is_alive(system, old->ref) &&
		    ward_system_is_alive(system, new.ref));
	ward_ref found = ward_nobody();
	ward_assert_ok(ward_system_resolve(system, "/user/a", WARD_SECOND, &found));
	ward_assert(ward_ref_equal(found, new.ref));
	ward_assert_err(ward_system_spawn(system, script_props(&third), NULL), WARD_EEXIST);
	ward_system_stop(system, new.ref);
	ward_kit_run(kit);
	script_spawn(kit, &third);
	ward_system_stop(system, third.ref);
	ward_kit_run(kit);
}

WARD_TEST(name_is_free_for_who_awaits_one_whose_lane_is_closed, "S54", "S62")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), script_props(&a), NULL),
			WARD_EEXIST);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), a.ref, 0), WARD_ETIMEDOUT);
	ward_kit_run(kit);
	close_lane(kit, a.ref);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), a.ref, 0));
	give_its_name_to_another(kit, &a, open_lane);
	script_finish(kit);
}

WARD_TEST(name_is_free_for_who_finds_one_that_takes_no_mail, "S54")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	close_mail(kit, a.ref);
	ward_assert(!ward_system_is_alive(ward_kit_system(kit), a.ref));
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), a.ref, 0));
	give_its_name_to_another(kit, &a, open_mail);
	script_finish(kit);
}

WARD_TEST(spawn_under_a_guardian_that_closes_is_refused)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	ward_kit_run(kit);
	close_lane(kit, system->user);
	ward_assert_err(ward_system_spawn(system, script_props(&a), &a.ref), WARD_ESTOPPING);
	ward_assert_part(ward_err_detail(), "going down");
	open_lane(kit, system->user);
	close_mail(kit, system->user);
	ward_assert_err(ward_system_spawn(system, script_props(&a), &a.ref), WARD_ESTOPPING);
	open_mail(kit, system->user);
	ward_assert_ok(ward_system_spawn(system, script_props(&a), &a.ref));
	script_finish(kit);
}

/* ---- the shutdown ------------------------------------------------------------------------ */

static const ward_phase phases[] = {{.name = "first", .timeout_ms = 100}, {.name = NULL}};

WARD_TEST(task_for_a_closed_mailbox_is_dropped_and_late, "S77")
{
	struct plan plan = {.phase = "first", .task = "t", .answer = AT_ONCE};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = script_start(&(ward_kit_options){.system.phases = phases});
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	journal_clear();
	close_mail(kit, a.ref);
	ward_system_shutdown(system, "a test");
	ward_kit_run(kit);
	assert_journal("");
	open_mail(kit, a.ref);
	ward_assert_eq(promising_end(kit), 100);
	assert_journal("a:post_stop");
	script_finish(kit);
}

WARD_TEST(nothing_is_said_of_a_shutdown_without_tasks)
{
	char text[64] = "left over";
	ward_kit *kit = script_start(NULL);
	wardi_shutdown_text(ward_kit_system(kit), text, sizeof(text));
	ward_assert_str(text, "");
	script_finish(kit);
}

WARD_TEST(timeout_of_a_phase_is_seen_though_system_is_told_already, "S77")
{
	struct plan plan = {.phase = "first", .task = "t", .answer = NEVER};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = script_start(&(ward_kit_options){.system.phases = phases});
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	ward_system_shutdown(system, "a test");
	ward_kit_run(kit);
	/* As if an answer had come and its message were under way. */
	ward_assert(wardi_shutdown_note(system->shutdown));
	ward_kit_advance(kit, 100);
	ward_assert(ward_system_is_alive(system, a.ref));
	wardi_shutdown_send(system, NULL);
	ward_kit_run(kit);
	ward_assert(!ward_system_is_alive(system, a.ref));
	script_finish(kit);
}

WARD_TEST(shutdown_with_system_gone_is_nobodys, "S76")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	close_mail(kit, system->system_guardian);
	ward_system_shutdown(system, "a test");
	ward_kit_run(kit);
	ward_assert(ward_system_is_alive(system, a.ref));
	open_mail(kit, system->system_guardian);
	wardi_shutdown_send(system, NULL);
	ward_kit_run(kit);
	ward_assert(!ward_system_is_alive(system, a.ref));
	script_finish(kit);
}

/* ---- answers ----------------------------------------------------------------------------- */

WARD_SIGNAL(greeting);

WARD_TEST(answer_for_a_box_that_closes_is_stale_and_the_senders)
{
	struct script a = {.name = "a", .mailbox = {.messages_max = 4}};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	struct wardi_cell *cell = cell_of(kit, a.ref);
	struct wardi_bounded *bounded = atomic_load(&cell->mailbox.bounded);
	ward_ref question = {UINT64_C(7) << WARDI_ASK_SLOT_BITS | wardi_cell_slot(cell),
			     system->place | WARDI_PLACE_QUESTION, 0};
	uint64_t owner = atomic_exchange(&bounded->owner, 0);
	struct wardi_source from = wardi_outside_source(system);
	struct ward_msg *answer = wardi_msg_make(from, &ward_type_greeting, NULL, 0);
	ward_reason reason = WARD_REASON_NONE;
	ward_assert(answer != NULL);
	ward_assert_err(wardi_deliver(system, NULL, question, answer, &reason), WARD_EDEAD);
	ward_assert_eq(reason, WARD_REASON_STALE);
	wardi_msg_destroy(from, answer); /* it is the sender's still */
	atomic_store(&bounded->owner, owner);
	script_finish(kit);
}

WARD_TEST(message_of_a_kind_that_is_none_is_dropped, "S63")
{
	static const ward_type forged = {.name = "forged",
					 .flags = WARDI_AUTO_TYPE(WARDI_AUTO_KINDS)};
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_system_send(ward_kit_system(kit), a.ref, &forged, NULL, 0);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).unhandled, 0);
	ward_assert(ward_system_is_alive(ward_kit_system(kit), a.ref));
	script_finish(kit);
}

/* ---- threads outside --------------------------------------------------------------------- */

static void count_wait(void *arg, const ward_wait_info *info)
{
	ward_assert_part(info->what, "something");
	++*(size_t *)arg;
}

WARD_TEST(end_of_the_system_ends_those_who_wait_for_it_and_not_those_who_are_answered)
{
	struct wardi_waiter waiting = {.what = "something"}, answered = waiting, spawning = waiting;
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	size_t seen = 0;
	wardi_waiter_begin(system, &waiting, WARD_EDEAD);
	wardi_waiter_begin(system, &answered, WARD_EDEAD);
	wardi_waiter_begin(system, &spawning, WARD_ETIMEDOUT);
	ward_assert_eq(ward_system_waits(system, NULL, NULL), 3);
	ward_assert_eq(ward_system_waits(system, count_wait, &seen), 3);
	ward_assert_eq(seen, 3);
	wardi_waiter_gone(system, answered.id);
	ward_system_shutdown(system, NULL);
	ward_kit_run(kit);
	ward_assert(waiting.done && answered.done && !spawning.done);
	ward_assert_err(wardi_waiter_finish(system, &waiting, 0), WARD_EDEAD);
	ward_assert_ok(wardi_waiter_finish(system, &answered, 0));
	ward_assert_err(wardi_waiter_finish(system, &spawning, 0), WARD_ETIMEDOUT);
	ward_assert_eq(ward_system_waits(NULL, count_wait, &seen), 0);
	script_finish(kit);
}

/* ---- while it stops ---------------------------------------------------------------------- */

static ward_result watch_and_tick(ward_self *self, void *arg)
{
	ward_result result = watch(self, arg);

	return result == WARD_DONE ? tick_soon(self, NULL) : result;
}

WARD_TEST(timers_and_watches_end_when_the_stop_begins, "S45")
{
	struct script child = {.name = "c"}, other = {.name = "o"};
	struct script parent = {.name = "p", .children = {&child}};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &other);
	script_spawn(kit, &parent);
	script_do(kit, parent.ref, watch_and_tick, &other.ref);
	ward_kit_run(kit);
	struct wardi_cell *cell = cell_of(kit, parent.ref);
	ward_assert(cell->rare->watching != NULL && cell->rare->timers.word != 0);
	ward_system_stop(system, parent.ref);
	ward_assert(ward_kit_step(kit));
	/* It waits for its child. */
	ward_assert_state(kit, parent.ref, WARD_STATE_STOPPING);
	ward_assert(cell->rare->watching == NULL && cell->rare->timers.word == 0);
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
	ward_kit_run(kit);
	ward_assert(!ward_system_is_alive(system, parent.ref));
	script_finish(kit);
}

WARD_TEST(box_of_a_life_is_used_by_the_next_ones)
{
	struct script a = {.name = "a", .mailbox = {.messages_max = 4}};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	struct wardi_bounded *first = NULL;
	for (int life = 0; life < 3; life++) {
		script_spawn(kit, &a);
		struct wardi_bounded *bounded = atomic_load(&cell_of(kit, a.ref)->mailbox.bounded);
		ward_assert(bounded != NULL && (first == NULL || bounded == first));
		first = bounded;
		ward_system_stop(system, a.ref);
		ward_kit_run(kit);
	}
	script_finish(kit);
}

/* ---- slots ------------------------------------------------------------------------------- */

WARD_TEST(slot_whose_generations_are_used_up_retires, "S57")
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	struct wardi_cell *cell = cell_of(kit, a.ref);
	ward_system_stop(system, a.ref);
	ward_kit_run(kit);
	cell->uid = (uint64_t)(UINT32_MAX - 1) << 32 | wardi_cell_slot(cell);
	script_spawn(kit, &b);
	ward_assert_eq(wardi_uid_slot(b.ref.uid), wardi_cell_slot(cell));
	ward_assert_eq(wardi_uid_gen(b.ref.uid), UINT32_MAX);
	ward_system_stop(system, b.ref);
	ward_kit_run(kit);
	script_spawn(kit, &a);
	ward_assert(wardi_uid_slot(a.ref.uid) != wardi_cell_slot(cell));
	ward_system_stop(system, a.ref);
	ward_kit_run(kit);
	script_spawn(kit, &b);
	ward_assert_eq(wardi_uid_slot(b.ref.uid), wardi_uid_slot(a.ref.uid));
	script_finish(kit);
}

WARD_TEST(uid_that_no_life_has_is_nobodys, "S57")
{
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	uint32_t used = system->table.used;
	ward_assert(wardi_table_cell(system, used - 1) != NULL);
	ward_assert(wardi_table_cell(system, used) == NULL);
	ward_assert(wardi_table_open(system, UINT64_C(1) << 32 | used) == NULL);
	ward_assert(wardi_table_open(system, wardi_uid_slot(system->user.uid)) == NULL);
	ward_assert(wardi_table_open(system, system->user.uid) == system->user_cell);
	ward_assert(wardi_table_open(system, system->user.uid + (UINT64_C(1) << 32)) == NULL);
	script_finish(kit);
}

WARD_TEST_MAIN
