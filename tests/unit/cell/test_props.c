/* SPDX-License-Identifier: MIT
 *
 * test_props.c - copies of props: they own what they hold; what cannot be copied is refused.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/testkit.h>
#include <ward/ward.h>

struct plain {
	int number;
};
WARD_MESSAGE(plain);

struct owner {
	int number;
};
static int alive;
static ward_err refuses_with;
static int refuses_by; /* errno */
static bool says_why;

static void owner_drop(struct owner *owner)
{
	(void)owner;
	alive--;
}
static ward_err owner_clone(struct owner *to, const struct owner *from)
{
	*to = *from;
	if (refuses_by != 0)
		errno = refuses_by;
	if (refuses_with != WARD_OK)
		return says_why ? ward_refused(refuses_with, "no %d today", from->number)
				: refuses_with;
	alive++;
	return WARD_OK;
}
WARD_MESSAGE_CLONE(owner, owner_drop, owner_clone);

struct single {
	int number;
};
static void single_drop(struct single *single)
{
	(void)single;
}
WARD_MESSAGE_DROP(single, single_drop);

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}

static const ward_behavior bare = {.name = "bare", .receive = receive};
static const ward_behavior with_plain = {
	.name = "with_plain", .receive = receive, .args = &ward_type_plain};
static const ward_behavior with_owner = {
	.name = "with_owner", .receive = receive, .args = &ward_type_owner};
static const ward_behavior with_single = {
	.name = "with_single", .receive = receive, .args = &ward_type_single};

static void begin(void)
{
	alive = 0;
	refuses_with = WARD_OK;
	refuses_by = 0;
	says_why = false;
}

/* ---- what is copied ------------------------------------------------------------------------ */

WARD_TEST(copy_of_props_outlives_what_it_was_made_of)
{
	char name[] = "ada", dispatcher[] = "disk";
	struct plain plain = {7};
	ward_props copy, props = {.behavior = &with_plain,
				  .name = name,
				  .dispatcher = dispatcher,
				  .args = {WARD_COPY(plain, &plain)},
				  .mailbox = {.messages_max = 3},
				  .memory_max = 100};

	begin();
	ward_assert_ok(ward_props_clone(&copy, &props));
	memset(name, 'x', 3);
	memset(dispatcher, 'x', 4);
	plain.number = 0;
	ward_assert(copy.behavior == &with_plain);
	ward_assert_str(copy.name, "ada");
	ward_assert_str(copy.dispatcher, "disk");
	ward_assert_eq(((const struct plain *)copy.args.bytes)->number, 7);
	ward_assert_eq(copy.args.size, sizeof plain);
	ward_assert_eq(copy.mailbox.messages_max, 3);
	ward_assert_eq(copy.memory_max, 100);
	ward_props_drop(&copy);
	ward_props_drop(&copy); /* all zero is fine */
	ward_props_drop(NULL);
}

WARD_TEST(copy_of_bare_props_holds_nothing)
{
	ward_props copy;

	begin();
	ward_assert_ok(ward_props_clone(&copy, WARD_PROPS(&bare)));
	ward_assert(copy.name == NULL && copy.dispatcher == NULL && copy.args.bytes == NULL);
	ward_props_drop(&copy);
}

WARD_TEST(arguments_that_own_things_are_cloned_and_dropped)
{
	struct owner owner = {5};
	ward_props copy;

	begin();
	ward_assert_ok(ward_props_clone(
		&copy, WARD_PROPS(&with_owner, .args = {WARD_COPY(owner, &owner)})));
	ward_assert_eq(alive, 1);
	ward_props_drop(&copy);
	ward_assert_eq(alive, 0);
}

/* ---- what is refused ----------------------------------------------------------------------- */

