/* SPDX-License-Identifier: MIT
 *
 * screen.c - the tree and the events, on one screen or on two; see screen.h.
 *
 * A live picture is erased before a line is printed, and drawn again below it. Events come from any
 * thread: what is on the screen is under a lock. What the actors print goes through a pipe to the
 * main thread. Nothing here waits for the lock of stdout, which an actor may hold for ever.
 */
#include "ward-command/screen.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/say.h"

enum { TEXT_MAX = 1024, WIDTH = 80, HEIGHT = 24 };

void screen_init(struct screen *screen, bool live)
{
	*screen = (struct screen){.live = live, .out = stdout, .output = -1};
	pthread_mutex_init(&screen->mu, NULL);
}

void screen_finish(struct screen *screen)
{
	screen_release(screen);
	if (screen->out != stdout)
		fclose(screen->out);
	pthread_mutex_destroy(&screen->mu);
	free(screen->shown);
}

/* ---- the picture ------------------------------------------------------------------------- */

static void add_line(void *arg, const char *text)
{
	wardi_say(arg, "%s", text);
}

/* Returns the tree as text, for free(); NULL: no memory for it. */
static char *take_picture(ward_system *system)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		return NULL;
	bool good = ward_system_tree(system, add_line, file) == WARD_OK;
	if (fclose(file) == 0 && good)
		return text;
	free(text);
	return NULL;
}

/* Each line of the picture stays one, and all of it on the screen: else it could not be erased. */
static void draw(struct screen *screen)
{
	struct winsize size = {0};
	if (ioctl(fileno(screen->out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
	    size.ws_row == 0)
		size = (struct winsize){.ws_col = WIDTH, .ws_row = HEIGHT};
	int room = size.ws_row > 2 ? size.ws_row - 2 : 1, left = 0;

	for (const char *line = screen->shown; *line;) {
		const char *end = strchr(line, '\n');
		if (screen->drawn < room) {
			int length = (int)(end - line), width = size.ws_col - 1;
			if (length > width)
				length = ward_text_fit(line, width);
			fprintf(screen->out, "%.*s\n", length, line);
			screen->drawn++;
		} else {
			left++;
		}
		line = end + 1;
	}
	if (left > 0) {
		fprintf(screen->out, "... and %d more\n", left);
		screen->drawn++;
	}
	fflush(screen->out);
}

static void erase(struct screen *screen)
{
	if (screen->drawn > 0)
		fprintf(screen->out, "\033[%dA\r\033[J", screen->drawn);
	screen->drawn = 0;
	fflush(screen->out);
}

void screen_tree(struct screen *screen, ward_system *system)
{
	char *text = take_picture(system);
	if (!text)
		return;
	pthread_mutex_lock(&screen->mu);
	if (!screen->live) {
		fputs(text, screen->out);
		fflush(screen->out);
	} else if (!screen->shown || strcmp(screen->shown, text) != 0) {
		free(screen->shown);
		screen->shown = text;
		text = NULL;
		erase(screen);
		draw(screen);
	}
	pthread_mutex_unlock(&screen->mu);
	free(text);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Around what prints on standard error. */
static void begin_line(struct screen *screen)
{
	pthread_mutex_lock(&screen->mu);
	if (screen->live)
		erase(screen);
}

static void end_line(struct screen *screen)
{
	if (screen->live && screen->shown)
		draw(screen);
	pthread_mutex_unlock(&screen->mu);
}

void screen_say(struct screen *screen, const char *text, ...)
{
	char line[TEXT_MAX];
	va_list args;
	va_start(args, text);
	ward_text_vformat(line, sizeof(line), text, args);
	va_end(args);
	begin_line(screen);
	fprintf(stderr, "%s\n", line);
	end_line(screen);
}

static void log_event(void *arg, const ward_event *event)
{
	struct screen *screen = arg;

	begin_line(screen);
	screen->log(screen->log_arg, event);
	end_line(screen);
}

void screen_hear(struct screen *screen, ward_options *options)
{
	screen->log = options->log;
	screen->log_arg = options->log_arg;
	if (screen->log) {
		options->log = log_event;
		options->log_arg = screen;
	}
}

/* ---- what the actors print --------------------------------------------------------------- */

void screen_catch(struct screen *screen)
{
	int ends[2], terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	FILE *out = terminal >= 0 ? fdopen(terminal, "w") : NULL;

	if (!out || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
		if (out)
			fclose(out);
		else if (terminal >= 0)
			close(terminal);
		return;
	}
	/* As on the terminal: line by line. And who prints may wait for us. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	fcntl(ends[1], F_SETFL, 0);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	screen->out = out;
	screen->output = ends[0];
}

static void print_output(struct screen *screen)
{
	begin_line(screen);
	fwrite(screen->line, 1, screen->length, screen->out);
	if (screen->length == 0 || screen->line[screen->length - 1] != '\n')
		fputc('\n', screen->out);
	screen->length = 0;
	end_line(screen);
}

void screen_pass(struct screen *screen)
{
	char bytes[4096];
	ssize_t got;

	while (screen->output >= 0 && (got = read(screen->output, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			screen->line[screen->length++] = bytes[i];
			if (bytes[i] == '\n' || screen->length == sizeof(screen->line))
				print_output(screen);
		}
	}
}

void screen_release(struct screen *screen)
{
	if (screen->output < 0)
		return;
	dup2(fileno(screen->out), STDOUT_FILENO);
	screen_pass(screen);
	if (screen->length > 0)
		print_output(screen);
	close(screen->output);
	screen->output = -1;
}
