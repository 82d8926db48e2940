/* SPDX-License-Identifier: MIT
 *
 * test_select.c - messages to a path: who gets them, what a miss says, who is there.
 *
 * Method: a family; an actor, or a thread outside, sends a word to a path. The journal tells who
 * got it, the events what became of it otherwise. A word owns memory: each is dropped once.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static ward_system *system_of(const struct family *f)
{
	return ward_kit_system(f->kit);
}

static void say_outside(struct family *f, const char *path, const char *text)
{
	struct script_word word = script_word(text, &(struct script_word){0});

	ward_system_select_send(system_of(f), path, &ward_type_script_word, &word, sizeof(word));
	ward_kit_run(f->kit);
}

struct call {
	const char *path, *text;
};

static ward_result say(ward_self *self, void *arg)
{
	const struct call *call = arg;
	struct script_word word = script_word(call->text, &(struct script_word){0});

	ward_select_send(self, call->path, &ward_type_script_word, &word, sizeof(word));
	return WARD_DONE;
}

/* As that actor; NULL: outside. */
static void say_as(struct family *f, const struct script *who, const char *path, const char *text)
{
	struct call call = {path, text};

	if (who == NULL) {
		say_outside(f, path, text);
		return;
	}
	script_do(f->kit, who->ref, say, &call);
	ward_kit_run(f->kit);
}

/* Whether exactly these got the word "hi": their names, each one letter. */
static bool all_got(struct family *f, const char *names)
{
	const struct script *all[] = {&f->g, &f->p, &f->a, &f->b, &f->c};
	bool good = true;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool wanted = strchr(names, all[i]->name[0]) != NULL;
		good = good && strcmp(journal_of(all[i]->name), wanted ? "hi" : "") == 0;
	}
	return good;
}

static const ward_event *letter(const struct family *f, size_t number)
{
	return ward_kit_event(f->kit, WARD_EVENT_DEAD_LETTER, "*", number);
}

static size_t letters(const struct family *f)
{
	return ward_kit_count(f->kit, WARD_EVENT_DEAD_LETTER, "*");
}

/* ---- paths ------------------------------------------------------------------------------- */

WARD_TEST(path_selects_what_it_says, "S58")
{
	struct family f = FAMILY;
	const struct {
		const struct script *from;
		const char *path, *got;
	} rows[] = {
		{&f.a, "", "a"},
		{&f.a, "..", "p"},
		{&f.a, "../b", "b"},
		{&f.a, "../..", "g"},
		{&f.a, "../../p/a", "a"},
		{&f.a, "/user/g", "g"},
		{&f.a, "//user///g//p/", "p"},
		{&f.a, "../../../../../../user/g/p/c", "c"}, /* above the root is the root */
		{&f.p, "b", "b"},
		{&f.p, "*", "abc"},
		{&f.p, "?", "abc"},
		{&f.p, "/user/?/p/[b]", ""},
		{&f.g, "p/*", "abc"},
		{&f.g, "*/b", "b"},
		{&f.g, "**/c", "c"}, /* not at the end: as one star */
		{&f.g, "**", "pabc"},
		{&f.g, "/**", "gpabc"}, /* the guardians leave it unhandled */
		{&f.a, "../*/../c", "c"},
		{NULL, "user/g/p/a", "a"},
		{NULL, "/user/g/p/*", "abc"},
		{NULL, "/user/*", "g"},
		{NULL, "/../user/g/p/..", "g"},
		{&f.p, "./a/.", "a"},
		{&f.p, "*/..", "p"}, /* once, not by way of each child */
		{&f.p, "a/..", "p"},
		{&f.p, "z?/..", ""},
		{&f.p, "z/..", ""},
		{&f.a, "../*/../c/../b", "b"},
		{&f.g, "p/a/../..", "g"},
		{&f.g, "p/z/../..", ""},
		{&f.g, "*/a/..", "p"},
		{&f.g, "*/?/../b", "b"},
		{&f.g, "p/**/..", "p"},
		{NULL, "/*/../*/../*/..", ""}, /* the root leaves it unhandled */
		{NULL, "/user/../user/*/../g", "g"},
	};
	family_start(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		journal_clear();
		say_as(&f, rows[i].from, rows[i].path, "hi");
		if (!all_got(&f, rows[i].got))
			ward_test_fail(__FILE__, __LINE__, "\"%s\": %s", rows[i].path,
				       journal_text());
	}
	ward_assert_eq(letters(&f), 4); /* "[b]", and what is not there to turn back at */
	script_finish(f.kit);
}

