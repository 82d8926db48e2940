/* SPDX-License-Identifier: MIT
 *
 * plain_turn.h - the loop of a worker of the default dispatcher: turn after turn, most of them the
 * plain way.
 */
#ifndef WARDI_PLAIN_TURN_H
#define WARDI_PLAIN_TURN_H

struct wardi_worker;

/* Runs what there is to run on a worker of the default dispatcher, until the end. */
void wardi_plain_turns(struct wardi_worker *worker);

#endif
