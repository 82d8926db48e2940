/* SPDX-License-Identifier: MIT
 *
 * test_guest_failure.c - the parent of its stand-in decides about a guest that fails (S190).
 *
 * Method: family_tree.h, with the children of p elsewhere; seeds.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/watch.h>

#include "guest_family.h"

enum { ROUNDS = 40 };

struct answer {
	const struct script *child;
	ward_directive directive;
};

static ward_result answer(ward_self *self, void *arg)
{
	const struct answer *a = arg;
	ward_assert_ok(ward_decide(self, a->child->ref, a->directive));
	return WARD_DONE;
}

static void decide(struct family *f, const struct script *child, ward_directive directive)
{
	struct answer a = {child, directive};
	script_do(f->kit, f->p.ref, answer, &a);
	ward_kit_run(f->kit);
}

WARD_TEST(guest_is_restarted_by_the_parent_of_its_stand_in, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		guest_family_start(&f, NULL);
		script_say(f.kit, f.a.ref, "1");
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "2");
		script_say(f.kit, f.a.ref, "3");
		ward_kit_run(f.kit);
		assert_journal_of("a",
				  "1;break;pre_restart;post_stop;init;post_restart;pre_start;2;3");
		assert_journal_of("p", "decide a");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/a"), 1);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(guest_is_resumed_by_the_parent_of_its_stand_in, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_RESUME;
		guest_family_start(&f, NULL);
		script_say(f.kit, f.a.ref, "1");
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "2");
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "3");
		ward_kit_run(f.kit);
		assert_journal_of("a", "1;break;2;break;3");
		assert_journal_of("p", "decide a;decide a");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(guest_is_stopped_by_the_parent_of_its_stand_in, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.leaves_mail = true;
		f.p.decides = WARD_STOP;
		f.p.watches_children = true;
		guest_family_start(&f, NULL);
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "late");
		ward_kit_run(f.kit);
		assert_journal_of("a", "break;post_stop");
		ward_assert(!ward_kit_is_alive(f.kit, f.a.ref));
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

WARD_TEST(failure_of_a_guest_waits_as_long_as_its_parent_does, "S190")
{
	/* Nothing is handled between the failure and the verdict. */
	static const ward_directive directives[] = {WARD_RESTART, WARD_RESUME, WARD_STOP};
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		ward_directive directive = directives[ward_test_seed() % 3];
		f.leaves_mail = true;
		f.p.decides = WARD_LATER;
		guest_family_start(&f, NULL);
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "late");
		ward_kit_run(f.kit);
		assert_journal("a:break;p:decide a");
		decide(&f, &f.a, directive);
		if (directive == WARD_STOP) {
			assert_journal_of("a", "break;post_stop");
		} else {
			ward_assert_part(journal_of("a"), "late");
			ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], directive == WARD_RESTART);
			check_well(f.kit, &f.a);
		}
		script_finish(f.kit);
	}
}

/* ---- class, text and body ---------------------------------------------------------------- */

static const ward_failure_class jam = {.name = "jam", .parent = &ward_exception};
static const ward_failure_class paper_jam = {.name = "paper_jam", .parent = &jam};

struct page {
	int number;
};
WARD_MESSAGE_FIELDS(page, 1, WARD_FIELD(INT, page, number));

static ward_result fail_with_a_page(ward_self *self, void *arg)
{
	(void)arg;
	return ward_failed_body(self, &paper_jam, WARD_BODY(page, .number = 3), "page %d", 3);
}

static void drop_note(void *body)
{
	free(*(char **)body);
}

static ward_err clone_note(void *to, const void *from)
{
	*(char **)to = strdup(*(char *const *)from);
	return *(char **)to != NULL ? WARD_OK : WARD_ENOMEM;
}

static const ward_type note_type = {
	.name = "note", .size = sizeof(char *), .drop = drop_note, .clone = clone_note};

static ward_result fail_with_a_note(ward_self *self, void *arg)
{
	char *text = strdup("torn");
	(void)arg;
	return ward_failed_body(self, &paper_jam, &note_type, &text, sizeof text, "page %d", 3);
}

static ward_directive look_at_failure(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct page *page = ward_failure_body(failure, page);
	char *const *note = ward_failure_body_of(failure, &note_type);
	(void)self;
	(void)child;
	journal_note("saw %s %s %d %s", ward_failure_class_of(failure)->name,
		     ward_failure_text(failure), page == NULL ? 0 : page->number,
		     note == NULL ? "" : *note);
	return WARD_RESTART;
}

