/* SPDX-License-Identifier: MIT
 *
 * test_closed_mailbox.c - a mailbox that its actor closes: what passes, what waits, who is held,
 * and what ends it.
 *
 * Method: a closes its mailbox; p tells it words, which wait, while timers, answers, notices and
 * descriptors pass. Plain and bounded mailboxes, over seeds.
 */
#include <string.h>
#include <unistd.h>

#include "full_mailbox.h"

enum { ROUNDS = 20, TICK = 1 };
WARD_SIGNAL(beat);
WARD_SIGNAL(is_it);

struct plot {
	ward_kit *kit;
	struct script a, p, c;
	int ends[2];
};

static const ward_failure_class plot_bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static ward_result hear(ward_self *self, const ward_msg *msg)
{
	const char *what = ward_match(msg, beat)                   ? "beat"
			   : ward_match(msg, is_it)                ? "is_it"
			   : ward_match(msg, ward_fd_ready)        ? "ready"
			   : ward_match(msg, ward_terminated)      ? "gone"
			   : ward_match(msg, ward_receive_timeout) ? "idle"
								   : NULL;

	if (what == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%s", script_of(self)->name, what);
	return WARD_DONE;
}

static const ward_mailbox mailboxes[] = {
	{0},
	{.messages_max = 4, .overflow = WARD_OVERFLOW_HOLD_SENDER},
	{.counted = true},
	{.control_first = true},
};
enum { KINDS = sizeof mailboxes / sizeof mailboxes[0] };

static void plot_start(struct plot *plot, const ward_mailbox *mailbox)
{
	plot->a.name = "a";
	plot->p.name = "p";
	plot->c.name = "c";
	plot->a.receive = plot->p.receive = hear;
	plot->a.mailbox = *mailbox;
	plot->a.arg = plot;
	plot->kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	script_spawn(plot->kit, &plot->a);
	script_spawn(plot->kit, &plot->p);
	script_spawn(plot->kit, &plot->c);
	journal_clear();
	ward_kit_forget_events(plot->kit);
}

static ward_result close_it(ward_self *self, void *arg)
{
	(void)arg;
	ward_mailbox_close(self);
	return WARD_DONE;
}

static ward_result open_it(ward_self *self, void *arg)
{
	(void)arg;
	ward_mailbox_open(self);
	return WARD_DONE;
}

static void run_as(struct plot *plot, script_call *call)
{
	script_do(plot->kit, plot->a.ref, call, plot);
	ward_kit_run(plot->kit);
}

/* A word cannot open it: a timer does. */
static ward_result open_by_timer(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, beat) == NULL)
		return hear(self, msg);
	journal_note("%s:beat", script_of(self)->name);
	ward_mailbox_open(self);
	return WARD_DONE;
}

static ward_result close_for_a_second(ward_self *self, void *arg)
{
	ward_after(self, TICK, 1000, beat);
	return close_it(self, arg);
}

static void say(struct plot *plot, const char *text)
{
	script_say(plot->kit, plot->a.ref, text);
	ward_kit_run(plot->kit);
}

WARD_TEST(what_others_tell_waits_in_its_order_until_it_is_open, "S128")
{
	WARD_TEST_SEEDS(ROUNDS)
	for (int kind = 0; kind < KINDS; kind++) {
		struct plot plot = {0};

		plot_start(&plot, &mailboxes[kind]);
		plot.a.receive = open_by_timer;
		run_as(&plot, close_for_a_second);
		for (int i = 0; i < 4; i++)
			say(&plot, (char[]){(char)('1' + i), '\0'});
		assert_journal("");
		ward_assert(look_at(plot.kit, &plot.a).closed);
		ward_assert(look_at(plot.kit, &plot.a).has_mail);
		ward_assert(!look_at(plot.kit, &plot.a).ready);
		ward_assert_eq(look_at(plot.kit, &plot.a).mailbox, kind == 0 ? -1 : 4);
		ward_kit_advance(plot.kit, 1000);
		ward_kit_run(plot.kit);
		assert_journal("a:beat;a:1;a:2;a:3;a:4");
		ward_assert(!look_at(plot.kit, &plot.a).closed);
		ward_assert_eq(ward_kit_stats(plot.kit).dead_letters, 0);
		script_finish(plot.kit);
	}
}

static ward_result close_with_all(ward_self *self, void *arg)
{
	struct plot *plot = arg;

	ward_every(self, TICK, 1000, beat);
	ward_watch(self, plot->c.ref);
	ward_fd_watch(self, plot->ends[0], WARD_FD_READ);
	ward_receive_timeout_set(self, 5500);
	script_tell(self, ward_self_ref(self), "to itself");
	return close_it(self, arg);
}

