/* SPDX-License-Identifier: MIT
 *
 * listener_module.h - what a configuration file may say of a listener.
 *
 * Tables only: the library ward-config is not needed, nor linked.
 */
#ifndef WARDI_NET_LISTENER_MODULE_H
#define WARDI_NET_LISTENER_MODULE_H

#include <ward/config.h>

extern const ward_config_field wardi_listener_fields[];
ward_err wardi_listener_verify(const void *args, const char **ret_key) WARD_NOEXCEPT;

/* Whether the behaviour serves connections. */
ward_err wardi_config_child_check(const ward_behavior *child);

#endif
