/* SPDX-License-Identifier: MIT
 *
 * module_check.h - checks a module: its version, its tables, and the fields of arguments, which
 * must fit the struct that they describe.
 */
#ifndef WARDI_CONFIG_MODULE_CHECK_H
#define WARDI_CONFIG_MODULE_CHECK_H

#include <ward/config.h>
#include <ward/types.h>

/** Returns WARD_OK if the module can be used. */
ward_err wardi_config_check_module(const ward_config_module *module);

/** Whether its actors get a connection as their arguments: children of a listener. */
bool wardi_config_serves_connections(const ward_config_behavior *row);

#endif
