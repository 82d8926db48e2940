/* SPDX-License-Identifier: MIT
 *
 * test_selection_bomb.c - paths that go down and up again: each receiver gets one copy, and the
 * work does not multiply (S58).
 *
 * Method: random paths through a tree, against a model that walks them with sets of places.
 */
#include <stdio.h>
#include <string.h>

#include <ward/selection.h>
#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(bomb);

struct number {
	int number;
};
WARD_MESSAGE_FLAT(number);

struct walk {
	const char *path;
};
WARD_MESSAGE(walk);

/* ---- the tree ------------------------------------------------------------------------------ */

/* The root, the guardians, and a tree below "t", where paths begin. */
enum { ROOT, USER, SYSTEM, T, NODES = 16 };
static const struct {
	const char *name;
	int parent;
} nodes[NODES] = {
	{"", ROOT}, {"user", ROOT}, {"system", ROOT}, {"t", USER}, {"a", T}, {"b", T},
	{"ab", T},  {"a", 4},       {"b", 4},         {"a", 5},    {"c", 6}, {"a", 7},
	{"ab", 7},  {"b", 11},      {"a", 13},        {"c", 5},
};

static int got[NODES];

static ward_result node_init(ward_self *self, void *state, const void *args);

static ward_result node_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct number *me = state;
	const struct walk *walk = ward_match(msg, walk);

	got[me->number] += ward_match(msg, bomb) != NULL;
	if (walk != NULL)
		ward_select_tell(self, walk->path, bomb);
	return WARD_DONE;
}

static const ward_behavior node = {.name = "node",
				   .state_size = sizeof(struct number),
				   .args = &ward_type_number,
				   .init = node_init,
				   .receive = node_receive};

static ward_result node_init(ward_self *self, void *state, const void *args)
{
	struct number *me = state;

	*me = *(const struct number *)args;
	for (int i = me->number + 1; i < NODES; i++) {
		if (nodes[i].parent == me->number)
			ward_assert_ok(ward_try_spawn(self,
						      WARD_PROPS(&node, .name = nodes[i].name,
								 .args = WARD_ARGS(number, i)),
						      NULL));
	}
	return WARD_DONE;
}

/* ---- the model ----------------------------------------------------------------------------- */

enum { STEPS = 7, PATH_MAX = 64 };

struct path {
	int count;
	const char *steps[STEPS];
	char text[PATH_MAX];
};

static bool is_pattern(const char *step)
{
	return strpbrk(step, "*?") != NULL;
}

static bool matches(const char *step, const char *name)
{
	if (strspn(step, "*") == strlen(step))
		return true;
	if (strcmp(step, "?") == 0)
		return strlen(name) == 1;
	if (strcmp(step, "a*") == 0)
		return name[0] == 'a';
	return strcmp(step, name) == 0;
}

/* Whether no ".." comes back out of a pattern but from directly behind it. */
static bool is_path(const struct path *path)
{
	struct {
		bool pattern, entered;
	} down[STEPS];
	int depth = 0;

	for (int i = 0; i < path->count; i++) {
		if (strcmp(path->steps[i], "..") != 0) {
			if (depth > 0)
				down[depth - 1].entered = true;
			down[depth].pattern = is_pattern(path->steps[i]);
			down[depth++].entered = false;
		} else if (depth > 0 && down[--depth].pattern && down[depth].entered) {
			return false;
		}
	}
	return true;
}

static bool is_below(int i, int above)
{
	while (i != ROOT && nodes[i].parent != above)
		i = nodes[i].parent;
	return i != ROOT;
}

/* From the places of `from` one step on. */
static void step_on(const char *step, bool last, const bool from[NODES], bool to[NODES])
{
	memset(to, 0, NODES * sizeof to[0]);
	for (int i = 0; i < NODES; i++) {
		if (from[i] && strcmp(step, "..") == 0)
			to[nodes[i].parent] = true;
		for (int j = 1; j < NODES && from[i] && strcmp(step, "..") != 0; j++)
			to[j] = to[j] || (nodes[j].parent == i && matches(step, nodes[j].name)) ||
				(last && strcmp(step, "**") == 0 && is_below(j, i));
	}
}

