/* SPDX-License-Identifier: MIT
 *
 * test_child_index.c - children are found by their generated names, among many, and while they come
 * and go.
 *
 * Method: an actor makes and stops children as told; after each step every name that was ever
 * generated is looked up. How much was gone through is told by what the index has.
 */
#include <stdio.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "cell/child_index.h"
#include "cell/path.h"
#include "cell/self.h"

enum { MANY = 3000 };

WARD_SIGNAL(step);

static ward_ref refs[MANY];
static uint32_t made;
static void (*act)(ward_self *self);

static ward_result mute_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior mute = {.name = "mute", .receive = mute_receive};

static ward_result mother_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, step))
		return WARD_UNHANDLED;
	act(self);
	return WARD_DONE;
}

static const ward_behavior mother = {.name = "mother", .receive = mother_receive};

static void name_of(uint32_t number, char *name)
{
	wardi_name_generate("mute", number, name);
}

/* The first `count` numbers; every third child is gone if so. */
static void look_for_all(ward_self *self, uint32_t count, bool thinned)
{
	char name[WARDI_NAME_GENERATED];

	for (uint32_t i = 0; i < count; i++) {
		name_of(i, name);
		ward_assert(ward_ref_equal(ward_child(self, name),
					   thinned && i % 3 == 0 ? ward_nobody() : refs[i]));
	}
	name_of(count, name);
	ward_assert(ward_ref_is_nobody(ward_child(self, name)));
}

/* Among them some with names of their own. */
static void make(ward_self *self, uint32_t to)
{
	char name[16];
	ward_ref other;

	for (; made < to; made++) {
		snprintf(name, sizeof name, "child-%u", made);
		if (made % 4 == 0)
			ward_assert_ok(
				ward_try_spawn(self, WARD_PROPS(&mute, .name = name), &other));
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&mute), &refs[made]));
	}
}

static const struct wardi_child_index *index_of(ward_self *self)
{
	return self->cell->rare->children->generated_index;
}

static void begin_small(ward_self *self)
{
	make(self, 10);
	look_for_all(self, 10, false);
	ward_assert(index_of(self) == NULL); /* not worth one */
}

static void grow(ward_self *self)
{
	make(self, MANY / 2);
	ward_assert(index_of(self) == NULL); /* nobody has looked: it costs nothing */
	look_for_all(self, made, false);
	ward_assert(index_of(self) != NULL);
	make(self, MANY - 1);
	look_for_all(self, made, false);
}

static void thin(ward_self *self)
{
	for (uint32_t i = 0; i < made; i += 3)
		ward_stop(self, refs[i]);
}

static void look_at_thinned(ward_self *self)
{
	look_for_all(self, made, true);
	make(self, MANY);
	for (uint32_t i = 0; i < MANY - 1; i++) {
		char name[16];

		name_of(i, name);
		ward_assert(ward_ref_equal(ward_child(self, name),
					   i % 3 == 0 ? ward_nobody() : refs[i]));
	}
}

static void do_step(ward_kit *kit, ward_ref who, void (*what)(ward_self *self))
{
	act = what;
	ward_system_tell(ward_kit_system(kit), who, step);
	ward_kit_run(kit);
}

WARD_TEST(generated_names_are_found_among_many_that_come_and_go)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref who = ward_kit_spawn(kit, &mother, .name = "mother");

	made = 0;
	do_step(kit, who, begin_small);
	do_step(kit, who, grow);
	do_step(kit, who, thin);
	do_step(kit, who, look_at_thinned);
	ward_kit_finish(kit);
}

/* Children come and go for ever, each is looked for once: memory and work stay those of the few
 * that live. */
static void replace_some(ward_self *self)
{
	char name[16];

	for (uint32_t i = 0; i < 100; i++) {
		if (made >= 100)
			ward_stop(self, refs[i]);
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&mute), &refs[i]));
		name_of(made++, name);
		ward_assert(ward_ref_equal(ward_child(self, name), refs[i]));
	}
}

WARD_TEST(generated_names_of_those_that_are_gone_do_not_pile_up)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref who = ward_kit_spawn(kit, &mother, .name = "mother");
	uint64_t bytes = 0;

	made = 0;
	for (int i = 0; i < 100; i++) {
		do_step(kit, who, replace_some);
		if (i == 5)
			bytes = ward_kit_bytes(kit);
	}
	ward_assert_eq(ward_kit_bytes(kit), bytes);
	ward_kit_finish(kit);
}

/* Goes on with the list. */
static ward_kit *dry;

static void look_without_memory(ward_self *self)
{
	make(self, MANY / 10);
	ward_kit_fail_all_allocations(dry, true);
	look_for_all(self, made, false);
	ward_kit_fail_all_allocations(dry, false);
	ward_assert(index_of(self) == NULL);
	look_for_all(self, made, false);
	ward_assert(index_of(self) != NULL);
}

WARD_TEST(generated_names_are_found_without_memory_for_an_index)
{
	dry = ward_kit_start(NULL);
	ward_ref who = ward_kit_spawn(dry, &mother, .name = "mother");

	made = 0;
	do_step(dry, who, look_without_memory);
	ward_kit_finish(dry);
}

WARD_TEST_MAIN
