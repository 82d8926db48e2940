/* SPDX-License-Identifier: MIT
 *
 * foreign_send.h - sends from other threads than the simulation's own.
 */
#ifndef WARDI_FOREIGN_SEND_H
#define WARDI_FOREIGN_SEND_H

#include <ward/types.h>

struct wardi_foreign_sends;

ward_err wardi_foreign_sends_create(ward_system *system,
				    struct wardi_foreign_sends **ret_trespasses);
void wardi_foreign_sends_destroy(ward_system *system, struct wardi_foreign_sends *foreign_sends);
/* Any thread: counts and drops the body; the event waits for the simulation's own thread. */
void wardi_foreign_send(ward_system *system, ward_ref to, const ward_type *type, const void *body,
			size_t size);
/* The simulation's own thread: publishes the events that wait. */
void wardi_foreign_sends_publish(ward_system *system);

#endif
