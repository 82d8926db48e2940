/* SPDX-License-Identifier: MIT
 *
 * modules.h - the modules of a program: behaviours, failure classes and functions that a file may
 * name.
 */
#ifndef WARDI_CONFIG_MODULES_H
#define WARDI_CONFIG_MODULES_H

#include <libconfig.h>

#include <ward/config.h>
#include <ward/types.h>

/** Find by name; NULL: an error was reported at the setting. */
const ward_config_behavior *wardi_config_behavior(ward_config *config, const char *name,
						  const config_setting_t *at);

/** The same without an error. */
const ward_config_behavior *wardi_config_has_behavior(const ward_config *config, const char *name);

const ward_failure_class *wardi_config_class(ward_config *config, const char *name,
					     const config_setting_t *at);

/** All of the modules, ended by NULL; NULL as for wardi_config_make(). */
const ward_failure_class *const *wardi_config_classes(ward_config *config);

const ward_config_decider *wardi_config_decider(ward_config *config, const char *name,
						const config_setting_t *at);

const ward_config_hash *wardi_config_hash(ward_config *config, const char *name,
					  const config_setting_t *at);

const ward_config_priority *wardi_config_priority(ward_config *config, const char *name,
						  const config_setting_t *at);

/** Takes the modules; the detail of the error names a wrong module. */
ward_err wardi_config_take_modules(ward_config *config, const ward_config_module *const *modules);

#endif
