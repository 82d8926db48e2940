/* SPDX-License-Identifier: MIT
 *
 * test_spawn.c - spawns that are refused, each with a code and a text, and with nothing left
 * behind; systems that are not created (S52, S55, S72, S80).
 *
 * Method: tables of wrong props. Each is tried from inside an actor and from a thread outside, and
 * the memory is the same before and after.
 */
#include <string.h>

#include "cell/path.h"
#include "cell/system.h"
#include "support/script.h"

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

struct text {
	char bytes[8];
};
WARD_MESSAGE(text);

static void drop_owned(void *body)
{
	(void)body;
}

static ward_err refuse_clone(void *to, const void *from)
{
	(void)to;
	(void)from;
	return WARD_ENOMEM;
}

static const ward_type owned = {.name = "owned", .size = 8, .drop = drop_owned};
static const ward_type short_text = {.name = "text", .size = 4};
static const ward_type varying = {.name = "varying", .size = 4, .size_max = 16};
static const ward_type unclonable = {
	.name = "unclonable", .size = 8, .drop = drop_owned, .clone = refuse_clone};
static const ward_failure_class rootless = {.name = "rootless"};
static const ward_failure_class nameless = {.parent = &ward_exception};

static const ward_behavior plain = {.name = "plain", .receive = ignore};
static const ward_behavior takes_text = {
	.name = "takes_text", .receive = ignore, .args = &ward_type_text};
static const ward_behavior takes_owned = {.name = "takes_owned", .receive = ignore, .args = &owned};
static const ward_behavior takes_varying = {
	.name = "takes_varying", .receive = ignore, .args = &varying};
static const ward_behavior takes_unclonable = {
	.name = "takes_unclonable", .receive = ignore, .args = &unclonable};
static const ward_behavior no_name = {.receive = ignore};
static const ward_behavior reserved = {.name = "reserved", .receive = ignore, .reserved = {0, 1}};

static const ward_strategy window_alone = {.window_ms = 1000};
static const ward_strategy negative = {.restarts_max = -2};
static const ward_strategy no_scope = {.scope = (ward_scope)2};
static const ward_strategy no_directive = {.otherwise = (ward_directive)7};
static const ward_strategy undecided_rule = {.rules = {{&ward_exception, WARD_UNDECIDED}}};
static const ward_strategy later_rule = {.rules = {{&ward_exception, WARD_LATER}}};
static const ward_strategy later_otherwise = {.otherwise = WARD_LATER};
static const ward_strategy wild_rule = {.rules = {{&ward_exception, (ward_directive)9}}};
/* One class in two descriptors, as of a header that two files include. */
static const ward_failure_class twin = {.name = "twin", .parent = &ward_exception};
static const ward_failure_class same_twin = {.name = "twin", .parent = &ward_exception};
static const ward_failure_class nephew = {.name = "twin", .parent = &twin};
static const ward_strategy twin_rules = {
	.rules = {{&twin, WARD_STOP}, {&nephew, WARD_STOP}, {&same_twin, WARD_RESTART}}};
static const ward_strategy rootless_rule = {.rules = {{&rootless, WARD_STOP}}};
static const ward_strategy nameless_rule = {.rules = {{&nameless, WARD_STOP}}};
static const ward_strategy reserved_strategy = {.reserved = {0, 0, 1}};
static const ward_behavior bad_strategy = {
	.name = "bad_strategy", .receive = ignore, .child_strategy = &window_alone};