static ward_result note_sender(ward_self *self, const ward_msg *msg)
{
	if (ward_msg_body(msg, &ward_type_script_word) != NULL)
		journal_note("%s:from %s", script_of(self)->name,
			     script_name(ward_msg_sender(msg)));
	return WARD_UNHANDLED;
}

WARD_TEST(selected_message_keeps_its_sender, "S58")
{
	struct family f = FAMILY;
	f.b.receive = f.c.receive = note_sender;
	family_start(&f);
	say_as(&f, &f.a, "../b", "hi");
	say_as(&f, &f.a, "/user/g/*/?", "hi");
	assert_journal_of("b", "from a;hi;from a;hi");
	assert_journal_of("c", "from a;hi");
	script_finish(f.kit);
}

static ward_result spawn_nameless(ward_self *self, void *arg)
{
	struct script *script = arg;
	script->name = NULL;
	ward_assert_ok(script_spawn_child(self, script));
	script->name = "nameless";
	return WARD_DONE;
}

WARD_TEST(generated_name_is_selected_like_another, "S58", "S56")
{
	struct family f = FAMILY;
	struct script d = {.name = "nameless"};
	family_start(&f);
	script_do(f.kit, f.p.ref, spawn_nameless, &d);
	ward_kit_run(f.kit);
	journal_clear();
	say_as(&f, NULL, "/user/g/p/scripted$1", "by name");
	say_as(&f, &f.p, "*$*", "by pattern");
	say_as(&f, &f.p, "scripted$2", "nobody");
	say_as(&f, &f.p, "other$1", "nobody");
	assert_journal("nameless:by name;nameless:by pattern");
	ward_assert_eq(letters(&f), 2);
	script_finish(f.kit);
}

/* ---- misses ------------------------------------------------------------------------------ */

WARD_TEST(miss_is_a_dead_letter_with_the_path_that_was_looked_for, "S58")
{
	struct family f = FAMILY;
	const struct {
		const struct script *from;
		const char *path, *intended;
	} rows[] = {
		{NULL, "nobody", "sim/nobody"},
		{NULL, "/user/x/y/z", "sim/user/x/y/z"},
		{NULL, "/user/g/p/a/b/*", "sim/user/g/p/a/b/*"},
		{&f.p, "d", "sim/user/g/p/d"},
		{&f.a, "../d*/e", "sim/user/g/p/d*/e"},
		{&f.a, "*", "sim/user/g/p/a/*"},
		{&f.a, "**", "sim/user/g/p/a/**"},
		{&f.g, "*/x", "sim/user/g/p/x"}, /* one match is no fan-out */
		{&f.g, "sim/user/g", "sim/user/g/sim/user/g"},
	};
	family_start(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[WARD_EVENT_TEXT];

		say_as(&f, rows[i].from, rows[i].path, "hi");
		const ward_event *event = letter(&f, i);
		ward_assert_str(event->path, rows[i].intended);
		ward_assert_eq(event->reason, WARD_REASON_NO_MATCH);
		ward_assert(ward_ref_is_nobody(event->subject));
		ward_assert(ward_ref_equal(
			event->sender, rows[i].from == NULL ? ward_nobody() : rows[i].from->ref));
		snprintf(text, sizeof(text), "no actor is at this path: \"%s\"", rows[i].path);
		ward_assert_str(event->text, text);
	}
	assert_journal("");
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, sizeof(rows) / sizeof(rows[0]));
	script_finish(f.kit);
}

