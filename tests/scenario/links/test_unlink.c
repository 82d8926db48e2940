/* SPDX-License-Identifier: MIT
 *
 * test_unlink.c - after an unlink no exit signal of that link comes any more (S117).
 *
 * Method: as test_link.c. Where a signal waits in a mailbox, its receiver is suspended: then it
 * takes signals, and handles no mail.
 */
#include "support/linked_family.h"

static ward_result link_anew(ward_self *self, void *arg)
{
	(void)unlink_arg(self, arg);
	(void)link_arg(self, arg);
	(void)unlink_arg(self, arg);
	return link_arg(self, arg);
}

WARD_TEST(unlinked_is_unlinked_whenever_it_dies, "S117")
{
	size_t heard = 0, unheard = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		script_do(f.kit, f.a.ref, link_arg, &f.b);
		script_do(f.kit, f.c.ref, link_arg, &f.a);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_system_stop(ward_kit_system(f.kit), f.c.ref);
		for (uint64_t i = ward_test_seed() % 8; i > 0; i--)
			(void)ward_kit_step(f.kit);
		script_do(f.kit, f.a.ref, unlink_arg, &f.b);
		script_do(f.kit, f.a.ref, unlink_arg, &f.c);
		script_say(f.kit, f.a.ref, "unlinked");
		ward_kit_run(f.kit);
		/* It may come before, never after. */
		ward_assert(strstr(journal_text(), "a:unlinked;a:exited") == NULL);
		if (strstr(journal_text(), "a:exited b") != NULL)
			heard++;
		else
			unheard++;
		script_finish(f.kit);
	}
	ward_assert_seen(heard);
	ward_assert_seen(unheard);
}

WARD_TEST(unlinked_by_either_is_unlinked_for_both, "S117")
{
	for (int i = 0; i < 4; i++) {
		struct family f = FAMILY;
		struct script *unlinks = i % 2 == 0 ? &f.a : &f.b;
		struct script *dies = i / 2 == 0 ? &f.a : &f.b;
		family_start(&f);
		do_and_run(&f, &f.a, link_arg, &f.b);
		do_and_run(&f, unlinks, unlink_arg, unlinks == &f.a ? &f.b : &f.a);
		stop_and_run(&f, dies);
		check_well(f.kit, dies == &f.a ? &f.b : &f.a);
		script_finish(f.kit);
	}
}

