/* SPDX-License-Identifier: MIT
 *
 * watches.h - watched descriptors: what the kernel knows about each, and which reports count.
 */
#ifndef WARDI_WATCHES_H
#define WARDI_WATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "sched/watch_table.h"

/* What a watch asks for. */
struct wardi_watch_request {
	int fd;
	uint32_t events;               /* WARD_FD_READ, WARD_FD_WRITE; 0: a hang-up alone */
	uint64_t owner;                /* not 0 */
	struct wardi_watch_list *list; /* of the places of this owner */
	void *token;
	/* The owner closes the descriptor only after unwatch, so the kernel may go on watching it
	 * between two notices. */
	bool standing;
	bool promised; /* by this watch, and not known otherwise */
};

/* The notice of a watch. */
struct wardi_notice {
	uint64_t owner;
	void *token;
	int fd;
	uint32_t id; /* of the watch: for wardi_watch_handled() */
	uint32_t events;
};

/* ---- for the owners ---------------------------------------------------------------------- */

/* Arms a standing watch of this owner again, after its notice, for the same events: without a call
 * and without mu. False: there is no such watch. */
bool wardi_watch_rearm(struct wardi_watches *watches, const struct wardi_watch_request *request);
/* Arms the watch, for one notice. *ret_token: that of a watch of this owner that is replaced; NULL:
 * none. On an error an earlier watch of this owner has ended, too, and the request's token is still
 * the caller's. Errors: WARD_EEXIST (another owner waits), WARD_EINVAL (a regular file), WARD_ESYS,
 * WARD_ENOMEM. */
ward_err wardi_watch_arm(struct wardi_watches *watches, struct wardi_alloc *alloc,
			 const struct wardi_watch_request *request, void **ret_token);
/* Ends a watch of this owner. Returns the token of the notice that will not come, or NULL. */
void *wardi_watch_end(struct wardi_watches *watches, int fd, uint64_t owner);
/* Ends one watch of this list. False: it is empty. */
bool wardi_watch_end_any(struct wardi_watches *watches, struct wardi_watch_list *list,
			 void **ret_token);
/* This owner has got the notice. False: the watch has ended, or the owner has replaced it. */
bool wardi_watch_handled(struct wardi_watches *watches, int fd, uint32_t id, uint64_t owner);

/* Returns how many are armed, or have a notice that was not handled. O(the highest descriptor). */
uint32_t wardi_watches_count(struct wardi_watches *watches);

/* ---- for the thread that looks: only one at a time --------------------------------------- */

enum wardi_found {
	WARDI_FOUND_NOTICE,
	WARDI_FOUND_STALE,   /* closed before it was unwatched: the notice has owner and fd */
	WARDI_FOUND_NOTHING, /* not new, or of a watch that has ended */
	WARDI_FOUND_VAIN     /* ready, and nobody waits for it */
};

/* Turns the kernel's event into a notice. */
enum wardi_found wardi_watch_found(struct wardi_watches *watches, uint64_t data, uint32_t kernel,
				   struct wardi_notice *ret_notice);
/* The notice could not be made: the watch waits for the next look, unless it has ended. */
void wardi_watch_wait_on(struct wardi_watches *watches, const struct wardi_notice *notice);
/* A descriptor that was found in vain would end each sleep, and take the place of others in each
 * look: after some finds the kernel forgets it, until it is watched again; sooner if it has roused
 * a worker. False: the kernel cannot forget it, since no number leads to it. */
bool wardi_watch_silence(struct wardi_watches *watches, int fd, uint32_t id, bool roused);
/* Replaces the kernel's set by one of all present watches. False: refused. */
bool wardi_watches_renew(struct wardi_watches *watches, int wake_fd, uint64_t wake_data);

#endif
