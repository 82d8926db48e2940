/* SPDX-License-Identifier: MIT
 *
 * ending.h - the events that end a run: a signal, the end of all actors at the top, the end of the
 * system.
 */
#ifndef WARD_COMMAND_ENDING_H
#define WARD_COMMAND_ENDING_H

#include <pthread.h>
#include <stdbool.h>
#include <ward/ward.h>

/* The result of a wait. */
enum news {
	NEWS_NONE,   /* timeout, or there is output */
	NEWS_SIGNAL, /* a signal came, see `signal` */
	NEWS_END     /* the descriptor `end` is readable */
};

struct ending {
	int signals; /* descriptors, or -1 */
	int down;
	int stop;      /* wakes the thread that handles signals, to end it */
	bool watching; /* the thread runs */
	pthread_t thread;
	ward_system *system;
	const ward_ref *tops;
	size_t top_count;
	int signal; /* the last signal */
};

/* Call it before any thread is started: blocks SIGINT, SIGTERM and SIGHUP, which are then read in
 * ending_wait() only, and ignores SIGPIPE, so that a closed pipe is an error. False: see errno. */
bool ending_init(struct ending *ending);
void ending_finish(struct ending *ending);

/* Watches the actors at the top, and shuts the system down once all have ended. Borrows `tops`
 * until ending_finish(), which waits for the end of the system. */
bool ending_watch(struct ending *ending, ward_system *system, const ward_ref *tops, size_t count);

/* The descriptors to wait for. */
struct awaited {
	int end;     /* `down`: only the threads of the system are left; or `stop` */
	int signals; /* of the ending; -1: another thread handles signals */
	int output;  /* of the actors: ends the wait when there is output; or -1 */
};

/* Waits for one of them, at most for this time or WARD_FOREVER. */
enum news ending_wait(struct ending *ending, const struct awaited *awaited, int64_t timeout_ms);

/* Makes `stop` readable, which ends the wait for it. */
void ending_stop(struct ending *ending);

#endif
