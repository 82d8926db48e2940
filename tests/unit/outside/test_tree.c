/* SPDX-License-Identifier: MIT
 *
 * test_tree.c - the picture of a tree that moves while it is taken: nobody vanishes.
 *
 * Method: parents of cells and cells of lives are changed behind the system's back, as if they had
 * ended between one look and the next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

#include "cell/self.h"
#include "cell/table.h"

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static ward_result start_children(ward_self *self, void *state)
{
	static const ward_behavior child = {.name = "child", .receive = ignore};

	(void)state;
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&child, .name = "a"), NULL));
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&child, .name = "b"), NULL));
	return WARD_DONE;
}

static const ward_behavior parent = {
	.name = "parent", .receive = ignore, .pre_start = start_children};

struct scene {
	ward_kit *kit;
	struct wardi_cell *parent, *a;
	bool ends; /* a ends as the first line is written */
	char text[1024];
};

static void start(struct scene *scene)
{
	ward_system *system;
	ward_ref ref;

	memset(scene, 0, sizeof(*scene));
	scene->kit = ward_kit_start(NULL);
	system = ward_kit_system(scene->kit);
	ref = ward_kit_spawn(scene->kit, &parent, .name = "p");
	ward_kit_run(scene->kit);
	scene->parent = wardi_table_cell(system, wardi_uid_slot(ref.uid));
	scene->a = wardi_first_child(scene->parent);
}

static void add_line(void *arg, const char *text)
{
	struct scene *scene = arg;
	size_t length = strlen(scene->text);

	if (scene->ends)
		scene->a->entry = 0;
	snprintf(scene->text + length, sizeof(scene->text) - length, "%s|", text);
}

static void check_tree(struct scene *scene, const char *wanted)
{
	scene->text[0] = '\0';
	ward_assert_ok(ward_system_tree(ward_kit_system(scene->kit), add_line, scene));
	ward_assert_str(scene->text, wanted);
}

WARD_TEST(tree_shows_an_orphan_of_the_moment_at_the_margin)
{
	static const char *const wanted =
		"sim/ running|  user running|    p running|      b running|  system running|";
	struct scene scene;
	char text[256];
	start(&scene);
	static struct wardi_cell other;
	struct wardi_cell *real = scene.a->parent;
	/* of a parent whose slot has another life, or was never seen */
	const uint64_t parents[] = {real->uid + (UINT64_C(1) << 32), UINT64_C(1) << 32 | 999};
	for (size_t i = 0; i < 2; i++) {
		other.uid = parents[i];
		scene.a->parent = &other;
		snprintf(text, sizeof(text), "%s?#%" PRIx64 " running|", wanted, scene.a->uid);
		check_tree(&scene, text);
	}
	scene.a->parent = real;
	check_tree(&scene, "sim/ running|  user running|    p running|      a running|"
			   "      b running|  system running|");
	ward_kit_finish(scene.kit);
}

enum { MANY = 24 };

static void note_number(void *arg, const char *text)
{
	uint64_t *numbers = arg;
	const char *name = strstr(text, "n-");

	if (name != NULL)
		numbers[++numbers[0]] = strtoull(name + 2, NULL, 10);
}

/* Cells that are used again are not in the order of births. */
WARD_TEST(tree_is_in_order_of_birth_whichever_cells_were_free)
{
	static const ward_behavior leaf = {.name = "leaf", .receive = ignore};
	uint64_t numbers[1 + MANY] = {0};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref refs[MANY];
	char name[16];

	for (int i = 0; i < 2 * MANY; i++) {
		int at = i < MANY ? i : (i * 7) % MANY;

		snprintf(name, sizeof(name), "n-%d", i);
		if (i >= MANY) {
			ward_kit_stop(kit, refs[at]);
			ward_kit_run(kit);
		}
		refs[at] = ward_kit_spawn(kit, &leaf, .name = name);
	}
	ward_assert_ok(ward_system_tree(ward_kit_system(kit), note_number, numbers));
	ward_assert_eq(numbers[0], MANY);
	for (int i = 0; i < MANY; i++)
		ward_assert_eq(numbers[1 + i], MANY + i);
	ward_kit_finish(kit);
}

WARD_TEST(tree_says_who_is_gone_when_it_comes_to_their_line)
{
	struct scene scene;
	char text[256];
	start(&scene);
	uintptr_t entry = scene.a->entry;
	scene.ends = true;
	snprintf(text, sizeof(text),
		 "sim/ running|  user running|    p running|      ?#%" PRIx64 " gone|"
		 "      b running|  system running|",
		 scene.a->uid);
	check_tree(&scene, text);
	scene.a->entry = entry;
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
