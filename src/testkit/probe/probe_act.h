/* SPDX-License-Identifier: MIT
 *
 * probe_act.h - acting as the probe: orders of the test's thread, carried out in its callbacks.
 */
#ifndef WARDI_TESTKIT_PROBE_ACT_H
#define WARDI_TESTKIT_PROBE_ACT_H

#include <ward/testkit/probe.h>
#include <ward/types.h>

struct wardi_probe_order;

void wardi_order_free(struct wardi_probe_order *order);

/* Carries out all orders, then discards the messages that are done. In the probe's callbacks. */
void wardi_probe_carry_out(ward_self *self, ward_probe *probe);

/* ward_probe_do() on behalf of the call under way. */
void wardi_probe_do(ward_probe *probe, void (*fn)(ward_self *self, void *arg), void *arg);

/* Moves until all orders are carried out; returns whether they are. On the test's thread. */
bool wardi_probe_settle(ward_probe *probe);

/* Frees the order that jumped out, which will not return. Under mu. */
void wardi_probe_settle_under_way(ward_probe *probe);

#endif
