/* SPDX-License-Identifier: MIT
 *
 * run.c - starts the tree of a file, shows it, and ends it; see run.h.
 *
 *	loading, STARTING --- signal --------------------------+
 *	   |                                                   v
 *	RUNNING --- signal, all actors at the top ended --> ENDING ---> down
 *	                                  a second signal, the deadline | the process ends at once
 *
 * The main thread loads, starts and prints, each of which may take any time. So a second thread,
 * the guard, handles signals and the deadline for as long as there is a system. It begins the end
 * first and reports it afterwards, and waits for the report for one second at most.
 */
#include "ward-command/run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/say.h"
#include "ward-command/ending.h"
#include "ward-command/file.h"
#include "ward-command/screen.h"

enum {
	DRAW_MS = 100,
	AGAIN_MS = 100 /* a signal repeated within this time counts as one */
};

struct run {
	const struct options *options;
	ward_config *config;
	ward_system *system;
	struct screen screen;
	struct ending ending;
	pthread_t guard;
	bool guarded;               /* the guard runs */
	ward_system *_Atomic begun; /* the system, once the guard may use it */
	_Atomic bool told;          /* a signal has ordered the end */
	bool running;               /* the start has succeeded */
	ward_ref *tops;
	size_t top_count;
	/* Used by the guard or, without a guard, by the main thread. */
	int64_t told_ms;     /* time of the signal that ordered the end */
	int64_t deadline_ms; /* time when the process is ended; WARD_FOREVER: no end is ordered */
};

