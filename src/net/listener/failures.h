/* SPDX-License-Identifier: MIT
 *
 * failures.h - what happens to a child of a listener that failed.
 */
#ifndef WARDI_NET_FAILURES_H
#define WARDI_NET_FAILURES_H

#include <ward/supervise.h>

extern const ward_strategy wardi_listener_strategy;

#endif
