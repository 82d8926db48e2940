/* SPDX-License-Identifier: MIT
 *
 * ending.h - what ends a run: a signal, the end of all actors at the top, the end of the system.
 */
#ifndef WARD_COMMAND_ENDING_H
#define WARD_COMMAND_ENDING_H

#include <pthread.h>
#include <stdbool.h>
#include <ward/ward.h>

/* What has happened. */
enum news {
	NEWS_NONE,   /* the time is up, or there is output */
	NEWS_SIGNAL, /* `signal` came */
	NEWS_END     /* what `end` says */
};

struct ending {
	int signals; /* descriptors, or -1 */
	int down;
	int stop;      /* ends the thread that handles signals */
	bool watching; /* the thread runs */
	pthread_t thread;
	ward_system *system;
	const ward_ref *tops;
	size_t top_count;
	int signal; /* the last one */
};

/* Before any thread is started: SIGINT, SIGTERM and SIGHUP come to us, and only when we look. A
 * closed pipe is an error, no end. False: errno says why. */
bool ending_init(struct ending *ending);
void ending_finish(struct ending *ending);

/* Watches the actors at the top; when all are gone there is nothing left to do, and the system is
 * shut down. Borrows `tops` until ending_finish(), which waits for the end of the system. */
bool ending_watch(struct ending *ending, ward_system *system, const ward_ref *tops, size_t count);

/* Descriptors. */
struct awaited {
	int end;     /* of an ending: `down`, only the threads of the system are left; or `stop` */
	int signals; /* of the ending, or -1: another thread sees to them */
	int output;  /* of the actors, to be looked at when something comes; or -1 */
};

/* Waits for news, for this time at most; or WARD_FOREVER. */
enum news ending_wait(struct ending *ending, const struct awaited *awaited, int64_t timeout_ms);

/* Ends the wait for `stop`. */
void ending_stop(struct ending *ending);

#endif