static int64_t now_ms(void)
{
	struct timespec now = {0};
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the actors at the top --------------------------------------------------------------- */

/* The user guardian and its children that are alive. */
struct census {
	ward_ref guardian;
	ward_ref *tops;
	size_t count, room;
};

static void find_guardian(void *arg, const ward_actor_info *info)
{
	struct census *census = arg;
	const char *slash = strchr(info->path, '/');

	census->room++;
	if (slash && strcmp(slash, "/user") == 0)
		census->guardian = info->ref;
}

static void find_top(void *arg, const ward_actor_info *info)
{
	struct census *census = arg;

	if (ward_ref_equal(info->parent, census->guardian) && census->count < census->room)
		census->tops[census->count++] = info->ref;
}

/* Finds the actors at the top; when all of them have ended the run ends. False: no memory. */
static bool find_tops(struct run *run)
{
	struct census census = {.guardian = ward_nobody()};

	ward_system_actors(run->system, find_guardian, &census);
	census.tops = calloc(census.room + 1, sizeof(*census.tops));
	if (!census.tops)
		return false;
	ward_system_actors(run->system, find_top, &census);
	run->tops = census.tops;
	run->top_count = census.count;
	return true;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void say_actor(void *arg, const ward_actor_info *info)
{
	struct run *run = arg;
	screen_say(&run->screen, "ward: still there: %s, %s%s%s", info->path, info->state,
		   info->message[0] ? ", handles " : "", info->message);
}

/* Flushes the output of actors, unless that would block: an actor is printing, or nobody reads. */
static void flush_output(void)
{
	struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};

	if (ftrylockfile(stdout) != 0)
		return;
	if (poll(&output, 1, 0) == 1 && output.revents == POLLOUT)
		fflush(stdout);
	funlockfile(stdout);
}

static void *print_rest(void *arg)
{
	struct run *run = arg;

	flush_output();
	screen_release(&run->screen);
	return NULL;
}

/* Ends the process without waiting for threads that are stuck. */
__attribute__((noreturn)) static void end_at_once(struct run *run, int status)
{
	ward_system *system = atomic_load_explicit(&run->begun, memory_order_acquire);

	if (system)
		ward_system_actors(system, say_actor, run);
	(void)screen_patiently(print_rest, run);
	_exit(status);
}

static bool is_told(const struct run *run)
{
	return atomic_load_explicit(&run->told, memory_order_seq_cst);
}

static void take_signal(struct run *run)
{
	const char *name = sigabbrev_np(run->ending.signal);
	ward_system *system;
	char reason[WARD_REASON_TEXT];

	if (is_told(run) && now_ms() < run->told_ms + AGAIN_MS)
		return;
	if (is_told(run)) {
		screen_say(&run->screen, "ward: SIG%s again: ended at once", name);
		end_at_once(run, EXIT_SIGNAL + run->ending.signal);
	}
	run->told_ms = now_ms();
	run->deadline_ms = run->told_ms + run->options->deadline_ms;
	snprintf(reason, sizeof(reason), "SIG%s", name);
	atomic_store_explicit(&run->told, true, memory_order_seq_cst);
	system = atomic_load_explicit(&run->begun, memory_order_seq_cst);
	if (system)
		ward_system_shutdown(system, reason);
	screen_say(&run->screen, "ward: SIG%s: stopping in order; a second signal ends it at once",
		   name);
}

static void check_deadline(struct run *run)
{
	if (now_ms() < run->deadline_ms)
		return;
	screen_say(&run->screen, "ward: it did not end within %lld seconds",
		   (long long)run->options->deadline_ms / 1000);
	end_at_once(run, EXIT_LATE);
}

/* Returns the time left until the deadline. */
static int64_t time_left_ms(const struct run *run)
{
	int64_t left =
		run->deadline_ms == WARD_FOREVER ? WARD_FOREVER : run->deadline_ms - now_ms();

	return left < 0 ? 0 : left;
}

/* Returns how long the main thread may wait. */
static int64_t patience_ms(const struct run *run)
{
	int64_t left = run->guarded ? WARD_FOREVER : time_left_ms(run);

	return run->screen.live && left > DRAW_MS ? DRAW_MS : left;
}

static enum news wait_for_news(struct run *run)
{
	const struct awaited awaited = {.end = run->ending.down,
					.signals = run->guarded ? -1 : run->ending.signals,
					.output = run->screen.output};

	return ending_wait(&run->ending, &awaited, patience_ms(run));
}

/* Waits until the system is down. */
static void wait_for_end(struct run *run)
{
	enum news news;
	int64_t drawn_ms = 0;

	while ((news = wait_for_news(run)) != NEWS_END) {
		if (news == NEWS_SIGNAL)
			take_signal(run);
		screen_pass(&run->screen);
		if (run->screen.live && now_ms() >= drawn_ms + DRAW_MS) {
			screen_tree(&run->screen, run->system);
			drawn_ms = now_ms();
		}
		if (!run->guarded)
			check_deadline(run);
	}
}

/* ---- the guard --------------------------------------------------------------------------- */

static void *guard(void *arg)
{
	struct run *run = arg;
	const struct awaited awaited = {
		.end = run->ending.stop, .signals = run->ending.signals, .output = -1};
	enum news news;

	while ((news = ending_wait(&run->ending, &awaited, time_left_ms(run))) != NEWS_END) {
		if (news == NEWS_SIGNAL)
			take_signal(run);
		check_deadline(run);
	}
	return NULL;
}

/* Without memory for a thread the main thread handles signals once the start is over. */
static void begin_guard(struct run *run)
{
	run->guarded = pthread_create(&run->guard, NULL, guard, run) == 0;
}

static void end_guard(struct run *run)
{
	if (!run->guarded)
		return;
	ending_stop(&run->ending);
	pthread_join(run->guard, NULL);
	run->guarded = false;
}

/* ---- the start --------------------------------------------------------------------------- */

/* A signal ends a system that the guard knows. An earlier signal makes this return false, and the
 * caller ends the system. */
static bool begin(struct run *run)
{
	ward_options options;

	if (ward_config_options(run->config, &options) != WARD_OK)
		return false;
	screen_hear(&run->screen, &options);
	if (ward_system_create(&options, &run->system) != WARD_OK)
		return false;
	atomic_store_explicit(&run->begun, run->system, memory_order_seq_cst);
	return !is_told(run) && ward_config_spawn(run->config, run->system) == WARD_OK;
}

/* Starts the tree, or undoes a start that failed. Returns the exit status for that case. */
static int start(struct run *run)
{
	int status = EXIT_ORDERED;

	run->running = !is_told(run) && begin(run);
	if (run->running)
		return status;
	if (!is_told(run)) {
		screen_say(&run->screen, "ward: %s: not started: %s", run->options->file,
			   ward_err_detail());
		status = EXIT_START;
	}
	if (run->system) {
		ward_system_shutdown(run->system, "not started");
		if (ward_system_wait(run->system, run->options->deadline_ms) != WARD_OK) {
			screen_say(&run->screen, "ward: %s", ward_err_detail());
			end_at_once(run, EXIT_LATE);
		}
	}
	return status;
}

/* ---- the whole run ----------------------------------------------------------------------- */

/* Returns the exit status. */
static int watch_tree(struct run *run)
{
	ward_stats stats;

	if (!find_tops(run) ||
	    !ending_watch(&run->ending, run->system, run->tops, run->top_count)) {
		screen_say(&run->screen, "ward: %s: not started: %s", run->options->file,
			   strerror(errno));
		return EXIT_START;
	}
	if (run->screen.live)
		screen_catch(&run->screen);
	if (!run->options->quiet)
		screen_tree(&run->screen, run->system);
	wait_for_end(run);
	screen_release(&run->screen);
	ward_system_stats(run->system, &stats);
	if (stats.gave_up)
		screen_say(&run->screen,
			   "ward: %s: it gave up: an actor at the top failed too often, its "
			   "failure was not handled, or it ended for a reason of its own",
			   run->options->file);
	return stats.gave_up ? EXIT_GAVE_UP : EXIT_ORDERED;
}

int run(const struct options *options)
{
	struct run run = {.options = options, .deadline_ms = WARD_FOREVER};
	int status = EXIT_WRONG;
	bool live = !options->quiet && !options->plain && isatty(STDOUT_FILENO) == 1;

	/* Before the shared objects are loaded, since they may start threads. */
	if (!ending_init(&run.ending)) {
		wardi_say(stderr, "ward: signals: %s", strerror(errno));
		ending_finish(&run.ending);
		return EXIT_START;
	}
	screen_init(&run.screen, live);
	begin_guard(&run);
	run.config = file_load(options->file);
	if (run.config && file_has_actors(run.config, options->file))
		status = start(&run);
	if (run.running)
		status = watch_tree(&run);
	end_guard(&run);
	/* The system is down or was never up: this takes no time, except for actors that are
	 * stuck. */
	if (ward_system_destroy(run.system, options->deadline_ms) != WARD_OK) {
		screen_say(&run.screen, "ward: %s", ward_err_detail());
		end_at_once(&run, EXIT_LATE);
	}
	ending_finish(&run.ending);
	ward_config_close(run.config);
	screen_finish(&run.screen);
	free(run.tops);
	return status;
}