static const struct wrong {
	ward_err err;
	const char *part; /* of the detail */
	ward_props props;
} wrongs[] = {
	{WARD_EINVAL, "props.behavior is NULL", {0}},
	{WARD_EINVAL, "no name", {.behavior = &no_name}},
	{WARD_EINVAL, "reserved", {.behavior = &reserved}},
	{WARD_EINVAL, "reserved", {.behavior = &plain, .reserved = {1}}},
	/* names: see also test_names.c */
	{WARD_ENAME, "empty", {.behavior = &plain, .name = ""}},
	{WARD_ENAME, "$", {.behavior = &plain, .name = "$a"}},
	{WARD_ENAME, "'$' and a number", {.behavior = &plain, .name = "a$1"}},
	{WARD_ENAME, "position 1", {.behavior = &plain, .name = "a/b"}},
	{WARD_ENAME, "0xc3", {.behavior = &plain, .name = "\xc3\xa4"}},
	{WARD_EEXIST,
	 "child \"taken\" already: give this one another .name, or stop that one first",
	 {.behavior = &plain, .name = "taken"}},
	/* mailboxes */
	{WARD_EINVAL,
	 "overflow",
	 {.behavior = &plain, .mailbox = {.messages_max = 5, .overflow = (ward_overflow)4}}},
	{WARD_EINVAL, "props.mailbox", {.behavior = &plain, .mailbox = {.reserved = {0, 1}}}},
	{WARD_EINVAL,
	 "messages_max",
	 {.behavior = &plain, .mailbox = {.counted = true, .overflow = WARD_OVERFLOW_HOLD_SENDER}}},
	{WARD_EINVAL,
	 "messages_max",
	 {.behavior = &plain, .mailbox = {.overflow = WARD_OVERFLOW_DROP_OLDEST}}},
	/* dispatchers */
	{WARD_ENOENT, "nowhere", {.behavior = &plain, .dispatcher = "nowhere"}},
	{WARD_ENOENT, "", {.behavior = &plain, .dispatcher = ""}},
	/* arguments */
	{WARD_EINVAL,
	 "plain takes no arguments, but got a \"text\": leave .args out, or declare them where it "
	 "is "
	 "defined, by .args = &ward_type_text",
	 {.behavior = &plain, .args = WARD_ARGS(text, "x")}},
	{WARD_EINVAL,
	 "plain takes no arguments, but got some, without a type: leave .args out",
	 {.behavior = &plain, .args = {NULL, "1234567", 8}}},
	{WARD_ESIZE,
	 "takes_text: arguments of 3 bytes are not a \"text\", which has 8",
	 {.behavior = &takes_text, .args = {&ward_type_text, "x", 3}}},
	{WARD_ESIZE,
	 "takes_text: arguments of 8 bytes, at NULL",
	 {.behavior = &takes_text, .args = {&ward_type_text, NULL, 8}}},
	{WARD_EINVAL,
	 "takes_text needs arguments: write .args = WARD_ARGS(text, ...)",
	 {.behavior = &takes_text}},
	{WARD_EINVAL,
	 "takes_text needs arguments: write",
	 {.behavior = &takes_text, .args = {NULL, "1234567", 8}}},
	{WARD_EINVAL,
	 "takes_text takes arguments of type \"text\", but got \"owned\": write "
	 ".args = WARD_ARGS(text, ...)",
	 {.behavior = &takes_text, .args = {&owned, "1234567", 8}}},
	{WARD_EINVAL,
	 "takes_text takes a \"text\" of 8 bytes, but got another type of that name, of 4",
	 {.behavior = &takes_text, .args = {&short_text, "123", 4}}},
	{WARD_ESIZE, "has 4 at least", {.behavior = &takes_varying, .args = {&varying, "x", 17}}},
	{WARD_ESIZE, "varying", {.behavior = &takes_varying, .args = {&varying, "x", 3}}},
	{WARD_EUNIQUE,
	 "of type \"owned\", which owns things and has no clone",
	 {.behavior = &takes_owned, .args = {&owned, "1234567", 8}}},
	{WARD_ENOMEM, "", {.behavior = &takes_unclonable, .args = {&unclonable, "1234567", 8}}},
	/* strategies, of the props and of the behaviour */
	{WARD_EINVAL,
	 "child_strategy of behaviour bad_strategy: window_ms is 1000, but there is no "
	 "restarts_max",
	 {.behavior = &bad_strategy}},
	{WARD_EINVAL,
	 "props.child_strategy of \"plain\": window_ms",
	 {.behavior = &plain, .child_strategy = &window_alone}},
	{WARD_EINVAL,
	 "props.child_strategy of \"sa\": window_ms",
	 {.behavior = &plain, .name = "sa", .child_strategy = &window_alone}},
	{WARD_EINVAL, "WARD_RESTARTS_NONE", {.behavior = &plain, .child_strategy = &negative}},
	{WARD_EINVAL, "scope", {.behavior = &plain, .child_strategy = &no_scope}},
	{WARD_EINVAL,
	 "otherwise has directive 7, which is not a ward_directive",
	 {.behavior = &plain, .child_strategy = &no_directive}},
	{WARD_EINVAL,
	 "rules[0], for \"ward_exception\", has no directive",
	 {.behavior = &plain, .child_strategy = &undecided_rule}},
	{WARD_EINVAL,
	 "rules[0], for \"ward_exception\", has directive 9, which is not a ward_directive",
	 {.behavior = &plain, .child_strategy = &wild_rule}},
	{WARD_EINVAL,
	 "rules[0], for \"ward_exception\", has directive WARD_LATER, which only a decide function",
	 {.behavior = &plain, .child_strategy = &later_rule}},
	{WARD_EINVAL,
	 "otherwise has directive WARD_LATER, which only a decide function",
	 {.behavior = &plain, .child_strategy = &later_otherwise}},
	{WARD_EINVAL,
	 "rules[0] and rules[2] are both for \"twin\"",
	 {.behavior = &plain, .child_strategy = &twin_rules}},
	{WARD_EINVAL,
	 "rules[0]: failure class \"rootless\"",
	 {.behavior = &plain, .child_strategy = &rootless_rule}},
	{WARD_EINVAL, "no name", {.behavior = &plain, .child_strategy = &nameless_rule}},
	{WARD_EINVAL, "reserved", {.behavior = &plain, .child_strategy = &reserved_strategy}},
};
enum { WRONGS = sizeof(wrongs) / sizeof(wrongs[0]) };

