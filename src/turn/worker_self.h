/* SPDX-License-Identifier: MIT
 *
 * worker_self.h - a worker gets and gives back its `ward_self`.
 */
#ifndef WARDI_WORKER_SELF_H
#define WARDI_WORKER_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wardi_worker;

bool wardi_self_begin(struct wardi_worker *worker);

void wardi_self_end(struct wardi_worker *worker);

int64_t wardi_self_rest(struct wardi_worker *worker);

/* The worker has taken so many cells from another one. */
void wardi_self_stole(struct wardi_worker *worker, size_t count);

/* A line of the scheduler's for the event stream. */
void wardi_self_note(struct wardi_worker *worker, const char *text);

int64_t wardi_self_tidy(struct wardi_worker *worker, int64_t now_ns);

#endif