static void expect(const struct path *path, int wanted[NODES])
{
	bool here[NODES] = {[T] = true}, next[NODES];

	memset(wanted, 0, NODES * sizeof wanted[0]);
	if (!is_path(path))
		return;
	for (int i = 0; i < path->count; i++) {
		step_on(path->steps[i], i == path->count - 1, here, next);
		memcpy(here, next, sizeof here);
	}
	for (int i = T; i < NODES; i++) /* the guardians leave it unhandled */
		wanted[i] = here[i];
}

/* ---- the walks ----------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void draw(struct path *path, uint64_t *random)
{
	static const char *const steps[] = {"..", "..", "..", "..", "a",  "b",  "ab",
					    "c",  "t",  "*",  "*",  "**", "a*", "?"};
	size_t length = 0;

	path->count = (int)(next_random(random) % (STEPS + 1));
	path->text[0] = '\0';
	for (int i = 0; i < path->count; i++) {
		path->steps[i] = steps[next_random(random) % (sizeof steps / sizeof steps[0])];
		length += (size_t)snprintf(path->text + length, sizeof path->text - length, "%s%s",
					   i > 0 ? "/" : "", path->steps[i]);
	}
}

static void walk_one(ward_kit *kit, ward_ref t, const struct path *path)
{
	int wanted[NODES];

	expect(path, wanted);
	memset(got, 0, sizeof got);
	ward_kit_tell(kit, t, walk, .path = path->text);
	ward_kit_run(kit);
	ward_kit_forget_events(kit);
	for (int i = 0; i < NODES; i++)
		if (got[i] != wanted[i])
			ward_test_fail(__FILE__, __LINE__, "\"%s\": node %d got %d, not %d",
				       path->text, i, got[i], wanted[i]);
}

static ward_ref start_tree(ward_kit *kit)
{
	ward_ref t = ward_kit_spawn(kit, &node, .name = "t", .args = WARD_ARGS(number, T));

	ward_kit_run(kit);
	return t;
}

WARD_TEST(path_that_goes_up_and_down_reaches_each_receiver_once, "S58")
{
	WARD_TEST_SEEDS(10)
	{
		uint64_t random = ward_test_seed();
		ward_kit *kit = ward_kit_start(NULL);
		ward_ref t = start_tree(kit);
		struct path path;

		for (int i = 0; i < 1000; i++) {
			draw(&path, &random);
			walk_one(kit, t, &path);
		}
		ward_kit_finish(kit);
	}
}

/* ---- what multiplied ----------------------------------------------------------------------- */

enum { FAN = 200, TURNS = 40 };

/* At the top: "t", and FAN actors without names. */
static void start_fan(ward_kit *kit)
{
	(void)ward_kit_spawn(kit, &node, .name = "t", .args = WARD_ARGS(number, NODES - 1));
	for (int i = 0; i < FAN; i++)
		(void)ward_kit_spawn(kit, &node, .args = WARD_ARGS(number, NODES - 2));
	ward_kit_run(kit);
	memset(got, 0, sizeof got);
}

/* Nobody has more than the bomb in memory: the copies were a gigabyte. */
WARD_TEST(selection_that_turns_back_many_times_takes_no_memory, "S58")
{
	char path[8 * TURNS + 8] = "/user/t";
	ward_kit *kit = ward_kit_start(NULL);
	uint64_t before;

	start_fan(kit);
	before = ward_kit_bytes(kit);
	for (int i = 0; i < TURNS; i++)
		strcat(path, "/../*");
	ward_system_select_tell(ward_kit_system(kit), path, bomb);
	for (int i = 0; i < 100 && ward_kit_step(kit); i++)
		ward_assert(ward_kit_bytes(kit) < before + 1024 * 1024);
	ward_kit_run(kit);
	ward_assert_eq(got[NODES - 1], 1);
	ward_assert_eq(got[NODES - 2], FAN);
	ward_kit_finish(kit);
}

enum { LOOKS = 300, LEAST_STEPS = 2 * LOOKS };

/* Each of them looks at all children of one actor, which has other things to do, too. */
WARD_TEST(many_looks_for_a_child_leave_turns_to_others, "S58")
{
	char path[8 * LOOKS + 8] = "/user";
	ward_kit *kit = ward_kit_start(NULL);
	int steps = 0;

	start_fan(kit);
	for (int i = 0; i < LOOKS; i++)
		strcat(path, "/?*?/..");
	strcat(path, "/t");
	ward_system_select_tell(ward_kit_system(kit), path, bomb);
	while (ward_kit_step(kit))
		steps++;
	ward_assert_eq(got[NODES - 1], 1);
	ward_assert(steps > LEAST_STEPS);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
