/* SPDX-License-Identifier: MIT
 *
 * worker_self.h - makes and frees the `ward_self` of a worker.
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

/* The worker has taken `count` cells from another worker. */
void wardi_self_stole(struct wardi_worker *worker, size_t count);

/* Publishes a line of the scheduler as an event. */
void wardi_self_note(struct wardi_worker *worker, const char *text);

int64_t wardi_self_tidy(struct wardi_worker *worker, int64_t now_ns);

#endif
