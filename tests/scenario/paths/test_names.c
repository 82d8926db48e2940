/* SPDX-License-Identifier: MIT
 *
 * test_names.c - names of actors, and how long they are taken (S54-S56).
 *
 * Method: spawns that must be refused, with their codes and texts; then the same name again.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "blocking_drop.h"
#include "cell/path.h"
#include "cell/system.h"
#include "support/family_tree.h"

/* ---- S54: unique and reserved ------------------------------------------------------------ */

static ward_result spawn_duplicate(ward_self *self, void *arg)
{
	struct script *twin = arg;
	ward_ref ref = ward_nobody();
	ward_assert_err(ward_try_spawn(self, script_props(twin), &ref), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), twin->name);
	ward_assert(ward_ref_is_nobody(ref));
	journal_note("refused");
	return WARD_DONE;
}

WARD_TEST(name_is_unique_among_siblings_only, "S54")
{
	struct family f = FAMILY;
	struct script other_a = {.name = "a"};
	f.b.children[0] = &other_a;
	family_start(&f);
	ward_assert(ward_kit_is_alive(f.kit, other_a.ref));
	script_do(f.kit, f.p.ref, spawn_duplicate, &f.a);
	ward_kit_run(f.kit);
	assert_journal("refused");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(name_at_the_top_is_unique, "S54")
{
	struct family f = FAMILY;
	struct script other_g = {.name = "g"};
	family_start(&f);
	ward_ref ref = ward_nobody();
	ward_assert_err(ward_system_spawn(ward_kit_system(f.kit), script_props(&other_g), &ref),
			WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "\"g\"");
	ward_assert(ward_ref_is_nobody(ref));
	script_finish(f.kit);
}

static ward_result stop_and_spawn(ward_self *self, void *arg)
{
	struct script *child = arg;
	ward_stop(self, child->ref);
	return spawn_duplicate(self, child);
}

WARD_TEST(name_stays_taken_until_the_parent_knows_of_the_end, "S54")
{
	WARD_TEST_SEEDS(20)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.p.ref, stop_and_spawn, &f.a);
		ward_kit_run(f.kit);
		assert_journal("refused;a:post_stop");
		script_finish(f.kit);
	}
}

static ward_result spawn_whatever_comes(ward_self *self, void *arg)
{
	struct script *child = arg;
	bool held = !ward_ref_is_nobody(ward_child(self, child->name));
	ward_assert_err(script_spawn_child(self, child), held ? WARD_EEXIST : WARD_OK);
	journal_note(held ? "held" : "free");
	return WARD_DONE;
}

WARD_TEST(name_stays_taken_while_the_child_waits_for_its_own_children, "S54")
{
	size_t held = 0;
	WARD_TEST_SEEDS(20)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		family_start(&f);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_STOPPING);
		script_do(f.kit, f.p.ref, spawn_whatever_comes, &f.a);
		ward_kit_run(f.kit);
		ward_assert(strstr(journal_text(), "held") != NULL ||
			    noted_before("a:post_stop", "free"));
		held += strstr(journal_text(), "held") != NULL;
		script_finish(f.kit);
	}
	ward_assert_seen(held);
}

static ward_result spawn_when_it_is_gone(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	struct script *child = script_of(self)->arg;
	if (gone == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_equal(gone->who, child->ref));
	ward_assert_ok(script_spawn_child(self, child));
	return WARD_DONE;
}

WARD_TEST(name_is_free_when_the_watching_parent_is_told, "S54", "S65")
{
	WARD_TEST_SEEDS(20)
	{
		struct family f = FAMILY;
		f.p.watches_children = true;
		f.p.receive = spawn_when_it_is_gone;
		f.p.arg = &f.a;
		family_start(&f);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_run(f.kit);
		assert_journal("a:post_stop;a:init;a:pre_start");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

struct number {
	int value;
};
WARD_MESSAGE(number);

static ward_result do_nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static const ward_behavior counting = {
	.name = "counting", .args = &ward_type_number, .receive = do_nothing};

static ward_result spawn_wrongly_then_rightly(ward_self *self, void *arg)
{
	(void)arg;
	static const ward_strategy window_only = {.otherwise = WARD_RESTART, .window_ms = 5};
	const struct number one = {1};
	ward_props props = {.behavior = &counting, .name = "x", .args = {WARD_COPY(number, &one)}};
	ward_ref ref = ward_nobody();

	props.dispatcher = "no such pool";
	ward_assert_err(ward_try_spawn(self, &props, &ref), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "no such pool");
	props.dispatcher = NULL;
	props.args.size = 1;
	ward_assert_err(ward_try_spawn(self, &props, &ref), WARD_ESIZE);
	props.args.size = sizeof one;
	props.child_strategy = &window_only;
	ward_assert_err(ward_try_spawn(self, &props, &ref), WARD_EINVAL);
	props.child_strategy = NULL;
	ward_assert(ward_ref_is_nobody(ref));
	ward_assert(ward_ref_is_nobody(ward_child(self, "x")));

	ward_assert_ok(ward_try_spawn(self, &props, &ref));
	ward_assert(ward_ref_equal(ward_child(self, "x"), ref));
	journal_note("made");
	return WARD_DONE;
}

WARD_TEST(refused_spawn_leaves_the_name_free, "S54")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.p.ref, spawn_wrongly_then_rightly, NULL);
	ward_kit_run(f.kit);
	assert_journal("made");
	script_finish(f.kit);
}