WARD_TEST(failure_of_a_guest_keeps_class_text_and_body, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decide = look_at_failure;
		guest_family_start(&f, NULL);
		script_do(f.kit, f.a.ref, fail_with_a_page, NULL);
		ward_kit_run(f.kit);
		ward_assert_part(journal_text(), "saw paper_jam page 3 3 ");
		script_do(f.kit, f.b.ref, fail_with_a_note, NULL);
		script_say(f.kit, f.b.ref, "on");
		ward_kit_run(f.kit);
		ward_assert_part(journal_text(), "saw paper_jam page 3 0 torn");
		ward_assert_part(journal_of("b"), "on");
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

static ward_result watch(ward_self *self, void *arg)
{
	return ward_failed_err(self, ward_try_watch(self, ((struct script *)arg)->ref));
}

/* As the runtime does where receive does not handle a notice. */
static ward_result fail_with_notice(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	return ward_failed_body(self, &ward_death_pact, WARD_COPY(ward_terminated, gone), "pact");
}

static ward_directive look_at_pact(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct ward_terminated *gone = ward_failure_body(failure, ward_terminated);
	(void)self;
	(void)child;
	ward_assert(ward_failure_is(failure, &ward_death_pact));
	journal_note("pact with %s", gone == NULL ? "nobody" : gone->name);
	return WARD_RESTART;
}

WARD_TEST(death_pact_of_a_guest_says_who_has_ended, "S66", "S190")
{
	struct family f = FAMILY;
	struct script x = {.name = "x"};
	f.a.receive = fail_with_notice;
	f.p.decide = look_at_pact;
	guest_family_start(&f, NULL);
	script_spawn(f.kit, &x);
	script_do(f.kit, f.a.ref, watch, &x);
	ward_kit_run(f.kit);
	ward_system_stop(ward_kit_system(f.kit), x.ref);
	ward_kit_run(f.kit);
	ward_assert_part(journal_text(), "pact with x;");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static ward_directive look_at_escalated(ward_self *self, ward_ref child,
					const ward_failure *failure)
{
	const struct page *page = ward_failure_body(failure, page);
	(void)self;
	(void)child;
	ward_assert(ward_failure_is(failure, &paper_jam));
	ward_assert_str(ward_failure_text(failure), "page 3");
	ward_assert(page != NULL && page->number == 3);
	return WARD_RESTART;
}

WARD_TEST(failure_of_a_guest_escalates, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		f.p.keeps_children = ward_test_seed() % 2 == 0;
		f.g.decide = look_at_escalated;
		guest_family_start(&f, NULL);
		script_do(f.kit, f.a.ref, fail_with_a_page, NULL);
		ward_kit_run(f.kit);
		ward_assert(noted_before("p:decide a", "g:decide p"));
		if (f.p.keeps_children) {
			ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
			ward_assert_eq(f.b.calls[SCRIPT_POST_RESTART], 1);
		} else {
			ward_assert_eq(f.a.calls[SCRIPT_INIT], 2);
			ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 0);
			/* The old ones have ended before the new parent started. */
			ward_assert(noted_before("a:post_stop", "p:post_restart"));
			ward_assert(noted_before("b:post_stop", "p:post_restart"));
		}
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

/* ---- two at once ------------------------------------------------------------------------- */

static int decided[2]; /* of a, b */

static ward_directive count_and_restart(ward_self *self, ward_ref child,
					const ward_failure *failure)
{
	bool is_a = ward_ref_equal(child, ward_child(self, "a"));
	const struct page *page = ward_failure_body(failure, page);
	decided[is_a ? 0 : 1]++;
	ward_assert(ward_failure_class_of(failure) == &paper_jam);
	ward_assert_str(ward_failure_text(failure), "page 3");
	ward_assert(page != NULL && page->number == 3);
	return WARD_RESTART;
}

/* The restart that is decided for one of them may come to the other before its stand-in knows that
 * it has failed. */
WARD_TEST(failures_of_two_guests_at_once_are_both_decided, "S190")
{
	int overtaken = 0;
	WARD_TEST_SEEDS(10 * ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		f.p.decide = count_and_restart;
		guest_family_start(&f, NULL);
		decided[0] = decided[1] = 0;
		script_do(f.kit, f.a.ref, fail_with_a_page, NULL);
		script_do(f.kit, f.b.ref, fail_with_a_page, NULL);
		ward_kit_run(f.kit);
		ward_assert_eq(decided[0], 1);
		ward_assert_eq(decided[1], 1);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/a"), 1);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/b"), 1);
		overtaken += f.c.calls[SCRIPT_POST_RESTART] == 1;
		ward_assert(f.c.calls[SCRIPT_POST_RESTART] > 0);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
	ward_assert_seen(overtaken);
}

/* ---- starts ------------------------------------------------------------------------------ */

WARD_TEST(first_start_of_a_guest_that_fails_is_decided_as_any, "S190")
{
	static const ward_directive directives[] = {WARD_RESTART, WARD_RESUME, WARD_STOP};
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		ward_directive directive = directives[ward_test_seed() % 3];
		f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
		f.p.decides = directive;
		f.leaves_mail = true;
		guest_family_start(&f, NULL);
		script_say(f.kit, f.a.ref, "mail");
		ward_kit_run(f.kit);
		ward_assert_eq(f.a.calls[SCRIPT_INIT], directive == WARD_STOP ? 1 : 2);
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 0);
		ward_assert_eq(strstr(journal_of("a"), "mail") != NULL, directive != WARD_STOP);
		ward_assert_eq(ward_kit_is_alive(f.kit, f.a.ref), directive != WARD_STOP);
		script_finish(f.kit);
	}
}