/* The one that was linked unlinks what it has not heard of yet. */
WARD_TEST(unlink_may_overtake_the_link, "S117")
{
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		family_start(&f);
		do_and_run(&f, &f.a, link_anew, &f.c); /* the first one makes the table */
		do_and_run(&f, &f.a, unlink_arg, &f.c);
		uint64_t blocks = ward_kit_blocks(f.kit);
		script_do(f.kit, f.a.ref, link_arg, &f.b);
		script_do(f.kit, f.b.ref, unlink_arg, &f.a);
		ward_kit_run(f.kit);
		do_and_run(&f, &f.b, unlink_arg, &f.a);
		ward_assert_eq(ward_kit_blocks(f.kit), blocks);
		stop_and_run(&f, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

static ward_result resume(ward_self *self, void *arg)
{
	ward_assert_ok(ward_decide(self, ((struct script *)arg)->ref, WARD_RESUME));
	return WARD_DONE;
}

/* a fails, and goes on when the test says so. */
static void suspend_a(struct family *f)
{
	f->p.decides = WARD_LATER;
	script_break(f->kit, f->a.ref, &bad_luck);
	ward_kit_run(f->kit);
}

WARD_TEST(unlink_takes_back_what_waits_in_the_mailbox, "S117")
{
	for (int unlinks = 0; unlinks < 2; unlinks++) {
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		suspend_a(&f);
		if (unlinks)
			script_do(f.kit, f.a.ref, unlink_arg, &f.b);
		stop_and_run(&f, &f.b); /* the signal is behind the word that unlinks */
		do_and_run(&f, &f.p, resume, &f.a);
		assert_journal_of("a", unlinks ? "break" : "break;exited b: shutdown");
		script_finish(f.kit);
	}
}

static int32_t none_is_urgent(const ward_msg *msg)
{
	(void)msg;
	return 7;
}

/* It has priority 0, as all that the runtime sends; and no mailbox is too full for it. */
WARD_TEST(trapped_signal_finds_room_in_a_mailbox_with_a_policy, "S117")
{
	for (int stops = 0; stops < 2; stops++) {
		struct family f = FAMILY;
		f.a.mailbox = (ward_mailbox){.messages_max = 2, .priority = none_is_urgent};
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		do_and_run(&f, &f.a, link_arg, &f.c);
		suspend_a(&f);
		script_say(f.kit, f.a.ref, "one");
		script_say(f.kit, f.a.ref, "two");
		stop_and_run(&f, &f.b);
		stop_and_run(&f, &f.c);
		if (stops) /* suspended: all its mail goes with it */
			stop_and_run(&f, &f.a);
		else
			do_and_run(&f, &f.p, resume, &f.a);
		assert_journal_of("a",
				  stops ? "break;post_stop"
					: "break;exited b: shutdown;exited c: shutdown;one;two");
		script_finish(f.kit);
	}
}

/* Trapping belongs to the moment of the signal, not to that of the message. */
static ward_result trap_no_more(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert(ward_trap_exit(self, false));
	ward_assert(!ward_trap_exit(self, false));
	return WARD_DONE;
}

WARD_TEST(what_was_trapped_is_mail, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.a);
	do_and_run(&f, &f.a, link_arg, &f.b);
	suspend_a(&f);
	script_do(f.kit, f.a.ref, trap_no_more, NULL);
	stop_and_run(&f, &f.b);
	do_and_run(&f, &f.p, resume, &f.a);
	assert_journal_of("a", "break;exited b: shutdown");
	do_and_run(&f, &f.a, link_arg, &f.b); /* noproc, which it does not trap any more */
	ward_assert(!lives(&f, &f.a));
	script_finish(f.kit);
}

/* The end of a receiver takes what waits with it. */
WARD_TEST(what_waits_goes_with_its_receiver, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.a);
	do_and_run(&f, &f.a, link_arg, &f.b);
	suspend_a(&f);
	stop_and_run(&f, &f.b);
	stop_and_run(&f, &f.a);
	assert_journal_of("a", "break;post_stop");
	script_finish(f.kit);
}

static ward_result stash_exit(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_exited) == NULL || script_of(self)->arg == NULL)
		return note_exit(self, msg);
	ward_assert_ok(ward_try_stash(self));
	script_of(self)->arg = NULL; /* the next time it is noted */
	return WARD_DONE;
}

static ward_result unstash(ward_self *self, void *arg)
{
	(void)arg;
	ward_unstash_all(self);
	return WARD_DONE;
}

WARD_TEST(unlink_takes_back_what_is_stashed, "S117")
{
	for (int unlinks = 0; unlinks < 2; unlinks++) {
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		f.a.receive = stash_exit;
		f.a.arg = &f;
		do_and_run(&f, &f.a, link_arg, &f.b);
		stop_and_run(&f, &f.b);
		assert_journal_of("a", "");
		if (unlinks)
			do_and_run(&f, &f.a, unlink_arg, &f.b);
		do_and_run(&f, &f.a, unstash, NULL);
		assert_journal_of("a", unlinks ? "" : "exited b: shutdown");
		script_finish(f.kit);
	}
}

WARD_TEST(link_may_be_made_anew, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		script_do(f.kit, f.b.ref, link_anew, &f.a);
		script_do(f.kit, f.a.ref, link_anew, &f.b);
		ward_kit_run(f.kit);
		stop_and_run(&f, &f.b);
		assert_journal_of("a", "exited b: shutdown");
		script_finish(f.kit);
	}
}

WARD_TEST(unlink_gives_all_memory_back, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, link_anew, &f.c); /* the first one makes the table */
	do_and_run(&f, &f.a, unlink_arg, &f.c);
	uint64_t blocks = ward_kit_blocks(f.kit);
	for (int i = 0; i < 3; i++) {
		do_and_run(&f, &f.a, link_arg, &f.b);
		ward_assert_eq(ward_kit_blocks(f.kit), blocks + 2); /* no rare record, no table */
		do_and_run(&f, i == 1 ? &f.a : &f.b, unlink_arg, i == 1 ? &f.b : &f.a);
		ward_assert_eq(ward_kit_blocks(f.kit), blocks);
	}
	script_finish(f.kit);
}

WARD_TEST_MAIN
