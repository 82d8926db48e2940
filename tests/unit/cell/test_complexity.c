/* SPDX-License-Identifier: MIT
 *
 * test_complexity.c - calls cost what their comments say: counted in turns, and in the lengths of
 * the chains that a look-up goes through, not in time.
 *
 * Method: the same with n and with four times as many; simulated, so a turn is a step of the kit.
 */
#include <stdio.h>
#include <string.h>

#include <ward/selection.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "cell/self.h"

enum { N = 500, TIMES = 4 };

WARD_SIGNAL(hello);

static uint32_t wanted; /* children, or the depth */
static size_t heard;
static struct wardi_cell *mother_cell;

static ward_result leaf_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (!ward_match(msg, hello))
		return WARD_UNHANDLED;
	heard++;
	return WARD_DONE;
}

static const ward_behavior leaf = {.name = "leaf", .receive = leaf_receive};

/* Many children, each with a name and watched. */
static ward_result mother_start(ward_self *self, void *state)
{
	char name[24];
	ward_ref child;

	(void)state;
	mother_cell = self->cell;
	for (uint32_t i = 0; i < wanted; i++) {
		snprintf(name, sizeof name, "child-%u", i);
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&leaf, .name = name), &child));
		ward_assert_ok(ward_try_watch(self, child));
	}
	return WARD_DONE;
}

static ward_result mother_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, ward_terminated) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior mother = {
	.name = "mother", .pre_start = mother_start, .receive = mother_receive};

static size_t turns(ward_kit *kit)
{
	size_t count = 0;

	while (ward_kit_step(kit))
		count++;
	return count;
}

/* Links that a look-up passes, on average, when it finds its own. */
static double passed(const struct wardi_hash *table, size_t count)
{
	size_t sum = 0, links = 0;

	for (size_t i = 0; i < table->bucket_count; i++) {
		size_t length = 0;

		for (const struct wardi_hash_link *at = table->buckets[i]; at != NULL;
		     at = at->next)
			sum += ++length;
		links += length;
	}
	ward_assert_eq(links, count);
	return (double)sum / (double)count;
}

/* Returns the turns of a stop of n children. */
static size_t live_and_stop(uint32_t n)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.keeps_no_events = true});
	size_t count;
	ward_ref top;

	wanted = n;
	top = ward_kit_spawn(kit, &mother);
	ward_kit_run(kit);
	ward_assert(passed(&mother_cell->rare->children->names, n) < 2);
	ward_assert(passed(mother_cell->rare->watching, n) < 2);
	ward_system_stop(ward_kit_system(kit), top);
	count = turns(kit);
	ward_kit_finish(kit);
	return count;
}

WARD_TEST(complexity_of_a_stop_is_linear_in_children_and_names_and_watches_are_constant)
{
	size_t few = live_and_stop(N), many = live_and_stop(TIMES * N);

	ward_assert(few >= N);
	ward_assert(many <= TIMES * few + TIMES);
}

/* ---- a path ---- */

static ward_result link_start(ward_self *self, void *state)
{
	const ward_behavior *below = self->cell->behavior;
	ward_ref child;

	(void)state;
	if (--wanted == 0)
		below = &leaf;
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(below, .name = "a"), &child));
	return WARD_DONE;
}

static const ward_behavior chain_link = {
	.name = "link", .pre_start = link_start, .receive = leaf_receive};

/* Returns the turns of a message along a path of so many names. */
static size_t go_down(uint32_t depth)
{
	ward_kit *kit = ward_kit_start(NULL);
	char path[400] = "/user/a";
	size_t count, length = strlen(path);

	wanted = depth;
	(void)ward_kit_spawn(kit, &chain_link, .name = "a");
	ward_kit_run(kit);
	for (uint32_t i = 0; i < depth; i++)
		length += (size_t)snprintf(path + length, sizeof path - length, "/a");
	heard = 0;
	ward_system_select_tell(ward_kit_system(kit), path, hello);
	count = turns(kit);
	ward_assert_eq(heard, 1);
	ward_kit_finish(kit);
	return count;
}

WARD_TEST(complexity_of_a_path_is_linear_in_its_names)
{
	size_t few = go_down(20), many = go_down(TIMES * 20);

	ward_assert(few >= 20);
	ward_assert(many <= TIMES * few);
}

WARD_TEST_MAIN