WARD_TEST(copy_of_props_refuses_what_a_spawn_refuses)
{
	struct plain plain = {1};
	struct single single = {1};
	ward_props copy, untouched = {.memory_max = 99};

	begin();
	copy = untouched;
	ward_assert_err(ward_props_clone(&copy, NULL), WARD_EINVAL);
	ward_assert_err(ward_props_clone(NULL, WARD_PROPS(&bare)), WARD_EINVAL);
	ward_assert_err(ward_props_clone(&copy, &(ward_props){0}), WARD_EINVAL);
	ward_assert_err(ward_props_clone(&copy, WARD_PROPS(&(ward_behavior){0})), WARD_EINVAL);
	ward_assert_err(
		ward_props_clone(&copy, WARD_PROPS(&bare, .args = {WARD_COPY(plain, &plain)})),
		WARD_EINVAL);
	ward_assert_err(
		ward_props_clone(&copy, WARD_PROPS(&with_plain, .args = {&ward_type_plain, &plain,
									 sizeof plain + 1})),
		WARD_ESIZE);
	ward_assert_err(ward_props_clone(&copy, WARD_PROPS(&with_single,
							   .args = {WARD_COPY(single, &single)})),
			WARD_EUNIQUE);
	ward_assert_part(ward_err_detail(), "WARD_MESSAGE_CLONE");
	ward_assert_eq(memcmp(&copy, &untouched, sizeof copy), 0);
}

WARD_TEST(clone_that_refuses_is_heard)
{
	struct owner owner = {5};
	ward_props copy,
		props = {.behavior = &with_owner, .name = "n", .args = {WARD_COPY(owner, &owner)}};

	begin();
	refuses_with = WARD_ESYS;
	ward_assert_err(ward_props_clone(&copy, &props), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "behaviour with_owner: its arguments could not be "
					   "copied: the operating system refused");
	refuses_by = EMFILE;
	ward_assert_err(ward_props_clone(&copy, &props), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "behaviour with_owner: its arguments could not be "
					   "copied: Too many open files (EMFILE)");
	says_why = true;
	ward_assert_err(ward_props_clone(&copy, &props), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "no 5 today");
	ward_assert_eq(alive, 0);
}

WARD_TEST(spawn_answers_what_the_clone_of_the_arguments_says)
{
	struct owner owner = {5};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref;
	ward_props props = {.behavior = &with_owner, .args = {WARD_COPY(owner, &owner)}};

	begin();
	refuses_with = WARD_EINVAL;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, &ref), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "with_owner: its arguments could not be copied");
	refuses_with = WARD_ESYS;
	refuses_by = EMFILE;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, &ref), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "behaviour with_owner: its arguments could not be "
					   "copied: Too many open files (EMFILE)");
	refuses_with = WARD_EINVAL;
	says_why = true;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, &ref), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "no 5 today");
	ward_kit_finish(kit);
}

WARD_TEST(refusal_without_a_code_notes_nothing)
{
	ward_assert_err(ward_refused(WARD_ESYS, "%s", "first"), WARD_ESYS);
	ward_assert_err(ward_refused(WARD_OK, "second"), WARD_OK);
	ward_assert_str(ward_err_detail(), "first");
}

/* Sanitizers have an allocator of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED
void *__libc_malloc(size_t size);

static int mallocs_left = -1; /* below 0: as many as are asked for */

/* Stands in front of the one of libc. */
void *malloc(size_t size)
{
	if (mallocs_left == 0)
		return NULL;
	mallocs_left -= mallocs_left > 0;
	return __libc_malloc(size);
}

WARD_TEST(copy_of_props_without_memory_leaves_nothing_behind)
{
	struct plain args = {3};
	ward_props props = {.behavior = &with_plain,
			    .name = "worker",
			    .dispatcher = WARD_BLOCKING,
			    .args = {WARD_COPY(plain, &args)}};
	ward_props copy = {.name = "untouched"};
	ward_err err;
	for (int there = 0; there < 3; there++) {
		mallocs_left = there;
		err = ward_props_clone(&copy, &props);
		mallocs_left = -1;
		ward_assert_err(err, WARD_ENOMEM);
		ward_assert_part(ward_err_detail(), "no memory for a copy of the props of");
		ward_assert_str(copy.name, "untouched");
	}
	mallocs_left = 3;
	err = ward_props_clone(&copy, &props);
	mallocs_left = -1;
	ward_assert_ok(err);
	ward_props_drop(&copy);
}
#endif

WARD_TEST_MAIN
