/* SPDX-License-Identifier: MIT
 *
 * test_failure.c - the records of failures: classes, chains of causes, references, and the bare
 * class that is left when memory is out (S16, S37).
 *
 * Method: a simulated system gives the memory; the kit sees what is not given back.
 */
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>

#include "support/script.h"

#include "cell/failure.h"
#include "cell/system.h"
#include "mail/message.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class worse_luck = {.name = "worse_luck", .parent = &bad_luck};

static struct wardi_failure make(ward_kit *kit, struct wardi_failure behind, int number)
{
	return wardi_failure_text(ward_kit_system(kit), ward_nobody(), &bad_luck, behind,
				  "number %d", number);
}

static const ward_failure *view(struct wardi_failure cause)
{
	static struct ward_failure bare;
	return wardi_failure_view(cause, &bare);
}

static unsigned length_of(const ward_failure *failure)
{
	unsigned length = 0;
	for (; failure != NULL; failure = ward_failure_cause(failure))
		length++;
	return length;
}

/* ---- classes ----------------------------------------------------------------------------- */

WARD_TEST(class_is_known_by_its_chain_of_names, "S16")
{
	const ward_failure_class twin = {.name = "bad_luck", .parent = &ward_exception};
	const ward_failure_class namesake = {.name = "bad_luck", .parent = &ward_error};
	unsigned distance = 99;
	ward_assert(wardi_class_below(&worse_luck, &worse_luck, &distance));
	ward_assert_eq(distance, 0);
	ward_assert(wardi_class_below(&worse_luck, &twin, &distance));
	ward_assert_eq(distance, 1);
	ward_assert(wardi_class_below(&worse_luck, &ward_exception, &distance));
	ward_assert_eq(distance, 2);
	distance = 99;
	ward_assert(!wardi_class_below(&bad_luck, &worse_luck, &distance));
	ward_assert(!wardi_class_below(&bad_luck, &namesake, &distance));
	ward_assert(!wardi_class_below(&bad_luck, &ward_error, &distance));
	ward_assert_eq(distance, 99);
}

WARD_TEST(class_must_have_a_name_and_come_from_a_root, "S16")
{
	static ward_failure_class loop[2] = {{.name = "a"}, {.name = "b"}};
	static ward_failure_class deep[33];
	const ward_failure_class rootless = {.name = "rootless"};
	const ward_failure_class nameless = {.parent = &ward_exception};
	const ward_failure_class empty = {.name = "", .parent = &ward_error};
	const ward_failure_class below_nameless = {.name = "x", .parent = &nameless};
	loop[0].parent = &loop[1];
	loop[1].parent = &loop[0];
	for (int i = 0; i < 33; i++)
		deep[i] = (ward_failure_class){.name = "deep",
					       .parent = i == 0 ? &ward_exception : &deep[i - 1]};
	ward_assert_ok(ward_failure_class_check(&ward_exception));
	ward_assert_ok(ward_failure_class_check(&ward_error));
	ward_assert_ok(ward_failure_class_check(&worse_luck));
	ward_assert_ok(ward_failure_class_check(&deep[30]));
	ward_assert_err(ward_failure_class_check(&deep[32]), WARD_EINVAL);
	ward_assert_err(ward_failure_class_check(&rootless), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "rootless");
	ward_assert_err(ward_failure_class_check(&nameless), WARD_EINVAL);
	ward_assert_err(ward_failure_class_check(&empty), WARD_EINVAL);
	ward_assert_err(ward_failure_class_check(&below_nameless), WARD_EINVAL);
	ward_assert_err(ward_failure_class_check(&loop[0]), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "cycle");
}

