/* SPDX-License-Identifier: MIT
 *
 * watch_table.h - the places of watched descriptors, by number.
 */
#ifndef WARDI_WATCH_TABLE_H
#define WARDI_WATCH_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "sched/watch_list.h"

enum { WARDI_WATCH_SEGMENTS = 26 /* the first has 64 places, each other twice as many */ };

/* The place of a descriptor. It never moves, and is never freed before the end. */
struct wardi_watch {
	_Atomic uint64_t state; /* watches.c explains it */
	/* Written by the thread that has made the state BUSY. */
	_Atomic uint64_t owner; /* 0: nobody */
	_Atomic(void *) token;  /* armed: travels with the notice */
	/* under mu */
	struct wardi_watch_link link; /* in the owner's list */
	uint64_t stale_owner; /* of the last watch that was closed first; 0: none, or reported */
	uint64_t left_owner;  /* its notice waited when another owner took the place; 0: none */
	uint32_t stale_id, left_id;
	/* of the thread that looks */
	uint32_t vain; /* finds while nobody waited for it */
};

_Static_assert(sizeof(struct wardi_watch) == 72, "docs/internals/memory.md");

struct wardi_watches {
	/* frozen, except that a renewal replaces the file behind the number */
	int epoll_fd;
	uint32_t renewals; /* of what epoll_fd stands for; of the thread that looks */
	/* atomic; written under mu, once */
	_Atomic(struct wardi_watch *) segments[WARDI_WATCH_SEGMENTS];
	/* atomic */
	_Atomic uint32_t expected; /* descriptors that the kernel may report: a hint for threads */
	_Atomic uint32_t looks;    /* begun so far; written by the thread that looks */
	/* each registration with the kernel, and each change of an owner */
	struct wardi_mutex mu;
};

void wardi_watches_init(struct wardi_watches *watches, int epoll_fd);
void wardi_watches_finish(struct wardi_watches *watches, struct wardi_alloc *alloc);

/* NULL: nothing near this number was ever watched. */
struct wardi_watch *wardi_watch_at(struct wardi_watches *watches, int fd);
/* Returns the first place from this number on, and its number. NULL: there is none. */
struct wardi_watch *wardi_watch_from(struct wardi_watches *watches, int *fd);
int wardi_watch_number(struct wardi_watches *watches, const struct wardi_watch *watch);
/* Under mu: makes a place for the number. Errors: WARD_ESYS it is not open; WARD_ENOMEM. */
ward_err wardi_watch_reserve(struct wardi_watches *watches, struct wardi_alloc *alloc, int fd);

#endif
