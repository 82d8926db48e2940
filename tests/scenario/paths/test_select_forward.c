/* SPDX-License-Identifier: MIT
 *
 * test_select_forward.c - along a path in the name of another: who gets it, and what else becomes
 * of it.
 *
 * Method: c of a family sends words to a, which passes each on along a path. A word owns memory:
 * each is dropped once. What is kept and given has a sender of the test's choice.
 */
#include <stdio.h>

#include <ward/ask.h>
#include <ward/extend.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static bool is_word(const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	return word != NULL && word->call == NULL;
}

static const ward_event *letter(const struct family *f, size_t number)
{
	return ward_kit_event(f->kit, WARD_EVENT_DEAD_LETTER, "*", number);
}

static size_t letters(const struct family *f)
{
	return ward_kit_count(f->kit, WARD_EVENT_DEAD_LETTER, "*");
}

/* Notes whose word it is, and goes on with it. */
static ward_result note_sender(ward_self *self, const ward_msg *msg)
{
	if (is_word(msg))
		journal_note("%s:from %s", script_of(self)->name,
			     script_name(ward_msg_sender(msg)));
	return WARD_UNHANDLED;
}

/* Passes a word on along the path that the script has. */
static ward_result pass_on(ward_self *self, const ward_msg *msg)
{
	const char *path = script_of(self)->arg;

	if (!is_word(msg))
		return WARD_UNHANDLED;
	ward_select_forward(self, path);
	ward_select_forward(self, path); /* once only */
	ward_assert(ward_take_body(self, &ward_type_script_word) == NULL);
	return WARD_DONE;
}

/* The same by way of a body that is kept. */
static ward_result keep_and_give(ward_self *self, const ward_msg *msg)
{
	ward_ref sender = ward_msg_sender(msg);
	void *body;

	if (!is_word(msg))
		return WARD_UNHANDLED;
	body = ward_take_body(self, &ward_type_script_word);
	if (body == NULL) { /* in a shortage */
		ward_dead_letter(self, ward_self_ref(self), WARD_REASON_NO_MEMORY);
		return WARD_DONE;
	}
	ward_select_give_body_from(self, sender, script_of(self)->arg, &ward_type_script_word,
				   body);
	return WARD_DONE;
}

typedef ward_result way(ward_self *self, const ward_msg *msg);
static way *const ways[] = {pass_on, keep_and_give};
enum { WAYS = 2 };

static void start(struct family *f, way *how)
{
	f->a.receive = how;
	f->p.receive = f->b.receive = f->c.receive = f->g.receive = note_sender;
	family_start(f);
}

static ward_result tell(ward_self *self, void *arg)
{
	script_tell(self, *(const ward_ref *)arg, "hi");
	return WARD_DONE;
}

/* c tells a, and a is to pass it on. */
static void say_by_way_of_a(struct family *f, const char *path)
{
	f->a.arg = (void *)(uintptr_t)path;
	script_do(f->kit, f->c.ref, tell, &f->a.ref);
	ward_kit_run(f->kit);
}

/* ---- where it goes ----------------------------------------------------------------------- */

WARD_TEST(passed_on_along_a_path_in_the_name_of_the_first_sender, "S58")
{
	const struct {
		const char *path, *journal;
	} rows[] = {
		{"../b", "b:from c;b:hi"},      {"/user/g/p/b", "b:from c;b:hi"},
		{"..", "p:from c;p:hi"},        {"../../p", "p:from c;p:hi"},
		{"/user/g", "g:from c;g:hi"},   {"../[!a]", ""},
		{"/user/g/*", "p:from c;p:hi"}, {"/user/g/*/c", "c:from c;c:hi"},
	};

	for (size_t how = 0; how < WAYS; how++) {
		struct family f = FAMILY;
		start(&f, ways[how]);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			journal_clear();
			say_by_way_of_a(&f, rows[i].path);
			ward_assert_str(journal_text(), rows[i].journal);
		}
		ward_assert_eq(letters(&f), 1); /* "[!a]" is a name */
		script_finish(f.kit);
	}
}

