/* SPDX-License-Identifier: MIT
 *
 * test_guest_paths.c - paths that go through a stand-in and on below its guest, and those that come
 * up from a guest to the parent of its stand-in (S194).
 *
 * Method: g and p on the node left, a and b elsewhere: in the same system, or on the node right. c
 * is a child of the guest a. A word is sent to a path, in the name of an actor or from outside.
 */
#include <stdio.h>

#include <ward/selection.h>
#include <ward/testkit/neighbours.h>

#include "guest_family.h"

static struct {
	ward_kit *right; /* NULL: the guests are in the system of their stand-ins */
	ward_loop *loop;
} other;

static const char *const right[] = {"right", NULL};

static ward_result spawn_two_elsewhere(ward_self *self, void *arg)
{
	struct family *f = arg;
	struct script *children[] = {&f->a, &f->b};

	for (size_t i = 0; i < 2; i++)
		ward_assert_ok(spawn_elsewhere(
			self, children[i],
			&(struct ward_remote){.nodes = other.right != NULL ? right : NULL}));
	return WARD_DONE;
}

static void join_right(struct family *f)
{
	ward_ref guests;

	other.right =
		ward_kit_start(&(ward_kit_options){.may_leave_mail = true, .system.name = "right"});
	ward_assert_ok(
		ward_guests_start(ward_kit_system(other.right), guest_family_kinds(f), &guests));
	other.loop = ward_loop_start(&(ward_loop_options){.latency_ms = 1});
	ward_loop_join(other.loop, ward_kit_system(f->kit), "left");
	ward_loop_join(other.loop, ward_kit_system(other.right), "right");
	ward_loop_guests(other.loop, "right", guests);
	ward_loop_connect(other.loop, "left", "right");
	ward_assert(ward_loop_await(other.loop, "left", "right", WARD_MINUTE));
}

static void begin(struct family *f, bool here)
{
	memset(&other, 0, sizeof other);
	f->g.children[0] = &f->p;
	f->a.children[0] = &f->c;
	f->p.pre_start = spawn_two_elsewhere;
	f->p.arg = f;
	f->kit = script_start(&(ward_kit_options){.may_leave_mail = true, .system.name = "left"});
	ward_assert_ok(ward_guests_start(ward_kit_system(f->kit), NULL, NULL));
	if (!here)
		join_right(f);
	script_spawn(f->kit, &f->g);
	ward_kit_advance(f->kit, 100);
	journal_clear();
	ward_kit_forget_events(f->kit);
}

static void finish(struct family *f)
{
	if (other.loop != NULL)
		ward_loop_finish(other.loop);
	if (other.right != NULL)
		ward_kit_finish(other.right);
	script_finish(f->kit);
}

static ward_result say(ward_self *self, void *arg)
{
	struct script_word word = script_word("hi", &(struct script_word){0});

	ward_select_send(self, arg, &ward_type_script_word, &word, sizeof word);
	return WARD_DONE;
}

/* In the name of that actor, or of nobody. */
static void select_hi(struct family *f, ward_kit *kit, const struct script *from, const char *path)
{
	journal_clear();
	if (from != NULL) {
		script_do(kit, from->ref, say, (void *)(uintptr_t)path);
	} else {
		struct script_word word = script_word("hi", &(struct script_word){0});

		ward_system_select_send(ward_kit_system(kit), path, &ward_type_script_word, &word,
					sizeof word);
	}
	ward_kit_run(f->kit);
	ward_kit_advance(f->kit, 100);
}

static void check_got(struct family *f, const char *path, const char *names)
{
	const struct script *all[] = {&f->g, &f->p, &f->a, &f->b, &f->c};

	for (size_t i = 0; i < 5; i++)
		if (strcmp(journal_of(all[i]->name), strchr(names, *all[i]->name) ? "hi" : "") != 0)
			ward_test_fail(__FILE__, __LINE__, "\"%s\": %s", path, journal_text());
}

static size_t dead_letters(const struct family *f)
{
	size_t count = ward_kit_count(f->kit, WARD_EVENT_DEAD_LETTER, "*");

	return count +
	       (other.right == NULL ? 0 : ward_kit_count(other.right, WARD_EVENT_DEAD_LETTER, "*"));
}

struct row {
	const char *path, *got;
	size_t letters;
};

static void check_rows(struct family *f, ward_kit *kit, const struct script *from,
		       const struct row *rows)
{
	for (; rows->path != NULL; rows++) {
		size_t before = dead_letters(f);

		select_hi(f, kit, from, rows->path);
		check_got(f, rows->path, rows->got);
		ward_assert_eq(dead_letters(f) - before, rows->letters);
	}
}

WARD_TEST(path_through_a_stand_in_goes_on_below_its_guest, "S194")
{
	static const struct row outside[] = {
		{"/user/g/p/a/c", "c", 0},
		{"/user/g/p/a/*", "c", 0},
		{"/user/g/p/*/c", "c", 0},
		{"/user/g/p/a/c/..", "a", 0},
		{"/user/g/p/a/z", "", 1},
		{"/user/g/p/**", "abc", 0},
		{"/user/g/p/?/z", "", 0}, /* a miss after a fan-out is silent, also there */
		{"/user/g/p/b/../a", "a", 0},
		{"/user/g/p/a/..", "p", 0},
		{NULL, NULL, 0},
	};
	static const struct row of_p[] = {{"a/c", "c", 0}, {"a/c/../..", "p", 0}, {NULL, NULL, 0}};

	for (int here = 0; here < 2; here++) {
		struct family f = FAMILY;

		begin(&f, here);
		check_rows(&f, f.kit, NULL, outside);
		check_rows(&f, f.kit, &f.p, of_p);
		finish(&f);
	}
}

WARD_TEST(path_up_from_a_guest_goes_on_at_the_parent_of_its_stand_in, "S194")
{
	static const struct row of_a[] = {
		{"..", "p", 0},    {"../b", "b", 0}, {"../a", "a", 0},      {"../..", "g", 0},
		{"../?", "ab", 0}, {"../z", "", 1},  {"c", "c", 0},         {"../a/c", "c", 0},
		{"c/..", "a", 0},  {".", "a", 0},    {"../../p/b", "b", 0}, {NULL, NULL, 0},
	};
	static const struct row of_c[] = {
		{"..", "a", 0}, {"../..", "p", 0}, {"../../b", "b", 0}, {NULL, NULL, 0}};

	for (int here = 0; here < 2; here++) {
		struct family f = FAMILY;

		begin(&f, here);
		check_rows(&f, f.kit, &f.a, of_a);
		check_rows(&f, here ? f.kit : other.right, &f.c, of_c);
		finish(&f);
	}
}

WARD_TEST(path_through_a_stand_in_is_unreached_while_its_node_is, "S194")
{
	struct family f = FAMILY;

	begin(&f, false);
	ward_loop_cut_one_way(other.loop, "left", "right");
	ward_loop_cut_one_way(other.loop, "right", "left");
	ward_loop_reset(other.loop, "left", "right");
	ward_kit_run(f.kit);
	select_hi(&f, f.kit, NULL, "/user/g/p/a/c");
	check_got(&f, "/user/g/p/a/c", "");
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_eq(event->reason, WARD_REASON_UNREACHED);
	ward_assert_part(event->path, "ward://right/#");
	ward_assert_part(event->path, "/c");
	finish(&f);
}

WARD_TEST_MAIN
