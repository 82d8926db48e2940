/* SPDX-License-Identifier: MIT
 *
 * test_ends.c - how an actor has ended: in the notice, in its hooks, in a pact (S46, S61, S66).
 *
 * Method: a watches b, which ends in each of the ways there are, and says in post_stop which reason
 * it has.
 */
#include <stdio.h>
#include <string.h>

#include "support/watching_family.h"

/* ---- the ways ---------------------------------------------------------------------------- */

static ward_result stop_itself(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result break_down(ward_self *self, void *arg)
{
	(void)arg;
	return ward_failed(self, &bad_luck, "torn");
}

static ward_result take_pill(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell(self, ward_self_ref(self), ward_poison_pill);
	return WARD_DONE;
}

static ward_result take_kill(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell(self, ward_self_ref(self), ward_kill);
	return WARD_DONE;
}

static ward_result exit_as(ward_self *self, void *arg)
{
	const ward_exit_reason *reason = arg;
	ward_assert_ok(ward_exit(self, ward_self_ref(self), reason));
	return WARD_DONE;
}

static const struct way {
	script_call *call; /* NULL: it is stopped from outside */
	ward_exit_reason reason;
	ward_end end;
	const ward_failure_class *failure_class;
} ways[] = {
	{stop_itself, {0}, WARD_END_NORMAL, NULL},
	{NULL, {0}, WARD_END_STOPPED, NULL},
	{take_pill, {0}, WARD_END_STOPPED, NULL},
	{break_down, {0}, WARD_END_FAILED, &bad_luck},
	{take_kill, {0}, WARD_END_KILLED, &ward_killed},
	{exit_as, {.kind = WARD_EXIT_NORMAL}, WARD_END_NORMAL, NULL},
	{exit_as, {.kind = WARD_EXIT_SHUTDOWN}, WARD_END_STOPPED, NULL},
	{exit_as, {.kind = WARD_EXIT_KILL}, WARD_END_KILLED, &ward_killed},
	{exit_as, {.kind = WARD_EXIT_OTHER, .name = "moved"}, WARD_END_EXITED, NULL},
	{exit_as, {.kind = WARD_EXIT_FAILURE, .name = "torn"}, WARD_END_EXITED, NULL},
};

static void note_reason(ward_self *self, const char *hook)
{
	const ward_failure *failure;
	ward_end end = ward_stop_reason(self, &failure);
	ward_assert_eq(ward_stop_reason(self, NULL), end);
	journal_note("%s:%s %s %s", script_of(self)->name, hook, ward_end_text(end),
		     failure == NULL ? "-" : ward_failure_class_of(failure)->name);
}

static ward_result note_stop(ward_self *self, void *arg)
{
	(void)arg;
	note_reason(self, "ends");
	return WARD_DONE;
}

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_equal(ward_msg_sender(msg), gone->who));
	note_reason(self, "asks");
	journal_note("%s:%s %s %s", script_of(self)->name, gone->name, ward_end_text(gone->end),
		     gone->failure_class == NULL ? "-" : gone->failure_class->name);
	return WARD_DONE;
}

static void start_watching(struct family *f)
{
	f->p.decides = WARD_STOP;
	f->a.receive = note_end;
	f->b.post_stop = note_stop;
	family_start(f);
	do_and_run(f, &f->a, watch_arg, &f->b);
}

static void end_b(struct family *f, const struct way *way)
{
	if (way->call == NULL)
		ward_system_stop(ward_kit_system(f->kit), f->b.ref);
	else
		script_do(f->kit, f->b.ref, way->call, (void *)(uintptr_t)&way->reason);
	ward_kit_run(f->kit);
}

WARD_TEST(notice_of_each_end_says_who_and_how, "S61")
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *failure_class =
			ways[i].failure_class == NULL ? "-" : ways[i].failure_class->name;
		struct family f = FAMILY;
		char wanted[80];
		start_watching(&f);
		end_b(&f, &ways[i]);
		snprintf(wanted, sizeof(wanted), "asks unknown -;b %s %s",
			 ward_end_text(ways[i].end), failure_class);
		assert_journal_of("a", wanted);
		script_finish(f.kit);
	}
}

WARD_TEST(post_stop_is_told_the_same, "S46")
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		bool failed = ways[i].call == break_down || ways[i].call == take_kill;
		struct family f = FAMILY;
		char wanted[80];
		start_watching(&f);
		end_b(&f, &ways[i]);
		snprintf(wanted, sizeof(wanted), "post_stop;ends %s %s", ward_end_text(ways[i].end),
			 failed ? ways[i].failure_class->name : "-");
		ward_assert_part(journal_of("b"), wanted);
		script_finish(f.kit);
	}
}

