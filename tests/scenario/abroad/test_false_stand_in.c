/* SPDX-License-Identifier: MIT
 *
 * test_false_stand_in.c - a peer whose WATCH or LINK names a stand-in that is none, or that ends
 * before what waits in its mailbox.
 *
 * Method: an association by hand (gate.h), whose peer is nobody.
 */
#include "gate.h"

#include <ward/selection.h>

enum { SEEDS = 100 };

static ward_kit *kit;
static struct gate gate;
static struct script watched, other;

static void begin(void)
{
	watched = (struct script){.name = "watched"};
	other = (struct script){.name = "other"};
	gate = (struct gate){.options = {.lost_after_ms = 0}};
	kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	gate_spawn(kit, &gate, "peer");
	script_spawn(kit, &watched);
	script_spawn(kit, &other);
	journal_clear();
}

static ward_err attach(ward_control kind, ward_ref stand_in)
{
	return gate_apply(kit, &gate,
			  (struct ward_outgoing){.kind = kind,
						 .from = gate_peer(&gate),
						 .to = watched.ref,
						 .stand_in = stand_in,
						 .number = kind == WARD_CONTROL_LINK});
}

static ward_ref at(const char *path)
{
	ward_ref found;

	ward_assert_ok(ward_system_resolve(ward_kit_system(kit), path, WARD_SECOND, &found));
	return found;
}

static const ward_control kinds[] = {WARD_CONTROL_WATCH, WARD_CONTROL_LINK};
static const char *const ends[] = {"gate:terminated", "gate:link exit"};

WARD_TEST(stand_in_that_is_no_actor_of_this_system_is_refused, "S198", "S199")
{
	uint32_t here;

	begin();
	here = ward_ref_place(watched.ref);
	const ward_ref none[] = {
		gate_peer(&gate),
		ward_ref_at(12345, WARD_REF_ACTOR, 7),
		ward_ref_at(here, WARD_REF_QUESTION, 7),
		ward_ref_at(here, WARD_REF_THREAD, 7),
	};
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < sizeof none / sizeof none[0]; j++)
			ward_assert_err(attach(kinds[i], none[j]), WARD_EINVAL);
	ward_system_stop(ward_kit_system(kit), watched.ref);
	ward_kit_run(kit);
	assert_journal_of("gate", "");
	script_finish(kit);
}

WARD_TEST(end_comes_once_whoever_is_named_as_the_stand_in, "S198", "S199")
{
	for (size_t i = 0; i < 2; i++) {
		for (int who = 0; who < 8; who++) {
			begin();
			const ward_ref named[] = {
				watched.ref,
				other.ref,
				gate.script.ref,
				at("/"),
				at("/user"),
				at("/system"),
				ward_ref_at(ward_ref_place(other.ref), WARD_REF_ACTOR,
					    1), /* none */
				ward_ref_at(ward_ref_place(other.ref), WARD_REF_ACTOR, UINT64_MAX),
			};
			ward_assert_ok(attach(kinds[i], named[who]));
			ward_system_stop(ward_kit_system(kit), watched.ref);
			ward_kit_run(kit);
			const char *found = strstr(journal_text(), ends[i]);
			ward_assert(found != NULL && strstr(found + 1, ends[i]) == NULL);
			script_finish(kit);
		}
	}
}

static ward_result close_mailbox(ward_self *self, void *arg)
{
	(void)arg;
	ward_mailbox_close(self);
	return WARD_DONE;
}

WARD_TEST(end_that_waits_at_a_stand_in_which_ends_is_dropped, "S198", "S199")
{
	for (size_t i = 0; i < 2; i++) {
		begin();
		ward_assert_ok(attach(kinds[i], other.ref));
		script_do(kit, other.ref, close_mailbox, NULL);
		ward_kit_run(kit);
		ward_system_stop(ward_kit_system(kit), watched.ref);
		ward_kit_run(kit);
		ward_system_stop(ward_kit_system(kit), other.ref);
		ward_kit_run(kit);
		ward_assert(strstr(journal_text(), ends[i]) == NULL);
		script_finish(kit);
	}
}

/* It does not go straight for want of memory. */
WARD_TEST(end_waits_for_its_stand_in_or_the_order_is_refused, "S192", "S198", "S199")
{
	for (size_t i = 0; i < 2; i++) {
		bool short_of_memory = true;
		for (uint64_t nth = 1; short_of_memory; nth++) {
			begin();
			script_do(kit, other.ref, close_mailbox, NULL);
			ward_kit_run(kit);
			uint64_t made = ward_kit_allocations(kit);
			gate.applied = WARD_ENOMEM; /* where it does not come to that */
			ward_kit_fail_allocation(kit, nth);
			(void)attach(kinds[i], other.ref);
			short_of_memory = ward_kit_allocations(kit) - made >= nth;
			ward_kit_fail_allocation(kit, 0);
			ward_system_stop(ward_kit_system(kit), watched.ref);
			ward_kit_run(kit);
			ward_assert(strstr(journal_text(), ends[i]) == NULL);
			ward_assert(short_of_memory || gate.applied == WARD_OK);
			script_finish(kit);
			if (ward_test_shortage())
				return; /* each round would be one for each allocation */
		}
	}
}

/* Also when it has not reached the association yet. */
WARD_TEST(end_that_meets_the_end_of_the_association_leaves_nothing, "S198", "S199")
{
	WARD_TEST_SEEDS(SEEDS)
	{
		for (size_t i = 0; i < 2; i++) {
			begin();
			ward_assert_ok(attach(kinds[i], other.ref));
			ward_system_stop(ward_kit_system(kit), watched.ref);
			if (ward_test_seed() % 2 == 0)
				script_break(kit, gate.script.ref, &ward_exception);
			else
				ward_system_stop(ward_kit_system(kit), gate.script.ref);
			ward_kit_run(kit);
			script_finish(kit);
		}
	}
}

WARD_TEST_MAIN
