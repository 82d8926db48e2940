/* SPDX-License-Identifier: MIT
 *
 * strategy_names.h - strategies by name: those of the library, and those of the file.
 */
#ifndef WARDI_CONFIG_STRATEGY_NAMES_H
#define WARDI_CONFIG_STRATEGY_NAMES_H

#include <libconfig.h>

#include <ward/config.h>

/* For a back-off, which asks the default decider where a strategy has no opinion: without the
 * escalation that the file implies. NULL is fine. */
const ward_strategy *wardi_config_strategy_as_said(const ward_config *config,
						   const ward_strategy *strategy);

/* NULL: there is none of this name. */
const ward_strategy *wardi_config_find_strategy(const ward_config *config, const char *name);

/* Returns a strategy of the library; NULL: there is none of this name. */
const ward_strategy *wardi_config_ready_strategy(const char *name);

/** Finds a strategy by name; NULL: an error was reported. */
const ward_strategy *wardi_config_strategy(ward_config *config, const char *name,
					   const config_setting_t *at);

/** Returns the name of a strategy; NULL: it has none. */
const char *wardi_config_strategy_name(const ward_config *config, const ward_strategy *strategy);

#endif
