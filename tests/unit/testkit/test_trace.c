/* SPDX-License-Identifier: MIT
 *
 * test_trace.c - the record of a run: its differences, and its file for Chrome's tracing page.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "testkit/simulate/trace.h"

/* ---- a reader of JSON: gives what stands behind a value, or NULL where there is none -------- */

static const char *skip(const char *at)
{
	while (at != NULL && isspace((unsigned char)*at))
		at++;
	return at;
}

static const char *read_text(const char *at)
{
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
			at += 4;
		else if (strchr("\"\\/bfnrt", *at) == NULL || *at == '\0')
			return NULL;
	}
	return at + 1;
}

static const char *read_value(const char *at);

/* The items between two brackets; with keys in an object. */
static const char *read_items(const char *at, char end, bool keys)
{
	at = skip(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (keys) {
			at = skip(read_text(at));
			if (at == NULL || *at++ != ':')
				return NULL;
		}
		at = skip(read_value(at));
		if (at == NULL || (*at != ',' && *at != end))
			return NULL;
		if (*at++ == end)
			return at;
		at = skip(at);
	}
}

static const char *read_value(const char *at)
{
	char *end;

	at = skip(at);
	if (*at == '{')
		return read_items(at, '}', true);
	if (*at == '[')
		return read_items(at, ']', false);
	if (*at == '"')
		return read_text(at);
	strtod(at, &end);
	return end != at ? end : NULL;
}

static bool is_json(const char *text)
{
	const char *end = skip(read_value(text));
	return end != NULL && *end == '\0';
}

WARD_TEST(reader_of_json_knows_json)
{
	ward_assert(is_json(" {\"a\": [1, -2.5, \"x\\u00e9\\\"\"], \"b\": {}}\n"));
	ward_assert(!is_json("{\"a\":1,}"));
	ward_assert(!is_json("[1 2]"));
	ward_assert(!is_json("[\"a\nb\"]"));
	ward_assert(!is_json("{\"a\":1"));
	ward_assert(!is_json("[] []"));
}

/* ---- a run -------------------------------------------------------------------------------- */

WARD_SIGNAL(ping);
WARD_SIGNAL(pong);

static ward_result wall_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ping) == NULL)
		return WARD_UNHANDLED;
	ward_reply(self, msg, pong);
	return ward_failed(self, &ward_exception, "a \"quoted\"\\\ntext\x01 of \xc3\xa9");
}

static const ward_behavior wall = {.name = "wall", .receive = wall_receive};

static ward_result player_start(ward_self *self, void *state)
{
	ward_ref ref;

	(void)state;
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&wall, .name = "wall"), &ref));
	ward_tell(self, ref, ping);
	return WARD_DONE;
}

static ward_result player_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, pong) != NULL ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior player = {
	.name = "player", .pre_start = player_start, .receive = player_receive};

static void play(ward_kit *kit, void *arg)
{
	(void)arg;
	ward_kit_spawn(kit, &player, .name = "player");
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
}

static char *read_file(const char *name)
{
	FILE *file = fopen(name, "r");
	ward_assert(file != NULL);
	char *text = calloc(1, 1 << 20);
	ward_assert(text != NULL);
	ward_assert(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

static unsigned times(const char *text, const char *part)
{
	unsigned count = 0;
	while ((text = strstr(text, part)) != NULL) {
		count++;
		text++;
	}
	return count;
}

WARD_TEST(file_for_chrome_is_json_with_threads_slices_arrows_and_faults)
{
	const ward_simulation_test test = {.name = "play", .run = play};
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", memfd_create("trace", 0));
	setenv("WARD_TRACE", name, 1);
	setenv("WARD_REPLAY", "play order=random faults=stall@2:250", 1);
	ward_assert_eq(ward_simulate(&test).violations, 0);
	char *text = read_file(name);
	ward_assert(is_json(text));
	ward_assert_part(text, "\"thread_name\",\"args\":{\"name\":\"sim/user/player/wall\"}");
	ward_assert_eq(times(text, "\"name\":\"receive ping, failed\""), 1);
	ward_assert_eq(times(text, "\"name\":\"receive pong\""), 1);
	ward_assert_eq(times(text, "\"cat\":\"fault\""), 1);
	ward_assert_part(text, "a \\\"quoted\\\"");
	ward_assert_part(text, "\"time\":\"250.000000 ms\"");
	/* An arrow for each of the two messages, from its send to its receipt. */
	ward_assert_eq(times(text, "\"ph\":\"s\""), 2);
	ward_assert_eq(times(text, "\"ph\":\"f\""), 2);
	free(text);
}

/* ---- differences -------------------------------------------------------------------------- */

/* A trace of receives by actors of these uids. */
static void make_trace(struct wardi_trace *trace, struct wardi_names *names, const char *uids)
{
	*names = (struct wardi_names){0};
	wardi_trace_init(trace, names, true);
	for (; *uids != '\0'; uids++)
		wardi_trace_done(trace, NULL,
				 &(ward_occasion){.point = WARD_POINT_RECEIVE,
						  .who = {(uint64_t)*uids, 1, 0},
						  .type = &ward_type_ping});
}

static size_t first_difference(const char *a, const char *b)
{
	struct wardi_trace traces[2];
	struct wardi_names names[2];

	make_trace(&traces[0], &names[0], a);
	make_trace(&traces[1], &names[1], b);
	size_t at = wardi_trace_differ(&traces[0], &traces[1]);
	ward_assert_eq(traces[0].hash == traces[1].hash, strcmp(a, b) == 0);
	for (int i = 0; i < 2; i++) {
		wardi_trace_finish(&traces[i]);
		wardi_names_finish(&names[i]);
	}
	return at;
}

WARD_TEST(first_difference_of_two_runs_is_found)
{
	ward_assert_eq(first_difference("abcd", "abcd"), 4);
	ward_assert_eq(first_difference("abcd", "abxd"), 2);
	ward_assert_eq(first_difference("abcd", "abdc"), 2);
	ward_assert_eq(first_difference("abcd", "ab"), 2);
	ward_assert_eq(first_difference("", "a"), 0);
}

WARD_TEST_MAIN
