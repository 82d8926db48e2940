/* SPDX-License-Identifier: MIT
 *
 * test_made_body.c - the bytes of a body that was made without being zeroed.
 *
 * Method: the kit's allocator fills each new block with something that is not zero; on threads this
 * is what the actor finds, while a simulation writes over it.
 */
#include "support/script.h"

struct frame {
	uint32_t count;
	char text[];
};
WARD_MESSAGE(frame);

struct owner {
	void *owned;
	unsigned char bytes[400];
};

static int dropped;

static void drop_owner(struct owner *owner)
{
	ward_assert(owner->owned == NULL);
	dropped++;
}
WARD_MESSAGE_DROP(owner, drop_owner);

/* Bytes that the incarnation has not written: what the runtime has done to them. */
enum { TAIL = 5000 };

/* All bytes are `value`, or, with a value below 0, none is zero. */
static bool all_are(const unsigned char *bytes, size_t count, int value)
{
	for (size_t i = 0; i < count; i++)
		if (value < 0 ? bytes[i] == 0 : bytes[i] != value)
			return false;
	return true;
}

struct unwritten {
	int plain; /* what the bytes of a type without a drop are */
	int tail;  /* and those behind the fixed part of one with a drop */
};

static ward_result look_at_unwritten(ward_self *self, void *arg)
{
	const struct unwritten *expected = arg;
	struct frame *frame = ward_make_uninit(self, frame, TAIL);
	unsigned char *owner = (unsigned char *)ward_make_uninit(self, owner, TAIL);

	ward_assert(frame != NULL && owner != NULL);
	ward_assert(all_are((unsigned char *)frame, sizeof(*frame) + TAIL, expected->plain));
	ward_assert(all_are(owner, sizeof(struct owner), 0));
	ward_assert(all_are(owner + sizeof(struct owner), TAIL, expected->tail));
	ward_discard(self, frame);
	ward_discard(self, owner);
	return WARD_DONE;
}

static void look_at_unwritten_of(ward_kit *kit, struct unwritten expected)
{
	static struct script a;

	a = (struct script){.name = "a"};
	script_spawn(kit, &a);
	script_do(kit, a.ref, look_at_unwritten, &expected);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
}

WARD_TEST(made_body_that_is_not_zeroed_is_the_same_in_each_simulation)
{
	ward_kit *kit = script_start(NULL);

	look_at_unwritten_of(kit, (struct unwritten){0xcd, 0xcd});
	script_finish(kit);
}

WARD_TEST(made_body_on_threads_is_not_zeroed_but_what_a_drop_may_see)
{
	ward_kit *kit = script_start(&(ward_kit_options){.real_threads = true});

	look_at_unwritten_of(kit, (struct unwritten){-1, -1});
	script_finish(kit);
}

enum fate { GIVEN, GIVEN_AS_ANOTHER, DISCARDED, KEPT, FAILED };

/* Nobody writes to it, so the drop sees what the call has left there. */
static ward_result make_owner(ward_self *self, void *arg)
{
	enum fate fate = *(enum fate *)arg;
	struct owner *owner = ward_make_uninit(self, owner, 0);

	ward_assert(owner != NULL);
	if (fate == GIVEN)
		ward_give(self, ward_self_ref(self), owner, &owner);
	else if (fate == GIVEN_AS_ANOTHER)
		ward_give_body(self, ward_self_ref(self), &ward_type_frame, owner);
	else if (fate == DISCARDED)
		ward_discard(self, owner);
	return fate == FAILED ? ward_failed(self, &ward_exception, "told to") : WARD_DONE;
}

WARD_TEST(made_body_that_nobody_wrote_to_is_dropped_once)
{
	for (enum fate fate = GIVEN; fate <= FAILED; fate++) {
		ward_kit *kit = script_start(NULL);
		struct script a = {.name = "a"};

		dropped = 0;
		script_spawn(kit, &a);
		script_do(kit, a.ref, make_owner, &fate);
		ward_kit_run(kit);
		ward_assert_eq(dropped, fate != KEPT);
		script_finish(kit);
		ward_assert_eq(dropped, 1);
	}
}

static ward_result make_wrong(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert(ward_make_body_uninit(self, NULL, 8) == NULL);
	ward_assert_part(ward_err_detail(), "ward_make_uninit: the type is NULL");
	ward_assert(ward_make_body_uninit(self, &ward_type_owner, sizeof(struct owner) - 1) ==
		    NULL);
	ward_assert_part(ward_err_detail(), "ward_make_uninit: a body of 407 bytes does not fit");
	ward_assert(ward_make_body_uninit(self, &ward_type_owner, SIZE_MAX) == NULL);
	return WARD_DONE;
}

WARD_TEST(made_body_of_a_wrong_size_is_refused)
{
	ward_kit *kit = script_start(NULL);
	struct script a = {.name = "a"};

	dropped = 0;
	script_spawn(kit, &a);
	script_do(kit, a.ref, make_wrong, NULL);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(dropped, 0);
	script_finish(kit);
}

WARD_TEST_MAIN
