/* SPDX-License-Identifier: MIT
 *
 * test_bounded_mailbox.c - bounded mailboxes: the three policies, and what they never touch.
 *
 * Method: words to an actor that has not had its turn; script_finish() finds each that was lost, or
 * dropped twice.
 */
#include <string.h>

#include <ward/simulation.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct box {
	ward_kit *kit;
	struct script a;
};

#define BOX(policy)                                                                                \
	{                                                                                          \
		.a = {.name = "a", .mailbox = {.messages_max = 3, .overflow = (policy)} }          \
	}

static void start(struct box *box)
{
	box->kit = script_start(NULL);
	script_spawn(box->kit, &box->a);
	journal_clear();
}

static void say_five(struct box *box)
{
	const char *words[] = {"one", "two", "three", "four", "five"};
	for (int i = 0; i < 5; i++)
		script_say(box->kit, box->a.ref, words[i]);
}

static void check_box(struct box *box, int64_t waiting, uint64_t dropped)
{
	ward_actor_info info;
	ward_assert(ward_kit_info(box->kit, box->a.ref, &info));
	ward_assert_eq(info.mailbox, waiting);
	ward_assert_eq(info.dropped, dropped);
}

/* The n-th dead letter says that a's mailbox was full. */
static void check_letters(struct box *box, size_t count)
{
	ward_assert_eq(ward_kit_count(box->kit, WARD_EVENT_DEAD_LETTER, "*"), count);
	ward_assert_eq(ward_kit_stats(box->kit).dead_letters, count);
	for (size_t i = 0; i < count; i++) {
		const ward_event *event = ward_kit_event(box->kit, WARD_EVENT_DEAD_LETTER, "*", i);
		ward_assert_eq(event->reason, WARD_REASON_FULL);
		ward_assert(ward_ref_equal(event->subject, box->a.ref));
	}
}

static ward_err try_say(struct box *box, const char *text, struct script_word *word)
{
	*word = script_word(text, &(struct script_word){0});
	return ward_system_try_send(ward_kit_system(box->kit), box->a.ref, &ward_type_script_word,
				    word, sizeof(*word));
}

WARD_TEST(full_mailbox_that_refuses_answers_or_makes_dead_letters)
{
	struct box box = BOX(WARD_OVERFLOW_REFUSE);
	struct script_word word;
	start(&box);
	say_five(&box);
	check_box(&box, 3, 2);
	check_letters(&box, 2);
	ward_assert_err(try_say(&box, "six", &word), WARD_EFULL);
	ward_assert_part(ward_err_detail(), "the mailbox of sim/user/a is full");
	/* A refused body is still the sender's, and no dead letter. */
	check_letters(&box, 2);
	check_box(&box, 3, 3);
	ward_type_script_word.drop(&word);
	ward_kit_run(box.kit);
	assert_journal("a:one;a:two;a:three");
	ward_assert_ok(try_say(&box, "seven", &word));
	check_box(&box, 1, 3);
	ward_kit_run(box.kit);
	check_box(&box, 0, 3);
	script_finish(box.kit);
}

WARD_TEST(full_mailbox_that_drops_the_newest)
{
	struct box box = BOX(WARD_OVERFLOW_DROP_NEWEST);
	struct script_word word;
	start(&box);
	say_five(&box);
	ward_assert_ok(try_say(&box, "six", &word));
	check_box(&box, 3, 3);
	check_letters(&box, 3);
	ward_kit_run(box.kit);
	assert_journal("a:one;a:two;a:three");
	script_finish(box.kit);
}

WARD_TEST(full_mailbox_that_drops_the_oldest)
{
	struct box box = BOX(WARD_OVERFLOW_DROP_OLDEST);
	struct script_word word;
	start(&box);
	say_five(&box);
	ward_assert_ok(try_say(&box, "six", &word));
	check_box(&box, 3, 3);
	check_letters(&box, 3);
	ward_kit_run(box.kit);
	assert_journal("a:four;a:five;a:six");
	script_finish(box.kit);
}

/* ---- what is never counted nor dropped --------------------------------------------------- */

