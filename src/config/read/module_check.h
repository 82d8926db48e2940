/* SPDX-License-Identifier: MIT
 *
 * module_check.h - whether a module is one: its version, its tables, and the fields of arguments,
 * which must fit the struct that they describe.
 */
#ifndef WARDI_CONFIG_MODULE_CHECK_H
#define WARDI_CONFIG_MODULE_CHECK_H

#include <ward/config.h>
#include <ward/types.h>

/** Says whether a module is one that can be taken. */
ward_err wardi_config_check_module(const ward_config_module *module);

#endif