WARD_TEST(classes_with_more_above_them_than_is_allowed_are_all_strangers, "S16")
{
	static ward_failure_class loop[2] = {{.name = "a"}, {.name = "b"}};
	static ward_failure_class twins[2][40];
	const ward_failure_class rootless = {.name = "bad_luck"};
	unsigned distance = 99;
	loop[0].parent = &loop[1];
	loop[1].parent = &loop[0];
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 2; j++)
			twins[j][i] = (ward_failure_class){.name = "deep",
							   .parent = i == 0 ? &ward_exception
									    : &twins[j][i - 1]};
	/* A search comes to its end, whatever the classes are. */
	ward_assert(!wardi_class_below(&loop[0], &ward_error, &distance));
	ward_assert(!wardi_class_below(&loop[0], &bad_luck, &distance));
	ward_assert(!wardi_class_below(&twins[0][39], &twins[1][39], &distance));
	/* One chain ends before the other. */
	ward_assert(!wardi_class_below(&rootless, &bad_luck, &distance));
	ward_assert(!wardi_class_below(&bad_luck, &rootless, &distance));
	ward_assert_eq(distance, 99);
	/* As far up as is allowed. */
	ward_assert(wardi_class_below(&twins[0][31], &twins[0][0], &distance));
	ward_assert_eq(distance, 31);
	ward_assert(!wardi_class_below(&twins[0][32], &twins[0][0], &distance) || distance < 32);
	ward_assert(wardi_class_below(&twins[0][30], &twins[1][30], &distance));
	ward_assert_eq(distance, 0);
}

/* ---- records ----------------------------------------------------------------------------- */

WARD_TEST(record_is_freed_with_its_last_reference)
{
	ward_kit *kit = script_start(NULL);
	uint64_t blocks = ward_kit_blocks(kit);
	struct wardi_failure first = make(kit, WARDI_NO_FAILURE, 1);
	struct wardi_failure second = make(kit, wardi_failure_ref(first), 2);
	ward_assert_eq(ward_kit_blocks(kit), blocks + 2);
	wardi_failure_unref(first);
	ward_assert_eq(ward_kit_blocks(kit), blocks + 2); /* the second has it still */
	ward_assert_str(ward_failure_text(ward_failure_cause(view(second))), "number 1");
	wardi_failure_ref(second);
	wardi_failure_unref(second);
	ward_assert_eq(ward_kit_blocks(kit), blocks + 2);
	wardi_failure_unref(second);
	ward_assert_eq(ward_kit_blocks(kit), blocks);
	wardi_failure_unref(WARDI_NO_FAILURE);
	ward_assert(wardi_failure_is_none(wardi_failure_ref(WARDI_NO_FAILURE)));
	ward_assert(view(WARDI_NO_FAILURE) == NULL);
	script_finish(kit);
}

WARD_TEST(record_tells_class_text_actor_and_message)
{
	ward_ref actor = {77, 5, 0};
	ward_kit *kit = script_start(NULL);
	struct wardi_failure cause = wardi_failure_text(ward_kit_system(kit), actor, &worse_luck,
							WARDI_NO_FAILURE, "%s, %0300d", "long", 1);
	wardi_failure_set_message(cause, &ward_type_script_word);
	wardi_failure_set_message(cause, NULL);
	ward_assert(wardi_failure_class(cause) == &worse_luck);
	ward_assert(ward_failure_class_of(view(cause)) == &worse_luck);
	ward_assert(ward_ref_equal(ward_failure_actor(view(cause)), actor));
	ward_assert_part(ward_failure_text(view(cause)), "long, 000");
	ward_assert_eq(strlen(ward_failure_text(view(cause))), WARD_EVENT_TEXT - 1);
	ward_assert(view(cause)->message == &ward_type_script_word);
	ward_assert(ward_failure_root(view(cause)) == view(cause));
	ward_assert(ward_failure_is(view(cause), &bad_luck));
	ward_assert(!ward_failure_is(view(cause), NULL));
	ward_assert(!ward_failure_is(NULL, &bad_luck));
	wardi_failure_unref(cause);
	script_finish(kit);
}

__attribute__((format(printf, 2, 3))) static void check_text(const char *expected,
							     const char *format, ...)
{
	ward_kit *kit = script_start(NULL);
	va_list args;
	va_start(args, format);
	struct wardi_failure cause = wardi_failure_make(ward_kit_system(kit), ward_nobody(),
							&bad_luck, WARDI_NO_FAILURE, format, args);
	va_end(args);
	ward_assert_str(ward_failure_text(view(cause)), expected);
	wardi_failure_unref(cause);
	script_finish(kit);
}

