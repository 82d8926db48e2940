/* SPDX-License-Identifier: MIT
 *
 * screen.c - the tree and the events, on the same screen or on two; see screen.h.
 *
 * A live picture is erased before a line is printed, and drawn again below it. Events come from any
 * thread, so the screen is protected by a lock. The output of actors goes through a pipe to the
 * main thread. No code here waits for the lock of stdout, which an actor may hold indefinitely.
 *
 * A terminal may be stopped, as with Ctrl-S: then the main thread, and threads that log, block in a
 * write while they hold the lock. The thread that ends the process waits for neither: see
 * screen_patiently().
 */
#include "ward-command/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/say.h"

enum { TEXT_MAX = 1024, WIDTH = 80, HEIGHT = 24, PATIENCE_S = 1 };
enum { SECOND_NS = 1000 * 1000 * 1000, LOCK_NS = SECOND_NS / 4 };

void screen_init(struct screen *screen, bool live)
{
	*screen = (struct screen){.live = live, .out = stdout, .output = -1};
	pthread_mutex_init(&screen->mu, NULL);
	pthread_mutex_init(&screen->output_mu, NULL);
}

void screen_finish(struct screen *screen)
{
	screen_release(screen);
	if (atomic_load_explicit(&screen->stuck, memory_order_relaxed))
		return; /* a thread may still be in a write */
	if (screen->out != stdout)
		fclose(screen->out);
	pthread_mutex_destroy(&screen->output_mu);
	pthread_mutex_destroy(&screen->mu);
	free(screen->shown);
}

/* ---- the picture ------------------------------------------------------------------------- */

static void add_line(void *arg, const char *text)
{
	wardi_say(arg, "%s", text);
}

/* Returns the tree as text, for free(). NULL: no memory. */
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

/* Cuts the picture so that no line wraps and all of it fits the screen: otherwise it could not be
 * erased. */
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

/* These two enclose output on standard error. */
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

/* Waits up to PATIENCE_S until standard error is writable. False: it is not, and stays mute. */
static bool may_say(struct screen *screen)
{
	struct pollfd errors = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (atomic_load_explicit(&screen->mute, memory_order_relaxed))
		return false;
	if (poll(&errors, 1, PATIENCE_S * 1000) == 1 && errors.revents == POLLOUT)
		return true;
	atomic_store_explicit(&screen->mute, true, memory_order_relaxed);
	return false;
}

bool screen_patiently(void *(*fn)(void *arg), void *arg)
{
	struct timespec until;
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg) != 0) {
		fn(arg);
		return true;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	if (pthread_timedjoin_np(thread, NULL, &until) == 0)
		return true;
	pthread_detach(thread);
	return false;
}

/* A line to be printed. */
struct said {
	struct screen *screen;
	char line[TEXT_MAX];
};

/* Locks the screen, unless another thread holds it too long. */
static bool take_screen(struct screen *screen)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOCK_NS;
	if (until.tv_nsec >= SECOND_NS) {
		until.tv_nsec -= SECOND_NS;
		until.tv_sec++;
	}
	return pthread_mutex_timedlock(&screen->mu, &until) == 0;
}

/* Without the lock prints the line wherever the cursor is, since the user must see it. */
static void *print_line(void *arg)
{
	struct said *said = arg;
	struct screen *screen = said->screen;
	bool taken =
		!atomic_load_explicit(&screen->stuck, memory_order_relaxed) && take_screen(screen);

	if (taken && screen->live)
		erase(screen);
	fprintf(stderr, "%s\n", said->line);
	if (taken)
		end_line(screen);
	free(said);
	return NULL;
}

/* False: it was not printed within a second. */
static bool say_line(struct screen *screen, const char *line)
{
	struct said *said = malloc(sizeof(*said));

	if (!said)
		return true;
	said->screen = screen;
	snprintf(said->line, sizeof(said->line), "%s", line);
	return screen_patiently(print_line, said);
}

void screen_say(struct screen *screen, const char *text, ...)
{
	char line[TEXT_MAX];
	va_list args;

	va_start(args, text);
	ward_text_vformat(line, sizeof(line), text, args);
	va_end(args);
	if (!may_say(screen) || say_line(screen, line))
		return;
	/* Either the drawing of the picture blocked, or the line itself. */
	if (atomic_exchange_explicit(&screen->stuck, true, memory_order_relaxed) ||
	    !say_line(screen, line))
		atomic_store_explicit(&screen->mute, true, memory_order_relaxed);
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

/* ---- the output of actors ---------------------------------------------------------------- */

void screen_catch(struct screen *screen)
{
	int ends[2] = {-1, -1}, terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	FILE *out = terminal >= 0 ? fdopen(terminal, "w") : NULL;

	/* The write end blocks: an actor that prints may wait for this thread. */
	bool caught = out && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 &&
		      fcntl(ends[1], F_SETFL, 0) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0;
	if (ends[1] >= 0)
		close(ends[1]);
	if (!caught) {
		if (ends[0] >= 0)
			close(ends[0]);
		if (out)
			fclose(out);
		else if (terminal >= 0)
			close(terminal);
		return;
	}
	/* Line buffered, as on a terminal. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_mutex_lock(&screen->output_mu);
	pthread_mutex_lock(&screen->mu);
	screen->out = out;
	screen->output = ends[0];
	pthread_mutex_unlock(&screen->mu);
	pthread_mutex_unlock(&screen->output_mu);
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

/* Under output_mu. */
static void pass(struct screen *screen)
{
	char bytes[4096];
	ssize_t got = -1;

	while (screen->output >= 0 && (got = read(screen->output, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			screen->line[screen->length++] = bytes[i];
			if (bytes[i] == '\n' || screen->length == sizeof(screen->line))
				print_output(screen);
		}
	}
	/* The other end is closed, as when an actor has closed standard output. A pipe at its end
	 * is always readable. */
	if (screen->output >= 0 && got == 0) {
		close(screen->output);
		screen->output = -1;
	}
}

void screen_pass(struct screen *screen)
{
	pthread_mutex_lock(&screen->output_mu);
	pass(screen);
	pthread_mutex_unlock(&screen->output_mu);
}

void screen_release(struct screen *screen)
{
	pthread_mutex_lock(&screen->output_mu);
	if (screen->output >= 0) {
		dup2(fileno(screen->out), STDOUT_FILENO);
		pass(screen);
		if (screen->length > 0)
			print_output(screen);
	}
	if (screen->output >= 0)
		close(screen->output);
	screen->output = -1;
	pthread_mutex_unlock(&screen->output_mu);
}
