/* SPDX-License-Identifier: MIT
 *
 * test_paths.c - refs, uids and paths over the life of an actor (S57).
 *
 * Method: a family; refs and paths are compared before and after a restart, a stop, and a second
 * actor of the same name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/simulation.h>

#include "cell/system.h"
#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static const char *path_of(ward_kit *kit, ward_ref ref)
{
	static char path[2048];
	size_t length = ward_system_path(ward_kit_system(kit), ref, path, sizeof(path));
	ward_assert_eq(length, strlen(path));
	return path;
}

/* By which the test knows it, wherever it lives. */
static const char *known_path_of(const ward_kit *kit, ward_ref ref)
{
	static char path[WARD_EVENT_PATH];
	ward_kit_path(kit, ref, path);
	return path;
}

WARD_TEST(path_names_system_guardian_and_all_parents, "S57")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_assert_str(path_of(f.kit, f.g.ref), "sim/user/g");
	ward_assert_str(path_of(f.kit, f.a.ref), "sim/user/g/p/a");
	/* Cut where the buffer ends, with the length of the whole. */
	char cut[8];
	ward_assert_eq(ward_system_path(ward_kit_system(f.kit), f.a.ref, cut, sizeof(cut)),
		       strlen("sim/user/g/p/a"));
	ward_assert_str(cut, "sim/use");
	ward_assert_eq(ward_system_path(ward_kit_system(f.kit), f.a.ref, NULL, 0),
		       strlen("sim/user/g/p/a"));
	script_finish(f.kit);
}

WARD_TEST(restart_keeps_ref_and_path, "S57", "S44")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_ref before = f.a.ref;
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert(ward_kit_is_alive(f.kit, before));
	ward_assert_str(known_path_of(f.kit, before), "sim/user/g/p/a");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static ward_result spawn(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(actor_of_the_same_name_has_the_same_path_and_another_ref, "S57")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_ref old = f.a.ref;
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	script_do(f.kit, f.p.ref, spawn, &f.a);
	ward_kit_run(f.kit);
	ward_assert(!ward_ref_equal(old, f.a.ref));
	ward_assert_str(known_path_of(f.kit, f.a.ref), "sim/user/g/p/a");
	/* What is sent to the first life does not reach the second. */
	journal_clear();
	ward_kit_forget_events(f.kit);
	script_say(f.kit, old, "for the old one");
	ward_kit_run(f.kit);
	assert_journal("");
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_DEAD);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(refs_never_come_back_over_many_lives, "S57")
{
	enum { LIVES = 300 };
	static ward_ref refs[LIVES];
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	family_start(&f);
	for (int i = 0; i < LIVES; i++) {
		script_do(f.kit, f.p.ref, spawn, &d);
		ward_kit_run(f.kit);
		refs[i] = d.ref;
		for (int k = 0; k < i; k++)
			ward_assert(!ward_ref_equal(refs[k], refs[i]));
		ward_system_stop(ward_kit_system(f.kit), d.ref);
		ward_kit_run(f.kit);
	}
	script_finish(f.kit);
}

static ward_result look_for_children(ward_self *self, void *arg)
{
	struct script *child = arg;
	ward_assert(ward_ref_is_nobody(ward_child(self, child->name)));
	ward_assert_ok(script_spawn_child(self, child));
	ward_assert(ward_ref_equal(ward_child(self, child->name), child->ref));
	ward_assert(ward_ref_is_nobody(ward_child(self, "nobody")));
	ward_ref nameless = ward_nobody(), refs[8];
	static const ward_behavior idle = {.name = "idle", .reserved = {1}};
	ward_assert_err(ward_try_spawn(self, WARD_PROPS(&idle, .name = "e"), &nameless),
			WARD_EINVAL);
	ward_assert(ward_ref_is_nobody(ward_child(self, "e")));
	ward_assert_eq(ward_children(self, refs, 8), 4);
	ward_assert(ward_ref_equal(refs[3], child->ref));
	ward_assert_str(script_name(refs[0]), "a");
	return WARD_DONE;
}

WARD_TEST(child_is_found_by_name_from_its_spawn_on, "S57")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	family_start(&f);
	script_do(f.kit, f.p.ref, look_for_children, &d);
	ward_kit_run(f.kit);
	assert_journal("d:init;d:pre_start");
	script_finish(f.kit);
}

WARD_TEST(stale_ref_reads_as_a_question_mark_and_its_uid, "S57")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	char wanted[64];
	snprintf(wanted, sizeof(wanted), "?#%" PRIx64, f.a.ref.uid);
	ward_assert_str(path_of(f.kit, f.a.ref), wanted);
	ward_assert(!ward_kit_is_alive(f.kit, f.a.ref));
	script_finish(f.kit);
}

WARD_TEST(dead_letters_keep_the_path_while_the_name_is_held, "S57", "S49")
{
	struct family f = FAMILY;
	family_start(&f);
	script_say(f.kit, f.a.ref, "unread");
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	const ward_event *unread = ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_str(unread->path, "sim/user/g/p/a");
	ward_assert(ward_ref_equal(unread->subject, f.a.ref));

	script_say(f.kit, f.a.ref, "too late");
	ward_kit_run(f.kit);
	const ward_event *late = ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", 1);
	ward_assert(strncmp(late->path, "?#", 2) == 0);
	ward_assert(ward_ref_equal(late->subject, f.a.ref));
	script_finish(f.kit);
}