/* ---- who --------------------------------------------------------------------------------- */

WARD_TEST(notice_of_what_was_gone_before_knows_nothing, "S61")
{
	struct family f = FAMILY;
	f.a.receive = note_end;
	family_start(&f);
	stop_and_run(&f, &f.b);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	assert_journal_of("a", "asks unknown -; unknown -");
	script_finish(f.kit);
}

static const struct named {
	const char *behavior, *name, *shown;
} names[] = {
	{"silent", "nineteen-letters-19", "nineteen-letters-19"},
	{"silent", "twenty-letters-are20", "twenty-letters-are2"},
	{"silent", NULL, "silent"},
	{"eighteen-letters-1\u00e4", NULL, "eighteen-letters-1"}, /* no half of a letter */
};

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static ward_result spawn_and_watch(ward_self *self, void *arg)
{
	static ward_behavior silent = {.receive = ignore};
	const struct named *named = arg;
	ward_ref child;
	silent.name = named->behavior;
	child = ward_spawn(self, &silent, .name = named->name);
	ward_watch(self, child);
	ward_stop(self, child);
	return WARD_DONE;
}

WARD_TEST(name_in_a_notice_is_cut_to_fit, "S61")
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct family f = FAMILY;
		char wanted[80];
		f.a.receive = note_end;
		family_start(&f);
		do_and_run(&f, &f.a, spawn_and_watch, (void *)(uintptr_t)&names[i]);
		snprintf(wanted, sizeof(wanted), "asks unknown -;%s stopped -", names[i].shown);
		assert_journal_of("a", wanted);
		script_finish(f.kit);
	}
}

/* ---- restarts ---------------------------------------------------------------------------- */

static ward_result note_restart(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	const ward_failure *failure;
	(void)msg;
	ward_assert_eq(ward_stop_reason(self, &failure), WARD_END_RESTARTED);
	ward_assert(failure == why);
	journal_note("%s:restarts", script_of(self)->name);
	return ward_default_pre_restart(self);
}

static ward_result note_new(ward_self *self, const ward_failure *why)
{
	(void)why;
	note_reason(self, "begins");
	return WARD_DONE;
}

WARD_TEST(hooks_of_a_restart_are_told_that_it_is_one, "S46", "S32")
{
	struct family f = FAMILY;
	f.b.post_stop = note_stop;
	f.b.pre_restart = note_restart;
	f.b.post_restart = note_new;
	f.b.keeps_children = true; /* pre_restart calls the default by itself */
	family_start(&f);
	script_break(f.kit, f.b.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_part(journal_of("b"), "restarts;post_stop;ends restarted bad_luck");
	ward_assert_part(journal_of("b"), "begins unknown -");
	script_finish(f.kit);
}

/* ---- the pact ---------------------------------------------------------------------------- */

static ward_end body_end;
static char body_name[WARD_END_NAME];

static ward_directive look_at_pact(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct ward_terminated *gone = ward_failure_body(failure, ward_terminated);
	(void)self;
	(void)child;
	ward_assert(ward_failure_is(failure, &ward_death_pact));
	ward_assert(gone != NULL);
	ward_assert(gone->failure_class == &bad_luck);
	body_end = gone->end;
	memcpy(body_name, gone->name, sizeof(body_name));
	return WARD_STOP;
}

static ward_result leave_it(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_terminated) != NULL)
		return WARD_UNHANDLED;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	return word == NULL ? WARD_UNHANDLED : word->call(self, word->arg);
}

static const ward_behavior indifferent = {.name = "indifferent", .receive = leave_it};

static ward_result spawn_indifferent(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_ref child;
	ward_assert_ok(ward_try_spawn(
		self, &(ward_props){.behavior = &indifferent, .name = "mourner"}, &child));
	script_tell_do(self, child, watch_arg, &f->b);
	return WARD_DONE;
}

WARD_TEST(broken_pact_says_who_ended_and_how, "S66")
{
	struct family f = FAMILY;
	f.p.decides = WARD_STOP;
	static const ward_strategy looking = {.decide = look_at_pact};
	f.c.strategy = &looking;
	body_end = WARD_END_UNKNOWN;
	family_start(&f);
	do_and_run(&f, &f.c, spawn_indifferent, &f);
	script_do(f.kit, f.b.ref, break_down, NULL);
	ward_kit_run(f.kit);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/mourner", 0);
	ward_assert_str(event->failure_class, "ward_death_pact");
	ward_assert_part(event->text, "the end of ");
	ward_assert_part(event->text, "b: failed with bad_luck");
	ward_assert_eq(body_end, WARD_END_FAILED);
	ward_assert_str(body_name, "b");
	script_finish(f.kit);
}

WARD_TEST_MAIN