WARD_TEST(passed_on_to_several_each_gets_a_copy, "S58")
{
	for (size_t how = 0; how < WAYS; how++) {
		struct family f = FAMILY;
		start(&f, ways[how]);
		f.a.receive = note_sender;
		f.g.receive = ways[how];
		f.g.arg = (void *)(uintptr_t) "p/*";
		script_do(f.kit, f.c.ref, tell, &f.g.ref);
		ward_kit_run(f.kit);
		assert_journal_of("a", "from c;hi");
		assert_journal_of("b", "from c;hi");
		assert_journal_of("c", "from c;hi");
		ward_assert_eq(letters(&f), 0);
		script_finish(f.kit);
	}
}

WARD_TEST(passed_on_to_nobody_is_a_dead_letter_of_the_first_sender, "S58")
{
	for (size_t how = 0; how < WAYS; how++) {
		struct family f = FAMILY;
		start(&f, ways[how]);
		say_by_way_of_a(&f, "../x/y");
		assert_journal("");
		ward_assert_eq(letters(&f), 1);
		ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_NO_MATCH);
		ward_assert_str(letter(&f, 0)->path, "sim/user/g/p/x/y");
		ward_assert(ward_ref_equal(letter(&f, 0)->sender, f.c.ref));
		script_finish(f.kit);
	}
}

/* ---- questions --------------------------------------------------------------------------- */

struct ping {
	int number;
};
struct pong {
	int number;
};
WARD_MESSAGE_FLAT(ping);
WARD_MESSAGE_FLAT(pong);
WARD_REPLY(ping, pong);

static ward_result pass_ping(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ping) == NULL)
		return WARD_UNHANDLED;
	ward_select_forward(self, script_of(self)->arg);
	return WARD_DONE;
}

static ward_result answer_ping(ward_self *self, const ward_msg *msg)
{
	const struct ping *ping = ward_match(msg, ping);

	if (ping == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, ping, .number = ping->number + 1);
	return WARD_DONE;
}

WARD_TEST(question_that_is_passed_on_is_answered_or_its_asker_is_told_at_once, "S58", "S81")
{
	struct family f = FAMILY;
	struct pong pong = {0};
	f.a.receive = pass_ping;
	f.b.receive = answer_ping;
	f.a.arg = (void *)(uintptr_t) "../b";
	family_start(&f);
	ward_assert_ok(ward_system_ask(ward_kit_system(f.kit), f.a.ref, WARD_MINUTE, &pong, ping,
				       .number = 7));
	ward_assert_eq(pong.number, 8);
	f.a.arg = (void *)(uintptr_t) "../x";
	ward_assert_err(ward_system_ask(ward_kit_system(f.kit), f.a.ref, WARD_MINUTE, &pong, ping,
					.number = 7),
			WARD_EDEAD);
	script_finish(f.kit);
}

/* ---- without a message, and after a failure ---------------------------------------------- */

static ward_result forward_nothing(ward_self *self, void *arg)
{
	(void)arg;
	ward_select_forward(self, "../b");
	ward_select_give_body_from(self, ward_self_ref(self), "../b", &ward_type_script_word, NULL);
	journal_note("%s:tried", script_of(self)->name);
	return WARD_DONE;
}

WARD_TEST(without_a_message_nothing_is_passed_on, "S58")
{
	struct family f = FAMILY;
	start(&f, NULL);
	f.a.post_stop = forward_nothing;
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	assert_journal("a:post_stop;a:tried");
	ward_assert_eq(letters(&f), 0);
	script_finish(f.kit);
}

static ward_result forward_failed(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	ward_assert(is_word(msg));
	ward_select_forward(self, "../b");
	return WARD_DONE;
}

static ward_result note_breaking(ward_self *self, const ward_msg *msg)
{
	if (!is_word(msg))
		return WARD_UNHANDLED;
	journal_note("%s:took over from %s", script_of(self)->name,
		     script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

static ward_result break_it(ward_self *self, void *arg)
{
	script_tell_break(self, *(const ward_ref *)arg, &bad_luck);
	return WARD_DONE;
}

WARD_TEST(message_that_failed_is_passed_on_by_pre_restart, "S31", "S58")
{
	struct family f = FAMILY;
	f.a.pre_restart = forward_failed;
	f.b.receive = note_breaking;
	family_start(&f);
	script_do(f.kit, f.c.ref, break_it, &f.a.ref);
	ward_kit_run(f.kit);
	assert_journal_of("b", "took over from c");
	assert_journal_of("p", "decide a");
	ward_assert_eq(letters(&f), 0);
	script_finish(f.kit);
}

/* ---- misuse and shortages ---------------------------------------------------------------- */

WARD_TEST(without_a_path_it_is_a_dead_letter_that_says_so, "S58")
{
	for (size_t how = 0; how < WAYS; how++) {
		struct family f = FAMILY;
		start(&f, ways[how]);
		say_by_way_of_a(&f, NULL);
		assert_journal("");
		ward_assert_eq(letters(&f), 1);
		ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_MISUSE);
		ward_assert_str(letter(&f, 0)->path, "(no path)");
		ward_assert_str(letter(&f, 0)->message_type, "script_word");
		ward_assert(ward_ref_equal(letter(&f, 0)->sender, f.c.ref));
		script_finish(f.kit);
	}
}

static ward_result ask_for_timeout(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_receive_timeout_set(self, 50));
	return WARD_DONE;
}