WARD_TEST(miss_with_a_long_path_is_cut, "S58")
{
	struct family f = FAMILY;
	char path[2000];
	memset(path, 'x', sizeof(path));
	path[0] = path[700] = '/';
	path[1999] = '\0';
	family_start(&f);
	say_as(&f, &f.a, path, "hi");
	ward_assert_eq(strlen(letter(&f, 0)->path), WARD_EVENT_PATH - 1);
	ward_assert_part(letter(&f, 0)->path, "sim/xxx");
	ward_assert_part(letter(&f, 0)->text, "path: \"/xxx");
	script_finish(f.kit);
}

WARD_TEST(misses_after_a_fan_out_are_silent, "S58")
{
	struct family f = FAMILY;
	family_start(&f);
	say_as(&f, NULL, "/user/g/p/*/x", "hi");
	say_as(&f, &f.g, "p/?/x/y", "hi");
	say_as(&f, &f.g, "p/*/**", "hi");
	say_as(&f, &f.g, "p/*/*", "hi");
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	assert_journal("");
	script_finish(f.kit);
}

static const ward_type hushed = {.name = "hushed", .size = 4, .flags = WARD_TYPE_QUIET};

WARD_TEST(quiet_type_that_misses_is_suppressed, "S58", "S81")
{
	struct family f = FAMILY;
	int number = 3;
	family_start(&f);
	ward_system_select_send(system_of(&f), "user/x", &hushed, &number, sizeof(number));
	ward_kit_run(f.kit);
	ward_assert_eq(letters(&f), 0);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_SUPPRESSED, "*", 0);
	ward_assert_str(event->path, "sim/user/x");
	script_finish(f.kit);
}

WARD_TEST(child_that_ends_meanwhile_is_a_miss, "S58", "S57")
{
	/* stopped as the word is on its way: it is handled, meets a mailbox that is closed or
	 * closes with it, or finds no such name any more */
	enum { ROUNDS = 48 };
	size_t handled = 0, dead = 0, no_match = 0;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct family f = FAMILY;
		f.g.children[0] = &f.p;
		f.p.children[0] = &f.a;
		f.kit = script_start(&(ward_kit_options){.seed = seed});
		script_spawn(f.kit, &f.g);
		journal_clear();
		struct script_word word = script_word("hi", &(struct script_word){0});
		ward_system_select_send(system_of(&f), "/user/g/p/a", &ward_type_script_word, &word,
					sizeof(word));
		for (uint64_t i = 0; i < seed % 6; i++)
			ward_kit_step(f.kit);
		ward_system_stop(system_of(&f), f.a.ref);
		ward_kit_run(f.kit);
		if (strcmp(journal_text(), "a:hi;a:post_stop") == 0) {
			handled++;
			ward_assert_eq(letters(&f), 0);
		} else {
			ward_assert_str(journal_text(), "a:post_stop");
			ward_assert_eq(letters(&f), 1);
			ward_assert_str(letter(&f, 0)->path, "sim/user/g/p/a");
			no_match += letter(&f, 0)->reason == WARD_REASON_NO_MATCH;
			dead += letter(&f, 0)->reason == WARD_REASON_DEAD;
		}
		script_finish(f.kit);
	}
	ward_assert(handled > 0 && dead > 0 && no_match > 0);
	ward_assert_eq(handled + dead + no_match, ROUNDS);
}

static bool parents_wait; /* p1 and p2 have no turn as long as anybody else has something to do */

static size_t choose(void *arg, ward_system *system, size_t count)
{
	char path[64];

	(void)arg;
	for (size_t i = 0; parents_wait && i < count; i++) {
		ward_system_path(system, ward_simulation_ready(system, i), path, sizeof(path));
		if (strcmp(path, "sim/user/p1") != 0 && strcmp(path, "sim/user/p2") != 0)
			return i;
	}
	return 0;
}

