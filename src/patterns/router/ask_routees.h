/* SPDX-License-Identifier: MIT
 *
 * ask_routees.h - scatter-gather and tail chopping: several routees are asked, and the first answer
 * counts.
 */
#ifndef WARDI_ASK_ROUTEES_H
#define WARDI_ASK_ROUTEES_H

#include "patterns/router/router.h"

extern const struct wardi_logic wardi_route_gather;
extern const struct wardi_logic wardi_route_tail;

#endif
