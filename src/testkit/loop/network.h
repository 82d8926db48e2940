/* SPDX-License-Identifier: MIT
 *
 * network.h - what carries frames between two ends: delays, losses, bells.
 *
 * Functions that end in _locked are called under loop->mu.
 */
#ifndef WARDI_TESTKIT_LOOP_NETWORK_H
#define WARDI_TESTKIT_LOOP_NETWORK_H

#include "testkit/loop/parts.h"

/* Sends a frame from this end to its peer. Threads: any. */
void wardi_network_send(struct wardi_end *end, struct wardi_frame *frame);

/* This end's line begins a life: nothing of earlier ones is in its window. Threads: its own. */
void wardi_network_begin(struct wardi_end *end);
/* Whether this end's line may send more, or has to wait for the bell. Threads: its own. */
bool wardi_network_has_room(struct wardi_end *end);

/* Returns the next frame for the line of that life, or NULL; earlier ones are freed. */
struct wardi_frame *wardi_network_receive(struct wardi_end *end, uint64_t life);

/* Has the bell ring by an answer to the question, at once if there is something to do. */
void wardi_network_arm(struct wardi_end *end, ward_ref question);

/* Nothing arrives at this end until then, and what is of an earlier life never. */
void wardi_network_cut_locked(struct wardi_end *to, int64_t until_ns);
/* Loses what is on its way, and has both keepers notified. */
void wardi_network_reset_locked(struct wardi_pair *pair, int64_t until_ns);
/* Loses what has come to an end without a keeper. */
void wardi_network_forget_locked(struct wardi_end *end);

/* Simulated: delivers what is due by the loop's clock; returns whether there was something. */
bool wardi_network_deliver(ward_loop *loop);
/* Simulated: returns when the next frame is due; INT64_MAX: none is on its way. */
int64_t wardi_network_next_ns(ward_loop *loop);
/* Simulated: whether wardi_network_deliver() would do something. */
bool wardi_network_is_due(ward_loop *loop);

#endif