/* A word to a path, whose last step is taken when both x have ended, and their parents do not know
 * yet. Returns the number of dead letters. */
static uint64_t say_to_ended(const char *path, ward_reason reason)
{
	static const ward_simulation chosen = {.choose = choose};
	struct script x1 = {.name = "x"}, x2 = {.name = "x"};
	struct script p1 = {.name = "p1", .children = {&x1}},
		      p2 = {.name = "p2", .children = {&x2}};
	struct family f = {.kit = script_start(&(ward_kit_options){.simulation = &chosen})};
	struct script_word word = script_word("hi", &(struct script_word){0});
	uint64_t count;

	parents_wait = false;
	script_spawn(f.kit, &p1);
	script_spawn(f.kit, &p2);
	parents_wait = true;
	ward_system_select_send(system_of(&f), path, &ward_type_script_word, &word, sizeof(word));
	for (int i = 0; i < 2; i++) /* the root, and /user */
		ward_kit_step(f.kit);
	ward_system_stop(system_of(&f), x1.ref);
	ward_system_stop(system_of(&f), x2.ref);
	for (int i = 0; i < 2; i++)
		ward_kit_step(f.kit);
	ward_assert_state(f.kit, x1.ref, WARD_STATE_STOPPED);
	ward_assert_state(f.kit, x2.ref, WARD_STATE_STOPPED);
	ward_kit_run(f.kit);
	count = ward_kit_stats(f.kit).dead_letters;
	for (size_t i = 0; i < letters(&f); i++) {
		ward_assert_eq(letter(&f, i)->reason, reason);
		ward_assert_part(letter(&f, i)->path, path);
	}
	script_finish(f.kit);
	return count;
}

WARD_TEST(child_whose_mailbox_is_closed_is_a_miss, "S58")
{
	ward_assert_eq(say_to_ended("/user/p1/x", WARD_REASON_DEAD), 1);
	ward_assert_eq(say_to_ended("/user/p1/?", WARD_REASON_NO_MATCH), 1);
	ward_assert_eq(say_to_ended("/user/p?/x", 0), 0); /* after a fan-out, in silence */
}

/* ---- gates ------------------------------------------------------------------------------- */

WARD_TEST(suspended_parent_holds_no_selection_back, "S58", "S5")
{
	struct family f = FAMILY;
	ward_actor_info info;
	f.g.decides = WARD_LATER;
	f.leaves_mail = true;
	family_start(&f);
	script_break(f.kit, f.p.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_state(f.kit, f.p.ref, WARD_STATE_FAILED);
	say_as(&f, NULL, "/user/g/p/b", "hi");
	ward_assert(ward_kit_info(f.kit, f.b.ref, &info) && info.has_mail && info.suspended == 1);
	ward_assert(ward_kit_info(f.kit, f.c.ref, &info) && !info.has_mail);
	script_finish(f.kit);
}

static ward_result select_in_post_stop(ward_self *self, void *arg)
{
	static struct call calls[] = {
		{"", "self"}, {"*", "below"}, {"../b", "beside"}, {"/x", "top"}};

	(void)arg;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		(void)say(self, &calls[i]);
	return WARD_DONE;
}

WARD_TEST(selections_of_one_that_ends_are_sent, "S58")
{
	struct family f = FAMILY;
	f.a.post_stop = select_in_post_stop;
	family_start(&f);
	ward_system_stop(system_of(&f), f.a.ref);
	ward_kit_run(f.kit);
	assert_journal_of("b", "beside");
	ward_assert_eq(letters(&f), 3);
	script_finish(f.kit);
}

WARD_TEST(system_that_goes_down_drops_selections_once, "S58", "S49")
{
	/* from outside and from each of the family, at any moment of the end */
	for (uint64_t seed = 1; seed <= 12; seed++) {
		static const char *const paths[] = {"/user/g/p/*", "/user/g/p/a", "/**",
						    "/user/g/*/b"};
		struct family f = FAMILY;
		struct call call = {"../../*/*", "hi"};
		f.leaves_mail = true;
		f.a.post_stop = f.p.post_stop = select_in_post_stop;
		family_start(&f);
		script_do(f.kit, f.c.ref, say, &call);
		ward_system_shutdown(system_of(&f), NULL);
		for (uint64_t i = 0; i < seed; i++) {
			struct script_word word = script_word("hi", &(struct script_word){0});
			ward_system_select_send(system_of(&f), paths[i % 4], &ward_type_script_word,
						&word, sizeof(word));
			ward_kit_step(f.kit);
		}
		script_finish(f.kit); /* no word is left, none was dropped twice */
	}
}

/* ---- copies ------------------------------------------------------------------------------ */

static int gems;
struct gem {
	int *owned;
};
static void gem_drop(struct gem *gem)
{
	gems--;
	free(gem->owned);
}
WARD_MESSAGE_DROP(gem, gem_drop);

static ward_result note_gem(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, gem) == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:gem", script_of(self)->name);
	return WARD_DONE;
}

