/* SPDX-License-Identifier: MIT
 *
 * test_guest_exit.c - an exit signal to a stand-in is one to its guest, which may trap it (S192).
 *
 * Method: family_tree.h, with the children of p elsewhere; x, at the top, sends a the signal, or is
 * linked with it.
 */
#include <string.h>

#include "guest_family.h"
#include "support/linked_family.h"

static const ward_exit_reason enough = {WARD_EXIT_OTHER, "enough", ""};

struct signal {
	struct script *to;
	const ward_exit_reason *reason;
};

static ward_result send_signal(ward_self *self, void *arg)
{
	const struct signal *signal = arg;
	ward_assert_ok(ward_exit(self, signal->to->ref, signal->reason));
	return WARD_DONE;
}

static void signal_and_run(struct family *f, const struct script *from,
			   const ward_exit_reason *reason)
{
	struct signal signal = {&f->a, reason};
	journal_clear();
	do_and_run(f, from, send_signal, &signal);
}

/* x traps exits, and is linked with a. */
static void start(struct family *f, struct script *x)
{
	guest_family_start(f, NULL);
	script_spawn(f->kit, x);
	let_trap(f, x);
	do_and_run(f, x, link_arg, &f->a);
	journal_clear();
}

static ward_result trap_at_start(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_trap_exit(self, true);
	return WARD_DONE;
}

WARD_TEST(guest_that_traps_exits_gets_the_signal_behind_the_mail_before_it, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script x = {.name = "x"};
		f.a.pre_start = trap_at_start;
		f.a.receive = note_exit;
		start(&f, &x);
		struct signal signal = {&f.a, &enough};
		script_say(f.kit, f.a.ref, "before");
		script_do(f.kit, x.ref, send_signal, &signal);
		ward_kit_run(f.kit);
		assert_journal_of("a", "before;exited x: enough");
		signal_and_run(&f, &x, &(ward_exit_reason){.kind = WARD_EXIT_NORMAL});
		assert_journal_of("a", "exited x: normal");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(guest_that_does_not_trap_exits_ends_with_the_reason, "S192")
{
	struct family f = FAMILY;
	struct script x = {.name = "x"};
	start(&f, &x);
	signal_and_run(&f, &x, &(ward_exit_reason){.kind = WARD_EXIT_NORMAL});
	check_well(f.kit, &f.a);
	signal_and_run(&f, &x, &enough);
	assert_journal_of("a", "post_stop");
	assert_journal_of("x", "exited a: enough");
	ward_assert(!lives(&f, &f.a));
	script_finish(f.kit);
}

WARD_TEST(kill_ends_one_that_traps_exits, "S192")
{
	struct family f = FAMILY;
	struct script x = {.name = "x"};
	f.a.pre_start = trap_at_start;
	f.a.receive = note_exit;
	start(&f, &x);
	signal_and_run(&f, &x, &(ward_exit_reason){.kind = WARD_EXIT_KILL});
	assert_journal_of("a", "post_stop");
	assert_journal_of("x", "exited a: killed");
	script_finish(f.kit);
}

static ward_result note_whether_of_parent(ward_self *self, const ward_msg *msg)
{
	const struct ward_exited *gone = ward_match(msg, ward_exited);

	if (gone == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%s", script_of(self)->name,
		     ward_ref_equal(gone->who, ward_parent(self)) ? "its parent" : "another");
	return WARD_DONE;
}

WARD_TEST(signal_of_the_parent_is_one_of_its_parent, "S192")
{
	struct family f = FAMILY;
	struct script x = {.name = "x"};
	f.a.pre_start = trap_at_start;
	f.a.receive = note_whether_of_parent;
	start(&f, &x);
	signal_and_run(&f, &f.p, &enough);
	assert_journal_of("a", "its parent");
	signal_and_run(&f, &x, &enough);
	assert_journal_of("a", "another");
	script_finish(f.kit);
}

WARD_TEST(signal_reaches_one_that_waits_for_a_decision, "S192")
{
	static const ward_exit_reason reasons[] = {{WARD_EXIT_OTHER, "enough", ""},
						   {WARD_EXIT_SHUTDOWN, "", ""}};
	for (size_t i = 0; i < 2; i++) {
		struct family f = FAMILY;
		struct script x = {.name = "x"};
		char text[64], wanted[80];
		f.p.decides = WARD_LATER;
		start(&f, &x);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		signal_and_run(&f, &x, &reasons[i]);
		ward_exit_format(&reasons[i], text, sizeof text);
		ward_text_format(wanted, sizeof wanted, "exited a: %s", text);
		assert_journal_of("a", "post_stop");
		assert_journal_of("x", wanted);
		script_finish(f.kit);
	}
}

static ward_result start_and_signal(ward_self *self, void *arg)
{
	struct script *late = arg;
	ward_assert_ok(spawn_elsewhere(self, late, &(struct ward_remote){0}));
	ward_assert_ok(ward_exit(self, late->ref, &enough));
	return WARD_DONE;
}

WARD_TEST(signal_that_comes_before_the_guest_has_started_waits_for_it, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script x = {.name = "x"}, late = {.name = "late"};
		late.pre_start = trap_at_start;
		late.receive = note_exit;
		start(&f, &x);
		do_and_run(&f, &x, start_and_signal, &late);
		ward_assert_part(journal_of("late"), "pre_start");
		ward_assert_part(journal_of("late"), "exited ");
		check_well(f.kit, &late);
		script_finish(f.kit);
	}
}

static ward_result start_and_signal_twice(ward_self *self, void *arg)
{
	static const ward_exit_reason normal = {.kind = WARD_EXIT_NORMAL};
	struct script *late = arg;
	ward_assert_ok(spawn_elsewhere(self, late, &(struct ward_remote){0}));
	ward_assert_ok(ward_exit(self, late->ref, &normal));
	ward_assert_ok(ward_exit(self, late->ref, &enough));
	return WARD_DONE;
}

WARD_TEST(signal_that_a_full_stash_cannot_keep_ends_the_stand_in, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script x = {.name = "x"}, late = {.name = "late", .stash_max = 1};
		start(&f, &x);
		do_and_run(&f, &x, start_and_signal_twice, &late);
		ward_assert(!ward_kit_is_alive(f.kit, late.ref));
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