struct scarcity {
	ward_kit *kit;
	uint64_t fail_allocation;
	ward_err err;
};

static ward_result spawn_short_of_memory(ward_self *self, void *arg)
{
	struct scarcity *scarcity = arg;
	const struct number one = {1};
	const ward_props props = {
		.behavior = &counting, .name = "x", .args = {WARD_COPY(number, &one)}};
	ward_ref ref = ward_nobody();
	ward_kit_fail_allocation(scarcity->kit, scarcity->fail_allocation);
	scarcity->err = ward_try_spawn(self, &props, &ref);
	ward_kit_fail_allocation(scarcity->kit, 0);
	ward_assert_eq(ward_ref_is_nobody(ref), scarcity->err != WARD_OK);
	ward_assert_eq(ward_ref_is_nobody(ward_child(self, "x")), scarcity->err != WARD_OK);
	if (scarcity->err != WARD_OK)
		ward_assert_ok(ward_try_spawn(self, &props, &ref));
	return WARD_DONE;
}

WARD_TEST(spawn_without_memory_leaves_the_name_free, "S54")
{
	/* Each allocation of a first spawn fails in turn; what was taken before it is given back,
	 * and the next spawn has the name. */
	struct scarcity scarcity = {.err = WARD_ENOMEM};
	while (scarcity.err != WARD_OK) {
		struct family f = FAMILY;
		scarcity.fail_allocation++;
		family_start(&f);
		scarcity.kit = f.kit;
		script_do(f.kit, f.a.ref, spawn_short_of_memory, &scarcity);
		ward_kit_run(f.kit);
		ward_assert(scarcity.err == WARD_OK || scarcity.err == WARD_ENOMEM);
		script_finish(f.kit);
	}
	ward_assert(scarcity.fail_allocation > 4);
}

enum { RIVALS = 8, RACES = 50 };

struct race {
	ward_system *system;
	char name[16];
	pthread_barrier_t start;
	atomic_int won, lost;
};

static void *compete(void *arg)
{
	struct race *race = arg;
	const struct number one = {1};
	pthread_barrier_wait(&race->start);
	ward_err err = ward_system_spawn(
		race->system,
		WARD_PROPS(&counting, .name = race->name, .args = {WARD_COPY(number, &one)}), NULL);
	ward_assert(err == WARD_OK || err == WARD_EEXIST);
	atomic_fetch_add(err == WARD_OK ? &race->won : &race->lost, 1);
	return NULL;
}

WARD_TEST(one_of_concurrent_spawns_of_a_name_wins, "S54")
{
	struct race race = {0};
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 2});
	race.system = ward_kit_system(kit);
	ward_assert_eq(pthread_barrier_init(&race.start, NULL, RIVALS), 0);
	for (int i = 0; i < RACES; i++) {
		pthread_t rivals[RIVALS];
		snprintf(race.name, sizeof(race.name), "only%d", i);
		atomic_store(&race.won, 0);
		atomic_store(&race.lost, 0);
		for (int k = 0; k < RIVALS; k++)
			ward_assert_eq(pthread_create(&rivals[k], NULL, compete, &race), 0);
		for (int k = 0; k < RIVALS; k++)
			ward_assert_eq(pthread_join(rivals[k], NULL), 0);
		ward_assert_eq(atomic_load(&race.won), 1);
		ward_assert_eq(atomic_load(&race.lost), RIVALS - 1);
	}
	pthread_barrier_destroy(&race.start);
	ward_kit_finish(kit);
}

/* It leaves a message behind, at which its end is held up. */
static ward_result end_with_mail(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_self_ref(self), burden, 1);
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior brief = {
	.name = "brief", .receive = do_nothing, .pre_start = end_with_mail};
static const ward_behavior lasting = {.name = "lasting", .receive = do_nothing};

WARD_TEST(name_is_free_for_who_was_told_before_the_parent, "S54", "S62")
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 2});
	ward_system *system = ward_kit_system(kit);
	ward_props props = {.behavior = &brief, .name = "x"};
	ward_ref old, new, found = ward_nobody();

	ward_kit_on_cut(kit, let_go, NULL);
	ward_assert_ok(ward_system_spawn(system, &props, &old));
	await_ends(1);
	ward_assert_ok(ward_system_wait_for(system, old, 0));
	props.behavior = &lasting;
	ward_assert_ok(ward_system_spawn(system, &props, &new));
	ward_assert_ok(ward_system_resolve(system, "/user/x", WARD_MINUTE, &found));
	ward_assert(ward_ref_equal(found, new));

	/* Now the parent is notified of the first one, too. */
	uint64_t actors = ward_kit_stats(kit).actors;
	let_go(NULL);
	while (ward_kit_stats(kit).actors == actors)
		sched_yield();
	ward_assert_ok(ward_system_resolve(system, "/user/x", WARD_MINUTE, &found));
	ward_assert(ward_ref_equal(found, new));
	ward_assert_err(ward_system_spawn(system, &props, NULL), WARD_EEXIST);
	ward_assert_part(ward_err_detail(),
			 "has a child \"x\" already: give this one another .name, or stop that "
			 "one first and wait for its end");
	ward_kit_finish(kit);
}

