/* SPDX-License-Identifier: MIT
 *
 * log_group.h - the log of a system from a file: a line for each event, to stderr, stdout or a
 * file.
 */
#ifndef WARDI_CONFIG_LOG_GROUP_H
#define WARDI_CONFIG_LOG_GROUP_H

#include <libconfig.h>

#include <ward/config.h>
#include <ward/event.h>
#include <ward/types.h>

struct wardi_config_log;

/** The levels by their texts; ends with NULL. */
extern const ward_config_name wardi_config_levels[];

/** Reads the group `log`. */
void wardi_config_log(ward_config *config, const config_setting_t *group);

/** Closes the log. */
void wardi_config_log_close(struct wardi_config_log *log);

/** For options.log; arg is a struct wardi_config_log. */
void wardi_config_log_event(void *arg, const ward_event *event);

/** Opens what `log` names. */
ward_err wardi_config_log_open(struct wardi_config_log *log);

#endif