struct attempt {
	ward_kit *kit;
	const struct wrong *wrong;
};

static void check_refused(ward_err err, const struct wrong *wrong)
{
	ward_assert_err(err, wrong->err);
	ward_assert_part(ward_err_detail(), wrong->part);
}

static ward_result spawn_wrong(ward_self *self, void *arg)
{
	const struct attempt *attempt = arg;
	uint64_t blocks = ward_kit_blocks(attempt->kit);
	ward_ref ref = ward_self_ref(self);
	check_refused(ward_try_spawn(self, &attempt->wrong->props, &ref), attempt->wrong);
	ward_assert(ward_ref_equal(ref, ward_self_ref(self))); /* untouched */
	ward_assert_eq(ward_children(self, NULL, 0), 1);
	ward_assert_eq(ward_kit_blocks(attempt->kit), blocks);
	return WARD_DONE;
}

WARD_TEST(wrong_spawn_is_refused_with_a_text_and_leaves_nothing, "S55", "S72", "S80")
{
	ward_kit *kit;
	struct script top = {.name = "taken"}, child = {.name = "taken"};
	top.children[0] = &child;
	kit = script_start(NULL);
	script_spawn(kit, &top);
	/* So that a cell for a failed try is there already, and its table of names. */
	script_spawn(kit, &(struct script){.name = "first"});
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < WRONGS; i++) {
			struct attempt attempt = {kit, &wrongs[i]};
			journal_note("%d", i);
			if (round == 0) { /* a first try may make a cell that is used again */
				ward_err err = ward_system_spawn(ward_kit_system(kit),
								 &wrongs[i].props, NULL);
				check_refused(err, &wrongs[i]);
				continue;
			}
			uint64_t blocks = ward_kit_blocks(kit);
			check_refused(
				ward_system_spawn(ward_kit_system(kit), &wrongs[i].props, NULL),
				&wrongs[i]);
			ward_assert_eq(ward_kit_blocks(kit), blocks);
			script_do(kit, top.ref, spawn_wrong, &attempt);
			ward_kit_run(kit);
		}
	}
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), NULL, NULL), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "the props are NULL");
	ward_assert_err(ward_system_spawn(NULL, NULL, NULL), WARD_EINVAL);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(ward_kit_stats(kit).spawned, 3 + 3);
	script_finish(kit);
}

