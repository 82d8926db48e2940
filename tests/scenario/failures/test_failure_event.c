/* SPDX-License-Identifier: MIT
 *
 * test_failure_event.c - the event that each decided failure makes (S30).
 *
 * Method: a family with one failure; then the one event, field by field, and its place among the
 * others.
 */
#include <string.h>

#include <ward/extend.h>

#include "cell/cell.h"
#include "cell/table.h"
#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* The event of a's failure, decided so. */
static ward_event event_of(ward_directive directive)
{
	struct family f = FAMILY;
	f.p.decides = directive;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_event event = *ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 0);
	if (directive != WARD_ESCALATE)
		ward_assert(ward_ref_equal(event.subject, f.a.ref));
	script_finish(f.kit);
	return event;
}

WARD_TEST(resume_is_a_warning, "S30")
{
	ward_event event = event_of(WARD_RESUME);
	ward_assert_eq(event.level, WARD_LEVEL_WARNING);
	ward_assert_eq(event.directive, WARD_RESUME);
	ward_assert_str(event.path, "sim/user/g/p/a");
}

WARD_TEST(restart_is_a_warning_and_stop_is_severe_and_both_name_the_cause, "S30")
{
	for (ward_directive directive = WARD_RESTART; directive <= WARD_STOP; directive++) {
		ward_event event = event_of(directive);
		ward_assert_eq(event.level,
			       directive == WARD_RESTART ? WARD_LEVEL_WARNING : WARD_LEVEL_SEVERE);
		ward_assert_eq(event.directive, directive);
		ward_assert_str(event.path, "sim/user/g/p/a");
		ward_assert_str(event.failure_class, "bad_luck");
		ward_assert_part(event.text, "break");
		ward_assert_str(event.message_type, "script_word");
	}
}

/* The level of the event of a's failure below p with that strategy; that of its second one. */
static void check_levels(const ward_strategy *strategy, ward_level first, ward_level second)
{
	struct family f = FAMILY;
	f.p.strategy = strategy;
	family_start(&f);
	for (int i = 0; i < 2; i++) {
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
	}
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 0)->level, first);
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 1)->level, second);
	script_finish(f.kit);
}

WARD_TEST(levels_are_those_of_the_strategy, "S30")
{
	static const ward_strategy one_restart = {.otherwise = WARD_RESTART, .restarts_max = 1},
				   said = {.otherwise = WARD_RESTART,
					   .restarts_max = 1,
					   .restart_level = WARD_LEVEL_DEBUG,
					   .stop_level = WARD_LEVEL_INFO},
				   resumes = {.otherwise = WARD_RESUME,
					      .restart_level = WARD_LEVEL_INFO};

	check_levels(&one_restart, WARD_LEVEL_WARNING, WARD_LEVEL_SEVERE);
	check_levels(&said, WARD_LEVEL_DEBUG, WARD_LEVEL_INFO);
	check_levels(&resumes, WARD_LEVEL_INFO, WARD_LEVEL_INFO);
}

WARD_TEST(level_that_is_none_is_refused, "S30")
{
	const ward_strategy above = {.restart_level = (ward_level)5},
			    below = {.stop_level = (ward_level)-1};

	ward_assert_err(ward_strategy_check(&above), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "restart_level is 5");
	ward_assert_err(ward_strategy_check(&below), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "stop_level is -1");
}

WARD_TEST(escalated_failure_is_severe_whatever_is_decided, "S30")
{
	struct family f = FAMILY;
	f.p.decides = WARD_ESCALATE;
	f.g.decides = WARD_RESTART;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/g/p", 0);
	ward_assert_eq(event->directive, WARD_RESTART);
	ward_assert_eq(event->level, WARD_LEVEL_SEVERE);
	script_finish(f.kit);
}

static ward_directive decide_with_a_note(ward_self *self, ward_ref child,
					 const ward_failure *failure)
{
	(void)child;
	(void)failure;
	ward_decision_note(self, WARD_LEVEL_DEFAULT, "first");
	ward_decision_note(self, WARD_LEVEL_INFO, "stopped, %s takes over", "b");
	return WARD_STOP;
}

static ward_result note_in_vain(ward_self *self, void *arg)
{
	(void)arg;
	ward_decision_note(self, WARD_LEVEL_DEBUG, "not here");
	return WARD_DONE;
}