/* ---- S55: what a name may be ------------------------------------------------------------- */

static ward_err try_name(ward_kit *kit, const char *name)
{
	const struct number one = {1};
	return ward_system_spawn(
		ward_kit_system(kit),
		WARD_PROPS(&counting, .name = name, .args = {WARD_COPY(number, &one)}), NULL);
}

WARD_TEST(valid_names, "S55")
{
	ward_kit *kit = script_start(NULL);
	const char *valid[] = {"a",
			       "Z",
			       "0",
			       "-",
			       "_",
			       "...",
			       ".a",
			       "a..",
			       "a$",
			       "+",
			       ":",
			       "@",
			       "&",
			       "=",
			       ",",
			       "!",
			       "~",
			       "'",
			       ";",
			       "%20",
			       "a%fFz",
			       "%2F",
			       "a-b_c.d$e$f+g:h@i&j=k,l!m~n'o;p"};
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		ward_assert_ok(try_name(kit, valid[i]));
	script_finish(kit);
}

/* Who takes such a name is there, and is found by others. */
WARD_TEST(invalid_names_are_refused, "S55")
{
	ward_kit *kit = script_start(NULL);
	const char *invalid[] = {"",   "$",  "$a",  "a$1", "?",        "a?",  "/",     "a/b",
				 "#",  " ",  "a b", "\"",  "\xc3\xa9", "<",   "(",     "[",
				 "\\", "\n", "%",   "a%",  "%4",       "%4g", "a%zzb", "\x7f",
				 ".",  "..", "*",   "**",  "a*",       "*a",  "a*b"};
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		if (try_name(kit, invalid[i]) != WARD_ENAME)
			ward_test_fail(__FILE__, __LINE__, "\"%s\" is taken for a name",
				       invalid[i]);
	}
	script_finish(kit);
}

WARD_TEST(refused_name_comes_with_character_and_position, "S55")
{
	ward_kit *kit = script_start(NULL);
	ward_assert_err(try_name(kit, "abcdefg?h"), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "abcdefg?h");
	ward_assert_part(ward_err_detail(), "0x3f");
	ward_assert_part(ward_err_detail(), "position 7");
	ward_assert_err(try_name(kit, "ab%4"), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "position 2");
	ward_assert_err(try_name(kit, "$mine"), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "'$'");
	script_finish(kit);
}

WARD_TEST(names_of_systems, "S55")
{
	const char *valid[] = {"a", "Ward-2_x", "9"};
	const char *invalid[] = {"", "-a", "_a", "a b", "a.b", "a/b", "\xc3\xa9"};
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		ward_kit_finish(ward_kit_start(&(ward_kit_options){.system.name = valid[i]}));
	}
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		ward_kit *kit = NULL;
		ward_assert_err(
			ward_kit_try_start(&(ward_kit_options){.system.name = invalid[i]}, &kit),
			WARD_ENAME);
		ward_assert(kit == NULL);
	}
}

/* ---- S56: generated names ---------------------------------------------------------------- */

static ward_result spawn_nameless(ward_self *self, void *arg)
{
	const struct number one = {1};
	ward_assert_ok(ward_try_spawn(
		self, WARD_PROPS(&counting, .args = {WARD_COPY(number, &one)}), arg));
	return WARD_DONE;
}

static const char *path_of(ward_kit *kit, ward_ref ref)
{
	static char path[WARD_EVENT_PATH];
	ward_kit_path(kit, ref, path);
	return path;
}

WARD_TEST(generated_names_are_each_parents_own_and_never_used_again, "S56")
{
	struct family f = FAMILY;
	ward_ref refs[70], other;
	family_start(&f);
	for (int i = 0; i < 66; i++)
		script_do(f.kit, f.p.ref, spawn_nameless, &refs[i]);
	script_do(f.kit, f.a.ref, spawn_nameless, &other);
	ward_kit_run(f.kit);
	ward_assert_str(path_of(f.kit, refs[0]), "sim/user/g/p/counting$1");
	ward_assert_str(path_of(f.kit, refs[63]), "sim/user/g/p/counting$64");
	ward_assert_str(path_of(f.kit, refs[64]), "sim/user/g/p/counting$65");
	ward_assert_str(path_of(f.kit, other), "sim/user/g/p/a/counting$1");

	ward_system_stop(ward_kit_system(f.kit), refs[0]);
	ward_system_stop(ward_kit_system(f.kit), refs[65]);
	ward_kit_run(f.kit);
	script_do(f.kit, f.p.ref, spawn_nameless, &refs[66]);
	ward_kit_run(f.kit);
	ward_assert_str(path_of(f.kit, refs[66]), "sim/user/g/p/counting$67");
	script_finish(f.kit);
}

WARD_TEST_MAIN
