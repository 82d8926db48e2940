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

/* As the probe: all orders, then what is done with. */
void wardi_probe_carry_out(ward_self *self, ward_probe *probe);

/* ward_probe_do() on behalf of the call under way. */
void wardi_probe_do(ward_probe *probe, void (*fn)(ward_self *self, void *arg), void *arg);

/* The test's thread: moves until all orders are carried out; says whether they are. */
bool wardi_probe_settle(ward_probe *probe);

/* Under mu, when an order that jumped out will not come back. */
void wardi_probe_settle_under_way(ward_probe *probe);

#endif