WARD_TEST(decider_says_what_follows_in_its_event_alone, "S30")
{
	struct family f = FAMILY;
	char text[640];
	f.p.decide = decide_with_a_note;
	f.g.decides = WARD_STOP;
	family_start(&f);
	script_do(f.kit, f.p.ref, note_in_vain, NULL);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_str(event->follows, "stopped, b takes over");
	ward_assert_eq(event->directive, WARD_STOP);
	ward_assert_eq(event->level, WARD_LEVEL_INFO);
	ward_event_format(event, text, sizeof(text));
	/* A decision with a text of its own says nothing of a first incarnation. */
	ward_assert_str(strstr(text, " -> "), " -> stopped, b takes over");
	script_do(f.kit, f.g.ref, note_in_vain, NULL);
	script_break(f.kit, f.p.ref, &bad_luck);
	ward_kit_run(f.kit);
	event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/g/p", 0);
	ward_assert_str(event->follows, "");
	ward_assert_eq(event->level, WARD_LEVEL_SEVERE);
	script_finish(f.kit);
}

static ward_result decide_with_a_late_note(ward_self *self, void *arg)
{
	ward_decision_note(self, WARD_LEVEL_DEBUG, "not in a decide function");
	ward_assert_ok(ward_decide(self, ((struct family *)arg)->a.ref, WARD_STOP));
	return WARD_DONE;
}

WARD_TEST(note_outside_of_a_decider_is_none_of_a_later_decision, "S30")
{
	struct family f = FAMILY;
	f.p.decides = WARD_LATER;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	script_do(f.kit, f.p.ref, decide_with_a_late_note, &f);
	ward_kit_run(f.kit);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 1);
	ward_assert_eq(event->directive, WARD_STOP);
	ward_assert_eq(event->level, WARD_LEVEL_SEVERE);
	ward_assert_str(event->follows, "");
	script_finish(f.kit);
}

WARD_TEST(event_names_the_class_and_those_above_it_from_the_root_on, "S30")
{
	static char name[WARD_EVENT_CLASSES];
	static const ward_failure_class worse = {.name = "worse", .parent = &bad_luck};
	static const ward_failure_class long_one = {.name = name, .parent = &worse};
	struct family f = FAMILY;
	const ward_event *event;

	memset(name, 'x', sizeof name - 1);
	family_start(&f);
	script_break(f.kit, f.a.ref, &worse);
	script_break(f.kit, f.a.ref, &long_one);
	ward_kit_run(f.kit);
	event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert_str(event->failure_classes, "/ward_exception/bad_luck/worse");
	event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 1);
	ward_assert_eq(strlen(event->failure_classes), WARD_EVENT_CLASSES - 1);
	ward_assert_part(event->failure_classes, "/ward_exception/bad_luck/worse/xxx");
	script_finish(f.kit);
}

WARD_TEST(escalate_makes_no_event_of_its_own, "S30")
{
	/* The one event is that of g, about p. */
	ward_event event = event_of(WARD_ESCALATE);
	ward_assert_str(event.path, "sim/user/g/p");
	ward_assert_eq(event.directive, WARD_RESUME);
}

WARD_TEST(quiet_strategy_makes_no_event, "S30")
{
	static const ward_strategy quiet = {.otherwise = WARD_RESTART, .quiet = true};
	struct family f = FAMILY;
	f.p.strategy = &quiet;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_part(journal_text(), "a:pre_restart");
	ward_assert_eq(ward_kit_stats(f.kit).failures, 1);
	script_finish(f.kit);
}

struct listener {
	struct family f;
	int heard, ordered;
};

/* Looks into the cell of a: what p has ordered and a has not carried out. */
static void look_for_orders(void *arg, const ward_event *event)
{
	struct listener *listener = arg;
	if (event->kind != WARD_EVENT_FAILURE)
		return;
	const struct wardi_cell *a = wardi_table_cell(ward_kit_system(listener->f.kit),
						      wardi_uid_slot(event->subject.uid));
	listener->heard++;
	listener->ordered += a->commands.queued || a->commands.stop_sent;
}

