/* SPDX-License-Identifier: MIT
 *
 * connector_args.h - the options of the tries of a connector.
 */
#ifndef WARDI_NET_CONNECTOR_ARGS_H
#define WARDI_NET_CONNECTOR_ARGS_H

#include <ward/net/connector.h>

#include "net/opening/opening.h"

struct wardi_opening_how wardi_connector_how(const struct ward_connector *args);

#endif