static const ward_overflow policies[] = {WARD_OVERFLOW_REFUSE, WARD_OVERFLOW_DROP_NEWEST,
					 WARD_OVERFLOW_DROP_OLDEST};

WARD_TEST(poison_pill_passes_a_full_mailbox_in_its_place)
{
	for (int i = 0; i < 3; i++) {
		struct box box = BOX(policies[i]);
		start(&box);
		for (int j = 0; j < 3; j++)
			script_say(box.kit, box.a.ref, "word");
		ward_system_tell(ward_kit_system(box.kit), box.a.ref, ward_poison_pill);
		check_box(&box, 3, 0);
		ward_kit_run(box.kit);
		assert_journal("a:word;a:word;a:word;a:post_stop");
		check_letters(&box, 0);
		script_finish(box.kit);
	}
}

WARD_TEST(oldest_is_dropped_from_behind_a_pill)
{
	struct box box = BOX(WARD_OVERFLOW_DROP_OLDEST);
	start(&box);
	ward_system_tell(ward_kit_system(box.kit), box.a.ref, ward_poison_pill);
	say_five(&box);
	check_box(&box, 3, 2);
	ward_kit_run(box.kit);
	assert_journal("a:post_stop");
	ward_assert_eq(ward_kit_count(box.kit, WARD_EVENT_DEAD_LETTER, "*"), 5);
	script_finish(box.kit);
}

WARD_TEST(kill_passes_a_full_mailbox)
{
	for (int i = 0; i < 3; i++) {
		struct box box = BOX(policies[i]);
		start(&box);
		for (int j = 0; j < 3; j++)
			script_say(box.kit, box.a.ref, "word");
		ward_system_tell(ward_kit_system(box.kit), box.a.ref, ward_kill);
		check_box(&box, 3, 0);
		ward_kit_run(box.kit);
		assert_journal("a:word;a:word;a:word;a:post_stop");
		script_finish(box.kit);
	}
}

static ward_result watch_and_tick(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, *(ward_ref *)arg));
	struct script_word word = script_word("tick", &(struct script_word){0});
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 10},
					    &ward_type_script_word, &word, sizeof(word)));
	return WARD_DONE;
}

WARD_TEST(notices_and_ticks_pass_a_full_mailbox)
{
	for (int i = 0; i < 3; i++) {
		struct box box = BOX(policies[i]);
		struct script b = {.name = "b"};
		start(&box);
		script_spawn(box.kit, &b);
		script_do(box.kit, box.a.ref, watch_and_tick, &b.ref);
		ward_kit_run(box.kit);
		journal_clear();
		/* a does not read while it is failed; meanwhile its mailbox fills up. */
		script_break(box.kit, box.a.ref, &bad_luck);
		ward_kit_run_until_state(box.kit, box.a.ref, WARD_STATE_FAILED);
		for (int j = 0; j < 3; j++)
			script_say(box.kit, box.a.ref, "word");
		ward_system_stop(ward_kit_system(box.kit), b.ref);
		while (ward_kit_state(box.kit, b.ref) != WARD_STATE_GONE)
			ward_assert(ward_kit_step(box.kit));
		ward_kit_run(box.kit);
		assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start;"
				       "word;word;word;gone b");
		check_box(&box, 0, 0);
		/* The restart has ended the timer. Once more, with the tick in the full box. */
		journal_clear();
		script_do(box.kit, box.a.ref, watch_and_tick, &box.a.ref);
		ward_kit_run(box.kit);
		for (int j = 0; j < 3; j++)
			script_say(box.kit, box.a.ref, "word");
		ward_simulation_advance(ward_kit_system(box.kit), INT64_MAX - 1);
		check_box(&box, 3, 0);
		ward_kit_run(box.kit);
		assert_journal_of("a", "word;word;word;tick");
		check_letters(&box, 0);
		script_finish(box.kit);
	}
}

/* ---- its life ---------------------------------------------------------------------------- */

