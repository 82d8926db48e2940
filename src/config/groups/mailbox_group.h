/* SPDX-License-Identifier: MIT
 *
 * mailbox_group.h - a group `mailbox`: the default of the system, or the mailbox of one actor.
 */
#ifndef WARDI_CONFIG_MAILBOX_GROUP_H
#define WARDI_CONFIG_MAILBOX_GROUP_H

#include <libconfig.h>

#include <ward/actor.h>
#include <ward/config.h>

/** Reads a group `mailbox` into *mailbox, which has the defaults. */
void wardi_config_mailbox(ward_config *config, const config_setting_t *group, ward_mailbox *mailbox,
			  const char **priority);

#endif