WARD_TEST(timers_descriptors_notices_and_timeouts_pass_between_what_waits, "S128")
{
	WARD_TEST_SEEDS(ROUNDS)
	for (int kind = 0; kind < KINDS; kind++) {
		struct plot plot = {0};

		ward_assert_eq(pipe(plot.ends), 0);
		plot_start(&plot, &mailboxes[kind]);
		run_as(&plot, close_with_all);
		say(&plot, "1");
		ward_kit_advance(plot.kit, 1000);
		ward_kit_run(plot.kit);
		assert_journal("a:beat");
		say(&plot, "2");
		ward_assert_eq(write(plot.ends[1], "x", 1), 1);
		ward_kit_run(plot.kit);
		assert_journal("a:beat;a:ready");
		ward_kit_stop(plot.kit, plot.c.ref);
		ward_kit_run(plot.kit);
		assert_journal_of("a", "beat;ready;gone");
		ward_system_tell(ward_kit_system(plot.kit), plot.a.ref, ward_poison_pill);
		ward_kit_run(plot.kit);
		ward_assert_state(plot.kit, plot.a.ref, WARD_STATE_RUNNING);
		ward_kit_stop(plot.kit, plot.a.ref);
		ward_kit_run(plot.kit);
		/* to itself, 1, 2, the pill */
		ward_assert_eq(ward_kit_stats(plot.kit).dead_letters, 4);
		script_finish(plot.kit);
		close(plot.ends[0]);
		close(plot.ends[1]);
	}
}

WARD_TEST(full_mailbox_that_is_closed_holds_its_senders_until_it_is_open, "S128")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plot plot = {0};

		plot_start(&plot, &mailboxes[1]);
		plot.a.receive = open_by_timer;
		run_as(&plot, close_for_a_second);
		struct words words = {&plot.a, 5};
		script_do(plot.kit, plot.p.ref, send_words, &words);
		ward_kit_run(plot.kit);
		check_held(plot.kit, &plot.p, &plot.a);
		script_say(plot.kit, plot.p.ref, "next");
		ward_kit_run(plot.kit);
		assert_journal("");
		ward_kit_advance(plot.kit, 1000);
		ward_kit_run(plot.kit);
		assert_journal_of("a", "beat;1;2;3;4;5");
		assert_journal_of("p", "next");
		check_held(plot.kit, &plot.p, NULL);
		script_finish(plot.kit);
	}
}

static ward_result close_and_fail(ward_self *self, void *arg)
{
	(void)close_it(self, arg);
	return ward_failed(self, &plot_bad_luck, "closed");
}

static ward_result note_closed(ward_self *self, const ward_failure *why)
{
	ward_actor_info info;

	(void)why;
	ward_assert_ok(ward_system_actor(ward_self_system(self), ward_self_ref(self), &info));
	journal_note("%s:%s", script_of(self)->name, info.closed ? "closed" : "open");
	return WARD_DONE;
}

WARD_TEST(restart_opens_it_before_the_hooks_of_the_new_incarnation, "S128")
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct plot plot = {0};

		plot.a.post_restart = note_closed;
		plot_start(&plot, &mailboxes[kind]);
		script_do(plot.kit, plot.a.ref, close_and_fail, &plot);
		script_say(plot.kit, plot.a.ref, "1");
		script_say(plot.kit, plot.a.ref, "2");
		ward_kit_run(plot.kit);
		ward_assert_part(journal_text(), "a:open");
		ward_assert_part(journal_text(), "a:1;a:2");
		script_finish(plot.kit);
	}
}

WARD_TEST(what_waits_at_the_end_is_a_dead_letter, "S128")
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct plot plot = {0};

		plot_start(&plot, &mailboxes[kind]);
		run_as(&plot, close_it);
		for (int i = 0; i < 3; i++)
			say(&plot, "x");
		ward_kit_stop(plot.kit, plot.a.ref);
		ward_kit_run(plot.kit);
		ward_assert_eq(ward_kit_stats(plot.kit).dead_letters, 3);
		assert_journal_of("a", "post_stop");
		script_finish(plot.kit);
	}
}

static ward_result stash_then_close(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, is_it) == NULL)
		return WARD_UNHANDLED;
	ward_stash(self);
	ward_after(self, TICK, 1000, beat);
	ward_mailbox_close(self);
	ward_unstash_all(self);
	journal_note("a:stashed");
	script_of(self)->receive = open_by_timer;
	return WARD_DONE;
}

WARD_TEST(what_was_unstashed_waits_too_and_comes_first, "S128")
{
	struct plot plot = {0};

	plot_start(&plot, &mailboxes[0]);
	plot.a.receive = stash_then_close;
	ward_system_tell(ward_kit_system(plot.kit), plot.a.ref, is_it);
	say(&plot, "1");
	assert_journal("a:stashed");
	ward_kit_advance(plot.kit, 1000);
	ward_kit_run(plot.kit);
	assert_journal("a:stashed;a:beat;a:is_it;a:1");
	script_finish(plot.kit);
}

static void note_closed_line(void *arg, const char *line)
{
	(void)arg;
	if (strstr(line, "mailbox closed") != NULL)
		journal_note("%s", line + strspn(line, " "));
}

WARD_TEST(tree_says_that_it_is_closed, "S128")
{
	struct plot plot = {0};

	plot_start(&plot, &mailboxes[0]);
	run_as(&plot, close_it);
	say(&plot, "1");
	journal_clear();
	ward_assert_ok(ward_system_tree(ward_kit_system(plot.kit), note_closed_line, NULL));
	assert_journal("a running, mailbox closed, has mail");
	script_finish(plot.kit);
}

static ward_result close_and_open(ward_self *self, void *arg)
{
	(void)close_it(self, arg);
	return open_it(self, arg);
}

WARD_TEST(opened_in_the_same_callback_it_was_never_closed, "S128")
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct plot plot = {0};

		plot_start(&plot, &mailboxes[kind]);
		script_do(plot.kit, plot.a.ref, close_and_open, &plot);
		say(&plot, "1");
		assert_journal("a:1");
		script_finish(plot.kit);
	}
}

WARD_TEST_MAIN