WARD_TEST(text_of_any_length_is_kept_up_to_its_limit)
{
	char longest[WARD_EVENT_TEXT], longer[2 * WARD_EVENT_TEXT];
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	memset(longer, 'x', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	check_text("", "%s", "");
	check_text("at 100 % of 7", "at 100 %% of %d", 7);
	check_text("nothing to format", "nothing to format");
	check_text(longest, "%s", longest);
	check_text(longest, "%s", longer);
	for (size_t length = 0; length < sizeof longest; length++)
		check_text(longest + sizeof longest - 1 - length, "%s",
			   longest + sizeof longest - 1 - length);
		/* The compiler wants a constant where nothing is formatted. */
#define TEN(x) x x x x x x x x x x
	check_text(longest, TEN(TEN("xxx")));
	check_text("xxxxxxxxxx", TEN("x"));
#undef TEN
}

WARD_TEST(body_of_a_record_is_dropped_with_it)
{
	ward_kit *kit = script_start(NULL);
	struct wardi_source from = wardi_outside_source(ward_kit_system(kit));
	struct script_word word = script_word("body", &(struct script_word){0});
	struct ward_msg *body = wardi_msg_make(from, &ward_type_script_word, &word, sizeof(word));
	struct wardi_failure cause = make(kit, WARDI_NO_FAILURE, 1);
	ward_assert(ward_failure_body_of(view(cause), &ward_type_script_word) == NULL);
	ward_assert(wardi_failure_set_body(cause, body));
	const struct script_word *seen = ward_failure_body_of(view(cause), &ward_type_script_word);
	ward_assert_str(seen->text, "body");
	ward_assert(ward_failure_body_of(view(cause), &ward_type_ward_event) == NULL);
	wardi_failure_unref(cause);
	ward_assert_eq(script_words_left(), 0);
	script_finish(kit);
}

/* ---- chains ------------------------------------------------------------------------------ */

WARD_TEST(chain_of_causes_is_capped_and_keeps_its_ends, "S37")
{
	/* One record in front of the last, again and again. */
	ward_kit *kit = script_start(NULL);
	uint64_t blocks = ward_kit_blocks(kit);
	struct wardi_failure cause = WARDI_NO_FAILURE;
	for (int i = 1; i <= 50; i++) {
		cause = make(kit, cause, i);
		unsigned length = length_of(view(cause));
		ward_assert_eq(length, i < WARDI_CAUSES_MAX ? i : WARDI_CAUSES_MAX);
		ward_assert_eq(view(cause)->depth, length);
		ward_assert_eq(ward_kit_blocks(kit), blocks + length);
	}
	ward_assert_str(ward_failure_text(view(cause)), "number 50");
	ward_assert_str(ward_failure_text(ward_failure_cause(view(cause))), "number 49");
	ward_assert_str(ward_failure_text(ward_failure_root(view(cause))), "number 1");
	wardi_failure_unref(cause);
	ward_assert_eq(ward_kit_blocks(kit), blocks);
	script_finish(kit);
}

WARD_TEST(chain_of_nested_restarts_is_capped_and_keeps_its_ends, "S37")
{
	/* As a restart that fails, again and again: a fresh error behind which the old chain goes,
	 * and a record of the failed restart in front. The old chain is looked at meanwhile. */
	for (int shared = 0; shared < 2; shared++) {
		ward_kit *kit;
		kit = script_start(NULL);
		uint64_t blocks = ward_kit_blocks(kit);
		struct wardi_failure cause = make(kit, WARDI_NO_FAILURE, 0);
		for (int i = 1; i <= 50; i++) {
			struct wardi_failure last =
				shared ? wardi_failure_ref(cause) : WARDI_NO_FAILURE;
			struct wardi_failure error = make(kit, WARDI_NO_FAILURE, 1000 + i);
			cause = make(kit, wardi_failure_chain(error, cause), i);
			ward_assert(length_of(view(cause)) <= WARDI_CAUSES_MAX);
			ward_assert_eq(view(cause)->depth, length_of(view(cause)));
			wardi_failure_unref(last);
			ward_assert(ward_kit_blocks(kit) - blocks <= WARDI_CAUSES_MAX);
		}
		ward_assert_str(ward_failure_text(view(cause)), "number 50");
		ward_assert_str(ward_failure_text(ward_failure_cause(view(cause))), "number 1050");
		ward_assert_str(ward_failure_text(ward_failure_root(view(cause))), "number 0");
		wardi_failure_unref(cause);
		ward_assert_eq(ward_kit_blocks(kit), blocks);
		script_finish(kit);
	}
}

WARD_TEST(nothing_is_put_behind_a_record_that_has_a_cause_or_that_others_see)
{
	ward_kit *kit = script_start(NULL);
	uint64_t blocks = ward_kit_blocks(kit);
	struct wardi_failure first = make(kit, WARDI_NO_FAILURE, 1);
	struct wardi_failure second = make(kit, first, 2);
	ward_assert_eq(wardi_failure_chain(second, make(kit, WARDI_NO_FAILURE, 3)).bits,
		       second.bits);
	ward_assert_str(ward_failure_text(ward_failure_cause(view(second))), "number 1");
	wardi_failure_unref(second);
	struct wardi_failure seen = make(kit, WARDI_NO_FAILURE, 4);
	wardi_failure_ref(seen);
	ward_assert_eq(wardi_failure_chain(seen, make(kit, WARDI_NO_FAILURE, 5)).bits, seen.bits);
	ward_assert(ward_failure_cause(view(seen)) == NULL);
	wardi_failure_unref(seen);
	/* And nothing at all changes nothing. */
	ward_assert_eq(wardi_failure_chain(seen, WARDI_NO_FAILURE).bits, seen.bits);
	ward_assert_eq(view(seen)->depth, 1);
	wardi_failure_unref(seen);
	ward_assert_eq(ward_kit_blocks(kit), blocks);
	script_finish(kit);
}

/* ---- without memory ---------------------------------------------------------------------- */

WARD_TEST(without_memory_the_class_is_left, "S16", "S14")
{
	ward_kit *kit = script_start(NULL);
	uint64_t blocks = ward_kit_blocks(kit);
	struct wardi_failure behind = make(kit, WARDI_NO_FAILURE, 1);
	ward_kit_fail_all_allocations(kit, true);
	struct wardi_failure bare = make(kit, behind, 2);
	ward_kit_fail_all_allocations(kit, false);
	ward_assert_eq(ward_kit_blocks(kit), blocks); /* what was behind it is gone */
	ward_assert(!wardi_failure_is_none(bare));
	ward_assert(wardi_failure_class(bare) == &bad_luck);
	ward_assert(ward_failure_class_of(view(bare)) == &bad_luck);
	ward_assert(ward_failure_is(view(bare), &ward_exception));
	ward_assert_part(ward_failure_text(view(bare)), "no memory");
	ward_assert(ward_failure_cause(view(bare)) == NULL);
	ward_assert(ward_ref_is_nobody(ward_failure_actor(view(bare))));
	ward_assert(!wardi_failure_set_body(bare, NULL));
	wardi_failure_set_message(bare, &ward_type_script_word);
	wardi_failure_unref(wardi_failure_ref(bare));
	/* Behind another one it adds nothing, and what is put behind it is given back. */
	struct wardi_failure front = make(kit, bare, 3);
	ward_assert(ward_failure_cause(view(front)) == NULL);
	ward_assert_eq(wardi_failure_chain(bare, make(kit, WARDI_NO_FAILURE, 4)).bits, bare.bits);
	wardi_failure_unref(front);
	wardi_failure_unref(bare);
	ward_assert_eq(ward_kit_blocks(kit), blocks);
	script_finish(kit);
}

WARD_TEST_MAIN