static void select_gem(struct family *f, const char *path)
{
	gems++;
	journal_clear();
	ward_kit_forget_events(f->kit);
	ward_system_select_tell(system_of(f), path, gem, .owned = malloc(1));
	ward_kit_run(f->kit);
	ward_assert_eq(gems, 0);
}

WARD_TEST(what_cannot_be_copied_goes_to_the_first_match, "S58")
{
	struct family f = FAMILY;
	f.g.receive = f.p.receive = f.a.receive = f.b.receive = f.c.receive = note_gem;
	family_start(&f);
	select_gem(&f, "/user/g/p/b");
	assert_journal("b:gem");
	ward_assert_eq(letters(&f), 0);
	select_gem(&f, "/user/g/p/*");
	assert_journal("a:gem");
	ward_assert_eq(letters(&f), 2);
	ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_UNIQUE);
	ward_assert_str(letter(&f, 0)->path, "sim/user/g/p/b");
	ward_assert_str(letter(&f, 1)->path, "sim/user/g/p/c");
	ward_assert_eq(letter(&f, 1)->body_size, 0);
	select_gem(&f, "/user/g/**");
	assert_journal("p:gem");
	ward_assert_eq(letters(&f), 3);
	select_gem(&f, "/user/g/p/*/../a"); /* there is only one way */
	assert_journal("a:gem");
	ward_assert_eq(letters(&f), 0);
	select_gem(&f, "/*/g/p"); /* the first branch has it */
	assert_journal("p:gem");
	ward_assert_eq(letters(&f), 0);
	select_gem(&f, "/user/g/p/*/x");
	assert_journal("");
	select_gem(&f, "/user/x");
	ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_NO_MATCH);
	script_finish(f.kit);
}

static size_t count_of(const char *names)
{
	size_t count = 0;

	for (const char *at = journal_of(names); *at != '\0'; at++)
		count += *at == 'h';
	return count;
}

WARD_TEST(each_receiver_gets_its_copy_or_a_dead_letter_says_why_not, "S58")
{
	static const char *const paths[] = {"/user/g/p/*", "/user/g/**", "/*/g/p/*",
					    "/user/g/p/*/../a", "/user/g/p/c"};
	static const size_t receivers[] = {3, 4, 3, 1, 1};
	struct family f = FAMILY;
	family_start(&f);
	for (size_t i = 0; i < sizeof receivers / sizeof receivers[0]; i++) {
		size_t losses = 0, partial = 0;
		for (uint64_t nth = 1;; nth++) {
			uint64_t before = ward_kit_allocations(f.kit);
			journal_clear();
			ward_kit_forget_events(f.kit);
			ward_kit_fail_allocation(f.kit, nth);
			say_as(&f, NULL, paths[i], "hi");
			ward_kit_fail_allocation(f.kit, 0);
			size_t got = count_of("p") + count_of("a") + count_of("b") + count_of("c");
			if (got == receivers[i] && letters(&f) == 0 &&
			    ward_kit_allocations(f.kit) - before < nth)
				break;
			losses += letters(&f);
			partial += got > 0 && got < receivers[i];
			if (got < receivers[i]) {
				ward_assert(letters(&f) > 0);
				ward_assert_eq(letter(&f, 0)->reason, WARD_REASON_NO_MEMORY);
			}
			ward_assert(nth < 1000);
		}
		ward_assert(losses > 0);
		ward_assert(partial > 0 || receivers[i] == 1);
	}
	script_finish(f.kit);
}

