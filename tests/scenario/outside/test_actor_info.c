/* SPDX-License-Identifier: MIT
 *
 * test_actor_info.c - what a thread gets to know about one actor, as about all (S57).
 *
 * Method: the row of one actor is compared with that of ward_system_actors().
 */
#include <string.h>

#include "support/elsewhere.h"
#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct look {
	ward_ref who;
	ward_actor_info info;
	size_t seen;
};

static void look(void *arg, const ward_actor_info *info)
{
	struct look *at = arg;
	if (!ward_ref_equal(info->ref, at->who))
		return;
	at->info = *info;
	at->seen++;
}

WARD_TEST(actor_is_told_of_as_among_all, "S57")
{
	struct family f = FAMILY;
	ward_actor_info one;
	f.g.decides = WARD_RESTART;
	family_start(&f);
	ward_system *system = ward_kit_system(f.kit);
	script_break(f.kit, f.p.ref, &bad_luck);
	ward_kit_run(f.kit);
	struct look among = {.who = f.p.ref};
	(void)ward_system_actors(system, look, &among);
	ward_assert_eq(among.seen, 1);
	ward_assert_ok(ward_system_actor(system, f.p.ref, &one));
	ward_assert(ward_ref_equal(one.ref, f.p.ref));
	ward_assert(ward_ref_equal(one.parent, f.g.ref));
	ward_assert_str(one.state, "running");
	ward_assert_str(one.path, "sim/user/g/p");
	ward_assert_str(one.last_failure, "bad_luck: break");
	ward_assert_eq(one.restarts, 1);
	ward_assert_eq(one.incarnation, among.info.incarnation);
	ward_assert_eq(one.born, among.info.born);
	ward_assert_str(one.path, among.info.path);
	script_finish(f.kit);
}

static ward_result look_around(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_actor_info info;
	ward_assert_ok(ward_system_actor(ward_self_system(self), ward_self_ref(self), &info));
	ward_assert_str(info.message, "script_word");
	ward_assert_ok(ward_system_actor(ward_self_system(self), f->b.ref, &info));
	ward_assert_str(info.message, "");
	journal_note("looked");
	return WARD_DONE;
}

WARD_TEST(actor_may_ask_of_another_and_of_itself, "S57")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, look_around, &f);
	ward_kit_run(f.kit);
	assert_journal("looked");
	script_finish(f.kit);
}

WARD_TEST(actor_that_is_gone_or_foreign_is_not_told_of, "S57")
{
	struct family f = FAMILY;
	ward_actor_info info = {.incarnation = 77};
	family_start(&f);
	ward_system *system = ward_kit_system(f.kit);
	ward_ref foreign = ref_elsewhere(f.a.ref), never = f.a.ref;
	never.uid |= UINT32_MAX; /* a slot that there never was */
	ward_assert_err(ward_system_actor(NULL, f.a.ref, &info), WARD_EINVAL);
	ward_assert_err(ward_system_actor(system, f.a.ref, NULL), WARD_EINVAL);
	ward_assert_err(ward_system_actor(system, ward_nobody(), &info), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "nobody");
	ward_assert_err(ward_system_actor(system, foreign, &info), WARD_EFOREIGN);
	ward_assert_err(ward_system_actor(system, never, &info), WARD_EDEAD);
	ward_system_stop(system, f.b.ref);
	ward_kit_run(f.kit);
	ward_assert_err(ward_system_actor(system, f.b.ref, &info), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "gone");
	/* Another life in the same place is another actor. */
	struct script next = {.name = "next"};
	script_spawn(f.kit, &next);
	ward_assert_err(ward_system_actor(system, f.b.ref, &info), WARD_EDEAD);
	ward_assert_eq(info.incarnation, 77);
	script_finish(f.kit);
}

WARD_TEST_MAIN
