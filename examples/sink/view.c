/* SPDX-License-Identifier: MIT
 *
 * view.c - what the user sees: on a terminal the tree, redrawn in place; else a line per event, and
 * after a failure what the actors show of themselves.
 *
 * The only one who prints while the actors run. If the screen is gone, it stops, and the lines go
 * on. Its mailbox is bounded and drops the oldest: a storm of failures costs no memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "failures.h"
#include "job.h"
#include "messages.h"

enum {
	DRAW_MS = 100,
	LOOK_MS = 30,   /* after a failure; it has come to something by then */
	ROWS_MAX = 100, /* actors shown */
	TEXTS = 8,      /* last events shown below the tree */
	WIDTH_MAX = 600
};

WARD_SIGNAL(draw);
WARD_SIGNAL(look);

enum timer { TIMER_DRAW = 1, TIMER_LOOK };

struct row {
	const char *state;
	uint32_t incarnation;
	int64_t mailbox;
	char path[WARD_EVENT_PATH];
	char failure[WARD_EVENT_NAME + WARD_EVENT_TEXT];
};

struct view {
	bool terminal;
	uint64_t lines;
	int drawn; /* lines on the screen that are ours */
	uint32_t text_count;
	char texts[TEXTS][WIDTH_MAX];
	size_t row_count;
	struct row rows[ROWS_MAX];
};

/* ---- the tree ---------------------------------------------------------------------------- */

static void take_row(void *arg, const ward_actor_info *info)
{
	struct view *me = arg;
	const char *user = strstr(info->path, "/user/");
	if (!user || me->row_count == ROWS_MAX)
		return;
	struct row *row = &me->rows[me->row_count++];
	row->state = info->state;
	row->incarnation = info->incarnation;
	row->mailbox = info->mailbox;
	snprintf(row->path, sizeof(row->path), "%s", user + strlen("/user/"));
	/* The status is about the present; the last failure is over. */
	snprintf(row->failure, sizeof(row->failure), "%s",
		 info->status[0] ? info->status : info->last_failure);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->path, ((const struct row *)b)->path);
}

static int screen_width(void)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX - 1;
}

/* Prints one line of the picture, cut at the width so that it stays one. */
__attribute__((format(printf, 3, 4))) static void draw_line(struct view *me, int width,
							    const char *text, ...)
{
	char line[WIDTH_MAX];
	va_list args;
	va_start(args, text);
	ward_text_vformat(line, sizeof(line), text, args);
	va_end(args);
	printf("%.*s\033[K\n", WARD_TEXT_FIT(line, width - 1));
	me->drawn++;
}

static void draw_row(struct view *me, int width, const struct row *row)
{
	int depth = 0;
	const char *name = row->path;
	for (const char *c = row->path; *c; c++) {
		if (*c == '/') {
			depth++;
			name = c + 1;
		}
	}
	char mailbox[24] = "-";
	if (row->mailbox >= 0)
		snprintf(mailbox, sizeof(mailbox), "%" PRId64, row->mailbox);
	draw_line(me, width, "%*s%-*s %-11s %8" PRIu32 " %7s  %s", 2 * depth, "", 18 - 2 * depth,
		  name, row->state, row->incarnation > 0 ? row->incarnation - 1 : 0, mailbox,
		  row->failure);
}

static void draw_picture(ward_self *self, struct view *me)
{
	int width = screen_width();
	me->row_count = 0;
	ward_system_actors(ward_self_system(self), take_row, me);
	qsort(me->rows, me->row_count, sizeof(me->rows[0]), by_path);
	if (me->drawn > 0)
		printf("\033[%dA\r", me->drawn);
	me->drawn = 0;
	draw_line(me, width, "%-18s %-11s %8s %7s  %s", "ACTOR", "STATE", "RESTARTS", "MAILBOX",
		  "LAST FAILURE");
	for (size_t i = 0; i < me->row_count; i++)
		draw_row(me, width, &me->rows[i]);
	draw_line(me, width, "%" PRIu64 " lines acknowledged, repeats included", me->lines);
	uint32_t shown = me->text_count < TEXTS ? me->text_count : TEXTS;
	for (uint32_t i = me->text_count - shown; i < me->text_count; i++)
		draw_line(me, width, "%s", me->texts[i % TEXTS]);
	printf("\033[J");
}

/* ---- events ------------------------------------------------------------------------------ */

static void say(struct view *me, const char *text)
{
	if (me->terminal)
		ward_text_format(me->texts[me->text_count++ % TEXTS], WIDTH_MAX, "%s", text);
	else
		printf("sink: %s\n", text);
}

static void say_event(struct view *me, const ward_event *event)
{
	static const char *const decisions[] = {[WARD_UNDECIDED] = "nothing",
						[WARD_RESUME] = "resumed",
						[WARD_RESTART] = "restarted",
						[WARD_STOP] = "stopped",
						[WARD_ESCALATE] = "escalated"};
	char text[WIDTH_MAX];
	const char *name = strrchr(event->path, '/');
	if (event->kind == WARD_EVENT_FAILURE && event->directive <= WARD_ESCALATE)
		ward_text_format(text, sizeof(text), "%s failed, and is %s: %s: %s",
				 name ? name + 1 : event->path,
				 event->denied ? "stopped" : decisions[event->directive],
				 event->failure_class, event->text);
	else
		ward_event_format(event, text, sizeof(text));
	say(me, text);
}

static void say_status(void *arg, const ward_actor_info *info)
{
	char text[WIDTH_MAX];
	const char *name = strrchr(info->path, '/');
	if (!info->status[0])
		return;
	ward_text_format(text, sizeof(text), "%s: %s", name ? name + 1 : info->path, info->status);
	say(arg, text);
}

/* ---- the actor --------------------------------------------------------------------------- */

static ward_result flushed(ward_self *self)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return WARD_DONE;
	return ward_failed(self, &screen_failure, "standard output: %s", strerror(errno));
}

static ward_result view_init(ward_self *self, void *state, const void *args)
{
	struct view *me = state;
	me->terminal = ((const struct sink_args *)args)->job->terminal;
	ward_subscribe(self, WARD_EVENT_FAILURE | WARD_EVENT_HOOK_FAILURE | WARD_EVENT_NOTE);
	if (me->terminal)
		ward_every(self, TIMER_DRAW, DRAW_MS, draw);
	return WARD_DONE;
}

static ward_result view_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct view *me = state;
	const ward_event *event;
	const struct note *note;
	const struct progress *progress;

	if ((event = ward_match(msg, ward_event))) {
		say_event(me, event);
		if (!me->terminal)
			ward_after(self, TIMER_LOOK, LOOK_MS, look);
	} else if (ward_match(msg, look)) {
		ward_system_actors(ward_self_system(self), say_status, me);
	} else if ((note = ward_match(msg, note))) {
		say(me, note->text);
	} else if ((progress = ward_match(msg, progress))) {
		me->lines = progress->lines;
		return WARD_DONE;
	} else if (ward_match(msg, draw)) {
		draw_picture(self, me);
	} else {
		return WARD_UNHANDLED;
	}
	return flushed(self);
}

static ward_result view_post_stop(ward_self *self, void *state)
{
	struct view *me = state;
	if (me->terminal)
		draw_picture(self, me);
	return flushed(self);
}

const ward_behavior view_behavior = {
	.name = "view",
	.state_size = sizeof(struct view),
	.args = &ward_type_sink_args,
	.init = view_init,
	.receive = view_receive,
	.post_stop = view_post_stop,
};