static ward_result pass_timeout_on(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_receive_timeout) == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:timeout", script_of(self)->name);
	ward_receive_timeout_set(self, 0);
	ward_select_forward(self, script_of(self)->arg);
	return WARD_DONE;
}

WARD_TEST(timeout_of_receive_that_is_passed_on_is_dropped_in_silence, "S88", "S58")
{
	const char *paths[] = {"../b", "../x", NULL};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct family f = FAMILY;
		f.a.receive = f.b.receive = pass_timeout_on;
		f.a.arg = (void *)(uintptr_t)paths[i];
		family_start(&f);
		script_do(f.kit, f.a.ref, ask_for_timeout, NULL);
		ward_kit_advance(f.kit, 100);
		assert_journal("a:timeout");
		ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
		script_finish(f.kit);
	}
}

static int kept_alive;
static void kept_drop(void *body)
{
	(void)body;
	kept_alive--;
}
static const ward_type kept = {.name = "kept", .size = 8, .drop = kept_drop};
static ward_self *kept_self;

static ward_result give_as_another_type(ward_self *self, void *arg)
{
	void *body = ward_make_body(self, &kept, 8);

	(void)arg;
	ward_assert(body != NULL);
	kept_alive++;
	kept_self = self;
	ward_select_give_body_from(self, ward_nobody(), "../b", &ward_type_ping, body);
	return WARD_DONE;
}

WARD_TEST(body_of_another_type_is_dropped_and_a_dead_letter, "S58")
{
	struct family f = FAMILY;
	family_start(&f);
	kept_alive = 0;
	script_do(f.kit, f.a.ref, give_as_another_type, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(kept_alive, 0);
	ward_assert_eq(letters(&f), 1);
	ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_MISUSE);
	ward_assert_str(letter(&f, 0)->message_type, "kept");
	ward_assert_str(letter(&f, 0)->path, "../b");
	/* a self that was kept: nothing happens */
	ward_select_forward(kept_self, "../b");
	ward_select_give_body_from(kept_self, ward_nobody(), "../b", &kept, &f);
	ward_kit_run(f.kit);
	ward_assert_eq(letters(&f), 1);
	script_finish(f.kit);
}

WARD_TEST(passed_on_in_a_shortage_it_arrives_or_is_a_dead_letter, "S58")
{
	for (size_t how = 0; how < WAYS; how++) {
		size_t losses = 0;
		for (uint64_t nth = 1;; nth++) {
			struct family f = FAMILY;
			start(&f, ways[how]);
			f.a.arg = (void *)(uintptr_t) "/user/g/p/b";
			script_say(f.kit, f.a.ref, "hi");
			uint64_t before = ward_kit_allocations(f.kit);
			ward_kit_fail_allocation(f.kit, nth);
			ward_kit_run(f.kit);
			ward_kit_fail_allocation(f.kit, 0);
			bool over = ward_kit_allocations(f.kit) - before < nth;
			bool arrived = strcmp(journal_of("b"), "from ?;hi") == 0;
			ward_assert_eq(letters(&f), arrived ? 0 : 1);
			if (!arrived) {
				ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_NO_MEMORY);
				losses++;
			}
			script_finish(f.kit); /* no word is left, none was dropped twice */
			if (over) {
				ward_assert(arrived);
				break;
			}
			ward_assert(nth < 100);
		}
		ward_assert(losses >= 2); /* the selection, and the message that it brings */
	}
}

WARD_TEST_MAIN
