/* SPDX-License-Identifier: MIT
 *
 * test_misaddressed_link.c - messages about links that come late: to another life, or when all is
 * over.
 *
 * Method: that of test_misaddressed.c. What a sender may still do between two steps of another
 * one, a simulation does not: so a message is taken out of a lane, and put back when it is late.
 */
#include <string.h>

#include "cell/table.h"
#include "support/script.h"
#include "watch/link.h"

static struct wardi_cell *cell_of(ward_kit *kit, ward_ref ref)
{
	return wardi_table_cell(ward_kit_system(kit), wardi_uid_slot(ref.uid));
}

/* The one that waits in the lane; it must be of that kind. */
static struct wardi_sysmsg *only(ward_kit *kit, ward_ref to, enum wardi_sys_kind kind)
{
	struct wardi_sysmsg *msg;

	while ((msg = atomic_load(&cell_of(kit, to)->mailbox.system)) == NULL)
		ward_assert(ward_kit_step(kit));
	ward_assert_eq(msg->kind, kind);
	return msg;
}

static void make_stray(ward_kit *kit, ward_ref to, enum wardi_sys_kind kind)
{
	struct wardi_sysmsg *msg = only(kit, to, kind);

	ward_assert(wardi_sysmsg_next(msg) == NULL);
	wardi_container_of(msg, struct wardi_addressed, node)->target_gen--;
}

static ward_result make_link(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_link(self, *(ward_ref *)arg));
	return WARD_DONE;
}

static ward_result unlink_it(ward_self *self, void *arg)
{
	ward_unlink(self, *(ward_ref *)arg);
	return WARD_DONE;
}

static ward_result end_it(ward_self *self, void *arg)
{
	ward_assert_ok(
		ward_exit(self, *(ward_ref *)arg, &(ward_exit_reason){.kind = WARD_EXIT_KILL}));
	return WARD_DONE;
}

static ward_result trap(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_trap_exit(self, true);
	return WARD_DONE;
}

static ward_result hear(ward_self *self, const ward_msg *msg)
{
	const struct ward_exited *gone = ward_match(msg, ward_exited);
	char text[64];

	(void)self;
	if (gone == NULL)
		return WARD_UNHANDLED;
	ward_exit_format(&gone->reason, text, sizeof text);
	journal_note("%s: %s", script_name(gone->who), text);
	return WARD_DONE;
}

struct pair {
	ward_kit *kit;
	struct script one, other;
};

static void start(struct pair *pair)
{
	*pair = (struct pair){.one = {.name = "one", .receive = hear, .pre_start = trap},
			      .other = {.name = "other"}};
	pair->kit = script_start(NULL);
	script_spawn(pair->kit, &pair->one);
	script_spawn(pair->kit, &pair->other);
	journal_clear();
}

/* Lets one do it to the other, and no more. */
static void let(struct pair *pair, script_call *call)
{
	script_do(pair->kit, pair->one.ref, call, &pair->other.ref);
	ward_assert(ward_kit_step(pair->kit));
}

/* The end finds no link in the table, and no memory that is left. */
static void finish(struct pair *pair)
{
	ward_kit_run(pair->kit);
	ward_assert_eq(ward_kit_system(pair->kit)->links.count, 0);
	script_finish(pair->kit);
}

WARD_TEST(link_for_an_earlier_life_is_answered_noproc, "S117")
{
	struct pair pair;
	start(&pair);
	let(&pair, make_link);
	make_stray(pair.kit, pair.other.ref, WARDI_SYS_LINK);
	ward_kit_run(pair.kit);
	assert_journal("other: noproc");
	finish(&pair);
}

WARD_TEST(signal_for_an_earlier_life_is_not_heard_by_this_one, "S117")
{
	struct pair pair;
	start(&pair);
	let(&pair, make_link);
	ward_kit_run(pair.kit);
	ward_system_stop(ward_kit_system(pair.kit), pair.other.ref);
	make_stray(pair.kit, pair.one.ref, WARDI_SYS_LINK_OVER);
	ward_kit_run(pair.kit);
	assert_journal("other:post_stop");
	/* The end of it is still in its list, as it would be in that of nobody. */
	ward_system_stop(ward_kit_system(pair.kit), pair.one.ref);
	finish(&pair);
}

WARD_TEST(exit_for_an_earlier_life_ends_nobody, "S117")
{
	struct pair pair;
	start(&pair);
	let(&pair, end_it);
	make_stray(pair.kit, pair.other.ref, WARDI_SYS_EXIT);
	ward_kit_run(pair.kit);
	ward_assert(ward_system_is_alive(ward_kit_system(pair.kit), pair.other.ref));
	finish(&pair);
}

WARD_TEST(exit_at_the_end_of_a_life_is_let_go, "S117")
{
	for (int strays = 0; strays < 2; strays++) {
		struct pair pair;
		start(&pair);
		let(&pair, end_it);
		if (strays)
			make_stray(pair.kit, pair.other.ref, WARDI_SYS_EXIT);
		ward_system_stop(ward_kit_system(pair.kit), pair.other.ref);
		finish(&pair);
		assert_journal_of("other", "post_stop");
	}
}

/* The other one finds the link in the table before the message about it. */
WARD_TEST(link_that_is_unlinked_before_it_arrives_is_let_go, "S117")
{
	for (int ends = 0; ends < 2; ends++) {
		struct pair pair;
		start(&pair);
		let(&pair, make_link);
		struct wardi_cell *other = cell_of(pair.kit, pair.other.ref);
		struct wardi_sysmsg *late = only(pair.kit, pair.other.ref, WARDI_SYS_LINK);
		atomic_store(&other->mailbox.system, NULL);
		script_do(pair.kit, pair.other.ref, unlink_it, &pair.one.ref);
		ward_kit_run(pair.kit);
		if (ends) {
			ward_system_stop(ward_kit_system(pair.kit), pair.one.ref);
			ward_kit_run(pair.kit);
		}
		ward_assert(wardi_mailbox_link_system(&other->mailbox, late));
		script_say(pair.kit, pair.other.ref, "well");
		ward_kit_run(pair.kit);
		assert_journal_of("other", "well");
		finish(&pair);
	}
}

/* One is gone before its link arrives. */
WARD_TEST(link_that_arrives_when_its_maker_is_gone_is_followed_by_the_signal, "S117")
{
	struct pair pair;
	start(&pair);
	let(&pair, make_link);
	struct wardi_sysmsg *late = only(pair.kit, pair.other.ref, WARDI_SYS_LINK);
	struct wardi_cell *other = cell_of(pair.kit, pair.other.ref);
	ward_assert(wardi_sysmsg_next(late) == NULL);
	atomic_store(&other->mailbox.system, NULL);
	ward_system_stop(ward_kit_system(pair.kit), pair.one.ref);
	struct wardi_sysmsg *over = only(pair.kit, pair.other.ref, WARDI_SYS_LINK_OVER);
	wardi_sysmsg_set_next(over, late); /* newest first */
	ward_kit_run(pair.kit);
	assert_journal("one:post_stop;other:post_stop");
	finish(&pair);
}

WARD_TEST_MAIN