WARD_TEST(restart_of_a_guest_that_fails_is_another_failure, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.a.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		guest_family_start(&f, NULL);
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "mail");
		ward_kit_run(f.kit);
		assert_journal_of("p", "decide a;decide a");
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 2);
		ward_assert_part(journal_of("a"), "mail");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

/* ---- short of memory --------------------------------------------------------------------- */

struct shortage {
	ward_kit *kit;
	uint64_t nth; /* the allocation from the failure on that finds no memory; 0: all */
};

static void end_shortage(ward_kit *kit)
{
	ward_kit_fail_all_allocations(kit, false);
	ward_kit_fail_allocation(kit, 0);
}

static ward_result fail_in_a_shortage(ward_self *self, void *arg)
{
	const struct shortage *shortage = arg;
	if (shortage->nth == 0)
		ward_kit_fail_all_allocations(shortage->kit, true);
	else
		ward_kit_fail_allocation(shortage->kit, shortage->nth);
	return ward_failed(self, &ward_exception, "in a shortage");
}

static ward_kit *short_kit; /* NULL: its shortage has not begun */

static ward_directive decide_with_memory(ward_self *self, ward_ref child,
					 const ward_failure *failure)
{
	if (short_kit != NULL)
		end_shortage(short_kit);
	return ward_default_decide(self, child, failure);
}

static void start_short_of_memory(struct family *f)
{
	short_kit = NULL;
	f->p.decide = decide_with_memory;
	guest_family_start(f, NULL);
	short_kit = f->kit;
}

static void assert_class_of_failure(const struct family *f, const char *name)
{
	const ward_event *event = ward_kit_event(f->kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_str(event->failure_class, name);
}

WARD_TEST(guest_whose_failure_finds_no_memory_ends_and_the_parent_decides, "S190")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_short_of_memory(&f);
		struct shortage shortage = {f.kit, 0};
		script_do(f.kit, f.a.ref, fail_in_a_shortage, &shortage);
		ward_kit_run(f.kit);
		assert_journal_of("p", "decide a");
		assert_journal_of("a", "post_stop;init;pre_start"); /* another guest */
		assert_class_of_failure(&f, "ward_unreached");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(failure_of_a_guest_is_decided_whichever_allocation_finds_no_memory, "S190")
{
	/* With --shortages each round would be one for each allocation. */
	const uint64_t last = ward_test_shortage() ? 1 : 12;
	for (uint64_t nth = 1; nth <= last; nth++) {
		struct family f = FAMILY;
		start_short_of_memory(&f);
		struct shortage shortage = {f.kit, nth};
		script_do(f.kit, f.a.ref, fail_in_a_shortage, &shortage);
		ward_kit_run(f.kit);
		end_shortage(f.kit);
		assert_journal_of("p", "decide a");
		assert_class_of_failure(&f, "ward_exception");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