WARD_TEST(event_comes_before_the_action, "S30")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
		struct listener listener = {.f = FAMILY};
		struct family *f = &listener.f;
		f->g.children[0] = &f->p;
		f->p.children[0] = &f->a;
		f->p.decides = directive;
		f->kit = script_start(
			&(ward_kit_options){.log = look_for_orders, .log_arg = &listener});
		script_spawn(f->kit, &f->g);
		script_break(f->kit, f->a.ref, &bad_luck);
		ward_kit_run(f->kit);
		ward_assert_eq(listener.heard, 1);
		ward_assert_eq(listener.ordered, 0);
		const uint32_t kinds = WARD_EVENT_FAILURE | WARD_EVENT_LIFECYCLE;
		ward_assert_eq(ward_kit_event(f->kit, kinds, "*/p/a", 3)->kind, WARD_EVENT_FAILURE);
		script_finish(f->kit);
	}
}

WARD_TEST(denied_restart_is_logged_as_a_restart, "S30")
{
	static const ward_strategy one_restart = {.otherwise = WARD_RESTART, .restarts_max = 1};
	struct family f = FAMILY;
	f.p.strategy = &one_restart;
	family_start(&f);
	for (int i = 0; i < 2; i++) {
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
	}
	const ward_event *first = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_eq(first->directive, WARD_RESTART);
	ward_assert_eq(first->denied, 0);
	ward_assert_eq(first->restarts, 1);
	ward_assert_eq(first->restarts_left, 0);
	const ward_event *second = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 1);
	ward_assert_eq(second->directive, WARD_RESTART);
	ward_assert_eq(second->denied, 1);
	ward_assert_eq(second->restarts, 2);
	ward_assert_eq(second->level, WARD_LEVEL_SEVERE);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

WARD_TEST(budget_without_a_limit_is_told_as_such, "S30", "S72")
{
	ward_assert_eq(event_of(WARD_RESTART).restarts_left, -1);
}

WARD_TEST(failed_start_is_logged_with_the_inner_text, "S30", "S42")
{
	struct family f = FAMILY;
	f.p.decides = WARD_STOP;
	f.a.traps[0] =
		(struct script_trap){SCRIPT_PRE_START, .first = 1, .failure_class = &bad_luck};
	f.g.children[0] = &f.p;
	f.p.children[0] = &f.a;
	f.kit = script_start(NULL);
	script_spawn(f.kit, &f.g);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_str(event->failure_class, ward_initialization.name);
	ward_assert_part(event->text, "trap 1");
	script_finish(f.kit);
}

WARD_TEST(event_reads_as_one_line, "S30")
{
	ward_event event = event_of(WARD_RESTART);
	char line[1024];
	size_t length = ward_event_format(&event, line, sizeof(line));
	ward_assert_eq(length, strlen(line));
	ward_assert_part(line, "sim/user/g/p/a");
	ward_assert_part(line, "bad_luck");
	ward_assert_part(line, "break");
	ward_assert(strchr(line, '\n') == NULL);
	/* A buffer that is too small is filled and ended; the length stays that of the whole. */
	char cut[10];
	ward_assert_eq(ward_event_format(&event, cut, sizeof(cut)), length);
	ward_assert_eq(strlen(cut), sizeof(cut) - 1);
	ward_assert(strncmp(cut, line, sizeof(cut) - 1) == 0);
}

WARD_TEST(event_counts_the_restarts_that_are_left, "S30")
{
	static const char *const wanted[] = {", 0 restarts left)", ", 1 restart left)",
					     ", 2 restarts left)"};
	ward_event event = event_of(WARD_RESTART);
	char line[1024];

	for (int i = 0; i < 3; i++) {
		event.restarts_left = i;
		(void)ward_event_format(&event, line, sizeof(line));
		ward_assert_part(line, wanted[i]);
	}
}

WARD_TEST(event_of_a_stop_says_nothing_of_a_limit_that_is_none, "S30")
{
	ward_event restart = event_of(WARD_RESTART), stop = event_of(WARD_STOP);
	char line[1024];

	restart.restarts_left = stop.restarts_left = -1;
	(void)ward_event_format(&restart, line, sizeof line);
	ward_assert_part(line, "-> restart (incarnation 1, no limit)");
	(void)ward_event_format(&stop, line, sizeof line);
	ward_assert_part(line, "-> stop (incarnation 1)");
}

WARD_TEST_MAIN
