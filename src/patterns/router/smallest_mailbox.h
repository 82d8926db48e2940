/* SPDX-License-Identifier: MIT
 *
 * smallest_mailbox.h - the routee with the fewest messages waiting.
 */
#ifndef WARDI_SMALLEST_MAILBOX_H
#define WARDI_SMALLEST_MAILBOX_H

#include "patterns/router/router.h"

extern const struct wardi_logic wardi_route_smallest;

#endif
