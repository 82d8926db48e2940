/* SPDX-License-Identifier: MIT
 *
 * unconnected.h - the transport of a stream that has no connection yet, or no longer.
 */
#ifndef WARDI_NET_UNCONNECTED_H
#define WARDI_NET_UNCONNECTED_H

#include "net/transport/transport.h"

extern const struct wardi_transport wardi_unconnected;

#endif
