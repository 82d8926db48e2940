/* SPDX-License-Identifier: MIT
 *
 * test_tree.c - the tree of a system, line by line: in order, with what each actor is doing.
 *
 * Method: a family in some state; the lines are joined by "|" and compared as a whole.
 */
#include <stdio.h>
#include <string.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct lines {
	size_t count;
	char text[65536];
};

static void add_line(void *arg, const char *text)
{
	struct lines *lines = arg;
	size_t length = strlen(lines->text);

	lines->count++;
	snprintf(lines->text + length, sizeof(lines->text) - length, "%s|", text);
}

/* Of the system whose tree it is. */
static uint64_t actors_of(ward_kit *kit)
{
	ward_stats stats;

	ward_system_stats(ward_kit_system(kit), &stats);
	return stats.actors;
}

static const char *tree_of(ward_kit *kit)
{
	static struct lines lines;

	lines.count = 0;
	lines.text[0] = '\0';
	ward_assert_ok(ward_system_tree(ward_kit_system(kit), add_line, &lines));
	ward_assert_eq(lines.count, actors_of(kit));
	return lines.text;
}

static ward_result spawn(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(tree_has_siblings_in_order_of_birth, "S57")
{
	struct family f = FAMILY;
	struct script first = {.name = "z"}, second = {.name = "m"}, third = {.name = "A"};
	family_start(&f);
	script_spawn(f.kit, &first);
	script_do(f.kit, f.b.ref, spawn, &second);
	script_do(f.kit, f.b.ref, spawn, &third);
	ward_kit_run(f.kit);
	ward_assert_str(tree_of(f.kit), "sim/ running|"
					"  user running|"
					"    g running|"
					"      p running|"
					"        a running|"
					"        b running|"
					"          m running|"
					"          A running|"
					"        c running|"
					"    z running|"
					"  system running|");
	/* a slot that is used again holds a younger one */
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	script_do(f.kit, f.p.ref, spawn, &f.a);
	ward_kit_run(f.kit);
	ward_assert_part(tree_of(f.kit),
			 "p running|        b running|          m running|"
			 "          A running|        c running|        a running|");
	script_finish(f.kit);
}

WARD_TEST(tree_says_what_is_known_of_each)
{
	struct family f = FAMILY;
	f.p.decide = NULL;
	f.b.mailbox.messages_max = 5;
	f.g.decides = WARD_LATER;
	f.leaves_mail = true;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	script_break(f.kit, f.c.ref, &bad_luck);
	ward_kit_run(f.kit);
	script_break(f.kit, f.c.ref, &bad_luck);
	ward_kit_run(f.kit);
	script_break(f.kit, f.p.ref, &bad_luck);
	ward_kit_run(f.kit);
	for (int i = 0; i < 3; i++)
		script_say(f.kit, f.b.ref, "unread");
	script_say(f.kit, f.c.ref, "unread");
	ward_assert_part(
		tree_of(f.kit),
		"      p failed, suspended 1; last failure: bad_luck: break|"
		"        a running, suspended 1, incarnation 2, 1 restart; last failure: bad_luck: "
		"break|"
		"        b running, suspended 1, 3 of mail|"
		"        c running, suspended 1, incarnation 3, 2 restarts, has mail; last "
		"failure: "
		"bad_luck: break|");
	script_finish(f.kit);
}

static struct family *looked_at;
static char seen[65536];

static ward_result look(ward_self *self, void *arg)
{
	(void)self;
	(void)arg;
	snprintf(seen, sizeof(seen), "%s", tree_of(looked_at->kit));
	return WARD_DONE;
}

WARD_TEST(tree_names_the_message_that_is_handled)
{
	struct family f = FAMILY;
	looked_at = &f;
	family_start(&f);
	script_do(f.kit, f.c.ref, look, NULL);
	ward_kit_run(f.kit);
	ward_assert_part(seen, "        c running, handles script_word for 0 ms|");
	script_finish(f.kit);
}

/* ---- moving things ----------------------------------------------------------------------- */

WARD_TEST(tree_is_whole_at_every_moment_of_an_end)
{
	/* step by step while all of it goes down: tree_of() checks that each has its line */
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct family f = FAMILY;
		size_t pictures = 0;
		f.g.children[0] = &f.p;
		f.p.children[0] = &f.a;
		f.p.children[1] = &f.b;
		f.kit = script_start(&(ward_kit_options){.seed = seed});
		script_spawn(f.kit, &f.g);
		ward_system_shutdown(ward_kit_system(f.kit), NULL);
		while (actors_of(f.kit) > 0) {
			(void)tree_of(f.kit);
			pictures++;
			ward_kit_step(f.kit);
		}
		ward_assert(pictures > 5);
		script_finish(f.kit);
	}
}

static const ward_behavior deep;

/* Deeper than what is indented. */
static int depth_of_tree(void)
{
	return ward_test_shortage() ? 100 : 1000;
}

static ward_result go_deeper(ward_self *self, void *state)
{
	static int depth;

	(void)state;
	if (++depth < depth_of_tree())
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&deep, .name = "d"), NULL));
	return WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior deep = {.name = "deep", .receive = ignore, .pre_start = go_deeper};

struct depths {
	size_t lines, margin, deepest;
};

static void note_depth(void *arg, const char *text)
{
	struct depths *depths = arg;
	size_t depth = strspn(text, " ");

	depths->lines++;
	depths->margin += depth == 0;
	if (depth > depths->deepest)
		depths->deepest = depth;
}

WARD_TEST(tree_of_any_depth_is_written_and_indented_so_far)
{
	ward_kit *kit = script_start(NULL);
	struct depths depths = {0};
	ward_kit_spawn(kit, &deep, .name = "d");
	ward_kit_run(kit);
	ward_assert_ok(ward_system_tree(ward_kit_system(kit), note_depth, &depths));
	ward_assert_eq(depths.lines, depth_of_tree() + 3);
	ward_assert_eq(depths.margin, 1);
	ward_assert_eq(depths.deepest, 64);
	script_finish(kit);
}

WARD_TEST(tree_is_refused_with_a_code)
{
	ward_kit *kit = script_start(NULL);
	struct lines *lines = NULL;
	ward_assert_err(ward_system_tree(NULL, add_line, lines), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "no system");
	ward_assert_err(ward_system_tree(ward_kit_system(kit), NULL, lines), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "no function");
	ward_kit_fail_allocation(kit, 1);
	ward_assert_err(ward_system_tree(ward_kit_system(kit), add_line, lines), WARD_ENOMEM);
	ward_assert_part(ward_err_detail(), "no memory for");
	script_finish(kit);
}

WARD_TEST_MAIN