WARD_TEST(name_of_a_refused_spawn_is_free_again, "S54")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_props props = *script_props(&a);
	props.dispatcher = "nowhere";
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, NULL), WARD_ENOENT);
	script_spawn(kit, &a);
	assert_journal("a:init;a:pre_start");
	script_finish(kit);
}

WARD_TEST(spawn_above_the_limit_of_actors_is_refused_until_one_is_gone)
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_kit *kit = script_start(&(ward_kit_options){.system.actors_max = 4});
	script_spawn(kit, &a);
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), script_props(&b), NULL),
			WARD_ELIMIT);
	ward_assert_part(ward_err_detail(), "all 4 actors that options.actors_max allows");
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	script_spawn(kit, &b);
	ward_assert_state(kit, b.ref, WARD_STATE_RUNNING);
	script_finish(kit);
}

WARD_TEST(spawn_without_memory_leaves_nothing)
{
	static const struct text args = {"text"};
	const ward_props props = {.behavior = &takes_text,
				  .name = "named",
				  .args = {WARD_COPY(text, &args)},
				  .mailbox = {.messages_max = 10}};
	bool spawned = false;
	for (uint64_t nth = 1; !spawned; nth++) {
		ward_kit *kit;
		ward_assert(nth < 100);
		kit = script_start(NULL);
		ward_kit_run(kit);
		ward_kit_fail_allocation(kit, nth);
		ward_err err = ward_system_spawn(ward_kit_system(kit), &props, NULL);
		ward_kit_fail_allocation(kit, 0);
		spawned = err == WARD_OK;
		if (!spawned) {
			ward_assert_err(err, WARD_ENOMEM);
			ward_assert_eq(ward_kit_stats(kit).actors, 3);
			/* The name is free, the next try works. */
			ward_assert_ok(ward_system_spawn(ward_kit_system(kit), &props, NULL));
		}
		script_finish(kit);
	}
}

/* ---- systems ----------------------------------------------------------------------------- */

static void *no_alloc(void *arg, size_t size)
{
	(void)arg;
	(void)size;
	return NULL;
}

static void no_free(void *arg, void *ptr, size_t size)
{
	(void)arg;
	(void)ptr;
	(void)size;
}