WARD_TEST(bounded_mailbox_is_kept_over_a_restart_with_its_count)
{
	struct box box = BOX(WARD_OVERFLOW_REFUSE);
	start(&box);
	script_break(box.kit, box.a.ref, &bad_luck);
	say_five(&box);
	check_box(&box, 3, 3);
	ward_kit_run(box.kit);
	assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start;one;two");
	check_box(&box, 0, 3);
	script_finish(box.kit);
}

WARD_TEST(rest_of_a_bounded_mailbox_becomes_dead_letters_at_a_stop)
{
	struct box box = BOX(WARD_OVERFLOW_DROP_OLDEST);
	start(&box);
	say_five(&box);
	ward_system_stop(ward_kit_system(box.kit), box.a.ref);
	ward_kit_run(box.kit);
	assert_journal("a:post_stop");
	ward_assert_eq(ward_kit_count(box.kit, WARD_EVENT_DEAD_LETTER, "*"), 5);
	for (size_t i = 2; i < 5; i++)
		ward_assert_eq(ward_kit_event(box.kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason,
			       WARD_REASON_DEAD);
	script_finish(box.kit);
}

WARD_TEST(next_life_begins_with_an_empty_mailbox_and_no_drops)
{
	struct box box = BOX(WARD_OVERFLOW_REFUSE);
	start(&box);
	ward_ref old = box.a.ref;
	say_five(&box);
	ward_system_stop(ward_kit_system(box.kit), box.a.ref);
	ward_kit_run(box.kit);
	script_spawn(box.kit, &box.a);
	check_box(&box, 0, 0);
	script_say(box.kit, old, "stale");
	check_box(&box, 0, 0);
	journal_clear();
	script_say(box.kit, box.a.ref, "fresh");
	ward_kit_run(box.kit);
	assert_journal("a:fresh");
	script_finish(box.kit);
}

WARD_TEST(unbounded_mailbox_is_not_counted)
{
	struct box box = BOX(WARD_OVERFLOW_REFUSE);
	box.a.mailbox.messages_max = 0;
	start(&box);
	for (int i = 0; i < 1000; i++)
		script_say(box.kit, box.a.ref, "");
	check_box(&box, -1, 0);
	check_letters(&box, 0);
	script_finish(box.kit);
}

WARD_TEST(suspended_actor_with_a_bounded_mailbox_reads_it_when_it_is_resumed)
{
	static const ward_strategy resuming = {.otherwise = WARD_RESUME};
	WARD_TEST_SEEDS(40)
	{
		struct box box = BOX(WARD_OVERFLOW_REFUSE);
		box.kit = script_start(&(ward_kit_options){.system.user_strategy = &resuming});
		script_spawn(box.kit, &box.a);
		journal_clear();
		script_break(box.kit, box.a.ref, &bad_luck);
		ward_kit_run_until_state(box.kit, box.a.ref, WARD_STATE_FAILED);
		script_say(box.kit, box.a.ref, "while failed");
		ward_kit_run(box.kit);
		assert_journal("a:break;a:while failed");
		script_finish(box.kit);
	}
}

/* The one that is full has its turn last. */
static size_t not_a(void *arg, ward_system *system, size_t count)
{
	char path[64];
	size_t at = 0;

	(void)arg;
	for (; at + 1 < count; at++) {
		ward_system_path(system, ward_simulation_ready(system, at), path, sizeof(path));
		if (strcmp(path, "sim/user/a") != 0)
			break;
	}
	return at;
}

WARD_TEST(one_of_several_that_is_full_makes_a_dead_letter, "S58", "S49")
{
	const ward_simulation driver = {.choose = not_a};
	struct script a = {.name = "a", .mailbox = {.messages_max = 1}}, b = {.name = "b"};
	struct script_word word;
	ward_kit *kit = script_start(&(ward_kit_options){.simulation = &driver});
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	journal_clear();
	script_say(kit, a.ref, "first");
	word = script_word("all", &(struct script_word){0});
	ward_system_select_send(ward_kit_system(kit), "/user/*", &ward_type_script_word, &word,
				sizeof(word));
	ward_kit_run(kit);
	assert_journal("b:all;a:first");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_FULL);
	script_finish(kit);
}

WARD_TEST_MAIN
