/* SPDX-License-Identifier: MIT
 *
 * test_hostile_text.c - texts and names with line breaks, escapes and turns in them: whatever the
 * library shows of them is one line, and nothing in it steers a terminal.
 *
 * Method: an actor says the same hostile text in all ways that there are. All events, trees and
 * infos are looked at by a check that shares nothing with the library.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "support/line_check.h"

/* A line of its own, a title of the terminal, C1 in both forms, a turn, broken UTF-8, and words. */
#define EVIL                                                                                       \
	"x\nnot ok 1\r\x1b]0;owned\x07\x9b"                                                        \
	"31m\xc2\x9b"                                                                              \
	"2J\xe2\x80\xae\xe2\x80\xa8\xf0\x9f \xe2\x82\xac"

static const ward_failure_class evil_class = {.name = "class" EVIL, .parent = &ward_exception};
WARD_SIGNAL(innocent);
static ward_type evil_type;
static const char *said; /* the text of this case */

/* ---- the actor --------------------------------------------------------------------------- */

static ward_result actor_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	ward_status_set(self, "status %s", said);
	ward_note(self, WARD_LEVEL_INFO, "note %s", said);
	return WARD_DONE;
}

static ward_result actor_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, innocent))
		return ward_failed(self, &evil_class, "failed %s", said);
	return WARD_UNHANDLED;
}

static ward_result actor_post_stop(ward_self *self, void *state)
{
	(void)state;
	return ward_failed(self, &evil_class, "the last\nword: \x1b[2J");
}

static const ward_behavior actor = {
	.name = "actor",
	.init = actor_init,
	.receive = actor_receive,
	.post_stop = actor_post_stop,
};

/* ---- looking ----------------------------------------------------------------------------- */

static void check_event(void *arg, const ward_event *event)
{
	char text[2048];
	size_t full;

	(void)arg;
	full = ward_event_format(event, text, sizeof text);
	ward_assert_eq(full, strlen(text));
	check_line(text);
	for (size_t max = 1; max < full + 2; max++) {
		char part[2048];

		ward_assert_eq(ward_event_format(event, part, max), full);
		check_line(part);
	}
	check_line(event->text);
	check_line(event->path);
	check_line(event->origin_path);
	check_line(event->failure_class);
	check_line(event->message_type);
	check_line(event->sender_path);
}

static void check_tree_line(void *arg, const char *text)
{
	(void)arg;
	check_line(text);
}

static void check_info(void *arg, const ward_actor_info *info)
{
	(void)arg;
	check_line(info->path);
	check_line(info->status);
	check_line(info->message);
	check_line(info->last_failure);
}

static void check_system(ward_kit *kit)
{
	ward_assert_ok(ward_system_tree(ward_kit_system(kit), check_tree_line, NULL));
	ward_system_actors(ward_kit_system(kit), check_info, NULL);
}

/* The tree of the kit has lines; each of them is one. */
static void check_kit_tree(ward_kit *kit)
{
	char text[8192];
	int ends[2];
	ssize_t length;

	ward_assert_eq(pipe(ends), 0);
	ward_kit_print_tree(kit, ends[1]);
	close(ends[1]);
	length = read(ends[0], text, sizeof text - 1);
	close(ends[0]);
	ward_assert(length > 0);
	text[length] = '\0';
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		check_line(line);
	for (char *at = text; at < text + length; at++)
		ward_assert(strncmp(at, "not ok", 6) != 0 || at == text || at[-1] != '\0');
}

static void say_all(const char *text)
{
	ward_kit *kit;
	ward_ref ref;

	said = text;
	evil_type = ward_type_innocent;
	evil_type.name = "type" EVIL;
	kit = ward_kit_start(&(ward_kit_options){.log = check_event});
	ref = ward_kit_spawn(kit, &actor, .name = "a");
	ward_kit_run(kit);
	check_system(kit);
	ward_system_tell(ward_kit_system(kit), ref, innocent);
	ward_kit_run(kit);
	check_system(kit);
	check_kit_tree(kit);
	ward_system_send(ward_kit_system(kit), ref, &evil_type, NULL, 0);
	ward_kit_run(kit);
	check_system(kit);
	ward_kit_stop(kit, ref);
	ward_kit_run(kit);
	ward_system_send(ward_kit_system(kit), ref, &evil_type, NULL, 0);
	ward_kit_run(kit);
	ward_system_shutdown(ward_kit_system(kit), text);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

/* ---- cases ------------------------------------------------------------------------------- */

WARD_TEST(text_that_is_hostile_is_shown_as_one_line)
{
	say_all(EVIL);
	say_all(EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL);
}

WARD_TEST(text_of_wide_characters_is_cut_between_them)
{
	char text[512];

	for (size_t shift = 0; shift < 4; shift++) {
		memset(text, 'a', shift);
		text[shift] = '\0';
		for (int i = 0; i < 120; i++)
			strcat(text, "\xf0\x9f\x90\x88");
		say_all(text);
	}
}

WARD_TEST(text_in_utf_8_can_be_read)
{
	const ward_event *event;
	ward_kit *kit;
	ward_ref ref;
	ward_actor_info info;

	said = "Gr\xc3\xbc\xc3\x9f \xe2\x82\xac";
	kit = ward_kit_start(NULL);
	ref = ward_kit_spawn(kit, &actor, .name = "a");
	ward_kit_run(kit);
	ward_assert(ward_kit_info(kit, ref, &info));
	ward_assert_str(info.status, "status Gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
	event = ward_kit_event(kit, WARD_EVENT_NOTE, "sim/user/a", 0);
	ward_assert_str(event->text, "note Gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
	ward_kit_finish(kit);
}

WARD_TEST(reason_of_an_end_is_shown_as_one_line)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_OTHER, .name = "n\x1b", .text = "t" EVIL};
	char text[512] = "";
	size_t full = ward_exit_format(&reason, text, sizeof text);

	ward_assert_eq(full, strlen(text));
	check_line(text);
}

WARD_TEST(name_that_is_refused_is_told_in_one_line)
{
	const char *const names[] = {
		EVIL, "$" EVIL,
		"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
		"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
		"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref;

	for (size_t i = 0; i < 3; i++) {
		ward_props props = {.name = names[i], .behavior = &actor};

		ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, &ref), WARD_ENAME);
		check_line(ward_err_detail());
		ward_assert(strstr(ward_err_detail(), "\\xe2") == NULL);
		ward_assert_err(ward_system_resolve(ward_kit_system(kit), names[i], 1, &ref),
				WARD_ENOENT);
		check_line(ward_err_detail());
	}
	ward_kit_finish(kit);
}

/* Wherever the cut comes. */
WARD_TEST(path_that_is_refused_is_cut_between_its_characters)
{
	ward_kit *kit = ward_kit_start(NULL);
	char path[512];
	ward_ref ref;

	for (int shift = 0; shift < 4; shift++) {
		snprintf(path, sizeof path, "/user/*/%.*s", shift, "aaa");
		for (int i = 0; i < 60; i++)
			strcat(path, "\xf0\x9f\x90\x88");
		strcat(path, "/../..");
		ward_assert_err(ward_system_resolve(ward_kit_system(kit), path, 1, &ref),
				WARD_EINVAL);
		check_line(ward_err_detail());
		ward_assert(strstr(ward_err_detail(), "\\x") == NULL);
	}
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