WARD_TEST(wrong_options_create_no_system)
{
	static const ward_allocator half = {.alloc = no_alloc}, other_half = {.free = no_free};
	ward_dispatcher many[66] = {{0}};
	static const ward_dispatcher idle[] = {{.name = "idle", .threads = 0}, {0}};
	static const ward_dispatcher twins[] = {
		{.name = "pool", .threads = 1}, {.name = "pool", .threads = 1}, {0}};
	static const ward_dispatcher taken[] = {{.name = "ward.mine", .threads = 1}, {0}};
	char long_name[80];
	memset(long_name, 'x', sizeof(long_name));
	long_name[79] = '\0';
	for (size_t i = 0; i < 65; i++)
		many[i] = (ward_dispatcher){.name = "many", .threads = 1};
	const struct {
		ward_err err;
		const char *part;
		ward_options options;
	} cases[] = {
		{WARD_ENAME, "0 bytes", {.name = ""}},
		{WARD_ENAME, "79 bytes", {.name = long_name}},
		{WARD_ENAME, "position 0", {.name = "-x"}},
		{WARD_ENAME, "position 1", {.name = "a.b"}},
		{WARD_ENAME, "position 2", {.name = "aZ/"}},
		{WARD_ENAME, "position 2", {.name = "09:"}},
		{WARD_ENAME, "position 2", {.name = "AZ@"}},
		{WARD_ENAME, "position 2", {.name = "az["}},
		{WARD_ENAME, "position 2", {.name = "az`"}},
		{WARD_ENAME, "position 2", {.name = "az{"}},
		{WARD_EINVAL, "actors_max", {.actors_max = UINT32_MAX}},
		{WARD_EINVAL, "log_kinds", {.log_kinds = 512}},
		{WARD_EINVAL, "allocator", {.allocator = &half}},
		{WARD_EINVAL, "allocator", {.allocator = &other_half}},
		{WARD_EINVAL, "dead_letters_logged is -3", {.dead_letters_logged = -3}},
		{WARD_EINVAL, "dead_letters_pause_ms is -1", {.dead_letters_pause_ms = -1}},
		{WARD_EINVAL, "more than 64 rows", {.dispatchers = many}},
		{WARD_EINVAL, "reserved", {.reserved = {1}}},
		{WARD_EINVAL, "options.user_strategy: window_ms", {.user_strategy = &window_alone}},
		{WARD_EINVAL, "guardians alone need 3", {.actors_max = 2}},
		{WARD_EINVAL, "idle", {.dispatchers = idle}},
		{WARD_EEXIST, "pool", {.dispatchers = twins}},
		{WARD_EEXIST, "ward.mine", {.dispatchers = taken}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ward_system *system = NULL;
		ward_assert_err(ward_system_create(&cases[i].options, &system), cases[i].err);
		ward_assert_part(ward_err_detail(), cases[i].part);
		ward_assert(system == NULL);
	}
	ward_assert_err(ward_system_create(NULL, NULL), WARD_EINVAL);
}

WARD_TEST(system_without_memory_is_not_created_and_leaves_nothing)
{
	bool created = false;
	for (uint64_t nth = 1; !created; nth++) {
		ward_kit *kit;
		ward_assert(nth < 200);
		/* ward_kit_try_start() checks that nothing is left. */
		ward_err err =
			ward_kit_try_start(&(ward_kit_options){.fail_allocation = nth}, &kit);
		created = err == WARD_OK;
		if (created)
			script_finish(kit);
		else
			ward_assert_err(err, WARD_ENOMEM);
	}
}

/* ---- looking at a system ----------------------------------------------------------------- */

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

WARD_TEST(actors_are_told_with_state_parent_and_last_failure)
{
	ward_kit *kit;
	struct script top = {.name = "top"}, child = {.name = "child"};
	ward_actor_info info;
	top.children[0] = &child;
	kit = script_start(NULL);
	script_spawn(kit, &top);
	ward_assert_eq(ward_system_actors(ward_kit_system(kit), NULL, NULL), 5);
	ward_assert(ward_kit_info(kit, child.ref, &info));
	ward_assert_str(info.state, "running");
	ward_assert_str(info.path, "sim/user/top/child");
	ward_assert(ward_ref_equal(info.parent, top.ref));
	ward_assert_eq(info.incarnation, 1);
	ward_assert_eq(info.suspended, 0);
	ward_assert_str(info.message, "");
	ward_assert_str(info.last_failure, "");
	script_break(kit, child.ref, &bad_luck);
	ward_kit_run_until_state(kit, child.ref, WARD_STATE_FAILED);
	ward_assert(ward_kit_info(kit, child.ref, &info));
	ward_assert_eq(info.suspended, 1);
	ward_assert_str(info.last_failure, "bad_luck: break");
	ward_kit_run(kit);
	ward_assert(ward_kit_info(kit, child.ref, &info));
	ward_assert_eq(info.incarnation, 2);
	ward_assert_str(info.last_failure, "bad_luck: break");
	ward_system_stop(ward_kit_system(kit), top.ref);
	ward_kit_run(kit);
	ward_assert_eq(ward_system_actors(ward_kit_system(kit), NULL, NULL), 3);
	ward_assert(!ward_kit_info(kit, child.ref, &info));
	script_finish(kit);
}

struct look {
	ward_kit *kit;
	char message[WARD_EVENT_NAME];
};

static ward_result look_at_oneself(ward_self *self, void *arg)
{
	struct look *look = arg;
	ward_actor_info info;
	ward_assert(ward_kit_info(look->kit, ward_self_ref(self), &info));
	strcpy(look->message, info.message);
	return WARD_DONE;
}

WARD_TEST(message_under_way_is_told_by_its_type)
{
	ward_kit *kit = script_start(NULL);
	struct script a = {.name = "a"};
	struct look look = {kit, ""};
	script_spawn(kit, &a);
	script_do(kit, a.ref, look_at_oneself, &look);
	ward_kit_run(kit);
	ward_assert_str(look.message, "script_word");
	script_finish(kit);
}

/* ---- very many --------------------------------------------------------------------------- */

enum { CROWD = 20000, FEW = 20 };

static int crowd(void)
{
	return ward_test_shortage() ? FEW : CROWD;
}

/* Asks for each child by its generated name and for their number: so often that neither may depend
 * on a walk along all of them. */
static ward_result count_crowd(ward_self *self, void *arg)
{
	ward_ref refs[3], first;
	char name[WARDI_NAME_GENERATED];
	(void)arg;
	for (int i = 0; i < crowd(); i++)
		if (ward_try_spawn(self, WARD_PROPS(&plain), i == 0 ? &first : NULL))
			return ward_failed(self, &ward_exception, "no child");
	for (int i = 0; i < crowd(); i++) {
		memset(refs, 0, sizeof refs);
		ward_assert_eq(ward_children(self, refs, 2), crowd());
		ward_assert(ward_ref_equal(refs[0], first));
		ward_assert(ward_ref_is_nobody(refs[2]));
		ward_assert_eq(ward_children(self, NULL, 0), crowd());
	}
	for (int i = 0; i < FEW; i++) {
		wardi_name_generate("plain", (uint64_t)(crowd() - 1 - i), name);
		ward_assert(!ward_ref_is_nobody(ward_child(self, name)));
	}
	wardi_name_generate("plain", (uint64_t)crowd(), name);
	ward_assert(ward_ref_is_nobody(ward_child(self, name)));
	return WARD_DONE;
}

WARD_TEST(children_are_counted_without_a_walk_along_them, "S56")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(&(ward_kit_options){.keeps_no_events = true});
	script_spawn(kit, &a);
	script_do(kit, a.ref, count_crowd, NULL);
	ward_kit_run(kit);
	script_finish(kit);
}