/* ---- what is no selection ---------------------------------------------------------------- */

static ward_self *kept_self;

static ward_result misuse(ward_self *self, void *arg)
{
	struct gem gem = {malloc(1)};

	(void)arg;
	kept_self = self;
	gems++;
	ward_select_send(self, NULL, &ward_type_gem, &gem, sizeof(gem));
	ward_select_send(self, "../b", NULL, NULL, 0);
	ward_select_send(self, "../b", &ward_type_gem, &gem, 3);
	return WARD_DONE;
}

WARD_TEST(misused_selection_is_a_dead_letter_that_says_so, "S58")
{
	struct family f = FAMILY;
	struct gem gem = {malloc(1)};
	family_start(&f);
	script_do(f.kit, f.a.ref, misuse, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(gems, 0);
	ward_assert_eq(letters(&f), 3);
	for (size_t i = 0; i < 3; i++)
		ward_assert_eq(letter(&f, i)->reason, WARD_REASON_MISUSE);
	ward_assert_str(letter(&f, 0)->path, "(no path)");
	ward_assert_str(letter(&f, 1)->path, "../b");
	/* who is reached by way of each match would get one copy for each */
	ward_kit_forget_events(f.kit);
	say_as(&f, &f.g, "*/a/../..", "hi");
	say_as(&f, NULL, "/user/g/*/b/.././../p", "hi");
	ward_assert_eq(letters(&f), 2);
	ward_assert_eq(letter(&f, 1)->reason, WARD_REASON_MISUSE);
	ward_assert_part(letter(&f, 0)->text, "\"*/a/../..\" leaves a pattern again");
	/* a kept self, and no system: nothing happens, but what the body owns is dropped */
	gems = 1;
	ward_select_send(kept_self, "../b", &hushed, NULL, 0);
	ward_system_select_send(NULL, "/user", &ward_type_gem, &gem, sizeof(gem));
	ward_assert_eq(gems, 0);
	script_finish(f.kit);
}

/* ---- pills and guardians ----------------------------------------------------------------- */

WARD_TEST(poison_pill_and_kill_work_by_selection, "S58", "S50", "S90")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_system_select_tell(system_of(&f), "/user/g/p/b", ward_kill);
	ward_kit_run(f.kit);
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 0)->failure_class,
			"ward_killed");
	ward_system_select_tell(system_of(&f), "/user/g/p/*", ward_poison_pill);
	ward_kit_run(f.kit);
	ward_assert(!ward_system_is_alive(system_of(&f), f.a.ref));
	ward_assert(!ward_system_is_alive(system_of(&f), f.b.ref));
	ward_assert(!ward_system_is_alive(system_of(&f), f.c.ref));
	ward_assert(ward_system_is_alive(system_of(&f), f.p.ref));
	script_finish(f.kit);
}

WARD_TEST(guardians_leave_selected_messages_unhandled, "S58", "S83")
{
	struct family f = FAMILY;
	family_start(&f);
	say_as(&f, NULL, "/user", "hi");
	say_as(&f, &f.a, "/system", "hi");
	say_as(&f, NULL, "", "hi");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_UNHANDLED, "sim/user"), 1);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_UNHANDLED, "sim/system"), 1);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_UNHANDLED, "sim/"), 1);
	script_finish(f.kit);
}

WARD_TEST_MAIN