WARD_TEST(refs_of_nobody_and_of_another_system_are_harmless, "S57")
{
	ward_kit *kit = script_start(NULL);
	ward_ref foreign = ward_ref_at(77, WARD_REF_ACTOR, 1);
	ward_assert_str(path_of(kit, ward_nobody()), "nobody");
	ward_assert(!ward_kit_is_alive(kit, ward_nobody()));
	ward_assert(!ward_kit_is_alive(kit, foreign));
	script_say(kit, ward_nobody(), "hello");
	script_say(kit, foreign, "hello");
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 2);
	script_finish(kit);
}

/* Six levels below /user, each with a name of `width` bytes. */
static void nest(ward_kit *kit, struct script *levels, char (*names)[64], int width)
{
	for (int i = 0; i < 6; i++) {
		memset(names[i], 'a' + i, (size_t)width);
		names[i][width] = '\0';
		levels[i] = (struct script){.name = names[i]};
		if (i > 0)
			levels[i - 1].children[0] = &levels[i];
	}
	script_spawn(kit, &levels[0]);
	ward_kit_run(kit);
}

WARD_TEST(path_that_an_event_has_no_room_for_is_cut_at_its_front, "S57")
{
	/* 6 names and slashes behind "sim/user" make 182, 188, 194 and so on: less than the room of
	 * 192 with its end, and more. */
	for (int width = 28; width <= 40; width++) {
		ward_kit *kit = script_start(NULL);
		struct script levels[6];
		char names[6][64];
		nest(kit, levels, names, width);
		const char *whole = path_of(kit, levels[5].ref);
		ward_kit_forget_events(kit);
		script_break(kit, levels[5].ref, &bad_luck);
		ward_kit_run(kit);

		const char *told = ward_kit_event(kit, WARD_EVENT_FAILURE, "*", 0)->path;
		if (strlen(whole) < WARD_EVENT_PATH) {
			ward_assert_str(told, whole);
		} else {
			ward_assert_eq(strlen(told), WARD_EVENT_PATH - 1);
			ward_assert(strncmp(told, "...", 3) == 0);
			ward_assert_str(told + 3, whole + strlen(whole) - (WARD_EVENT_PATH - 4));
		}
		script_finish(kit);
	}
}

WARD_TEST(path_of_just_the_room_of_an_event_is_whole_and_one_more_is_cut, "S57")
{
	for (int more = 0; more <= 1; more++) {
		ward_kit *kit = script_start(NULL);
		struct script levels[6];
		char names[6][64];
		char last[64];
		nest(kit, levels, names, 20);
		size_t length = strlen(path_of(kit, levels[5].ref)) + 1;
		size_t rest = WARD_EVENT_PATH - 1 - length + (size_t)more;
		ward_assert(rest < sizeof(last));
		memset(last, 'x', rest);
		last[rest] = '\0';
		struct script leaf = {.name = last};
		script_do(kit, levels[5].ref, spawn, &leaf);
		ward_kit_run(kit);
		ward_kit_forget_events(kit);
		script_break(kit, leaf.ref, &bad_luck);
		ward_kit_run(kit);

		const char *told = ward_kit_event(kit, WARD_EVENT_FAILURE, "*", 0)->path;
		ward_assert_eq(strlen(told), WARD_EVENT_PATH - 1);
		ward_assert_eq(strncmp(told, "...", 3) == 0, more == 1);
		script_finish(kit);
	}
}

static ward_result find_nameless_children(ward_self *self, void *arg)
{
	static const ward_behavior idle = {.name = "idle", .receive = ignore};
	ward_ref *ref = arg;
	char path[256];
	size_t length;

	for (int i = 0; i < 3; i++)
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&idle), &ref[i]));
	for (int i = 0; i < 3; i++) {
		length = ward_system_path(ward_self_system(self), ref[i], path, sizeof(path));
		ward_assert(length < sizeof(path));
		ward_assert(ward_ref_equal(ward_child(self, strrchr(path, '/') + 1), ref[i]));
	}
	ward_assert(ward_ref_is_nobody(ward_child(self, "$nobody")));
	ward_assert(ward_ref_is_nobody(ward_child(self, "")));
	ward_assert(ward_ref_is_nobody(ward_child(self, NULL)));
	return WARD_DONE;
}

WARD_TEST(child_is_found_by_the_name_that_was_made_for_it, "S56")
{
	ward_kit *kit = script_start(NULL);
	struct script parent = {.name = "p"};
	ward_ref ref[3] = {{0}};
	script_spawn(kit, &parent);
	script_do(kit, parent.ref, find_nameless_children, ref);
	ward_kit_run(kit);
	ward_assert(!ward_ref_is_nobody(ref[2]));
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(kit);
}

WARD_TEST(path_of_a_system_with_a_name_of_one_byte_is_whole, "S57")
{
	const ward_simulation driver = {.choose = NULL};
	ward_system *system;
	char path[16];
	ward_assert_ok(
		ward_system_create(&(ward_options){.name = "s", .simulation = &driver}, &system));
	ward_assert_eq(ward_system_path(system, system->user, path, sizeof(path)), 6);
	ward_assert_str(path, "s/user");
	ward_assert_eq(ward_system_path(system, system->root, path, sizeof(path)), 2);
	ward_assert_str(path, "s/");
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

WARD_TEST_MAIN