WARD_TEST(counters_count)
{
	ward_kit *kit;
	struct script top = {.name = "top"}, child = {.name = "child"};
	top.children[0] = &child;
	kit = script_start(NULL);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3);
	script_spawn(kit, &top);
	script_break(kit, child.ref, &bad_luck);
	script_break(kit, child.ref, &bad_luck);
	ward_kit_run(kit);
	script_say(kit, ward_nobody(), "nobody");
	ward_stats stats = ward_kit_stats(kit);
	ward_assert_eq(stats.actors, 5);
	ward_assert_eq(stats.spawned, 5);
	ward_assert_eq(stats.failures, 2);
	ward_assert_eq(stats.restarts, 2);
	ward_assert_eq(stats.dead_letters, 1);
	ward_assert_eq(stats.unhandled, 0);
	ward_assert_eq(stats.events_lost, 0);
	ward_assert_eq(stats.memory_bytes, ward_kit_bytes(kit));
	ward_assert_eq(stats.memory_blocks, ward_kit_blocks(kit));
	ward_system_stop(ward_kit_system(kit), top.ref);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3);
	ward_assert_eq(ward_kit_stats(kit).spawned, 5);
	ward_system_stats(NULL, &stats);
	ward_assert_eq(stats.spawned, 0);
	ward_system_stats(ward_kit_system(kit), NULL);
	script_finish(kit);
}

WARD_TEST_MAIN
