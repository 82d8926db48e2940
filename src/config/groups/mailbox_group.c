/* SPDX-License-Identifier: MIT
 *
 * mailbox_group.c - a group `mailbox`: the default of the system, or the mailbox of one actor.
 *
 * Threads: as the config.
 */
#include "config/groups/mailbox_group.h"

#include <stddef.h>

#include "config/read/errors.h"
#include "config/read/fields.h"
#include "config/read/modules.h"

struct file_mailbox {
	ward_mailbox mailbox;
	const char *priority;
};

static const ward_config_name overflows[] = {{"refuse", WARD_OVERFLOW_REFUSE},
					     {"drop-newest", WARD_OVERFLOW_DROP_NEWEST},
					     {"drop-oldest", WARD_OVERFLOW_DROP_OLDEST},
					     {"hold-sender", WARD_OVERFLOW_HOLD_SENDER},
					     {NULL, 0}};

#define AT(member) WARD_CONFIG_AT(struct file_mailbox, member)
static const ward_config_field fields[] = {
	{"messages-max", WARD_CONFIG_UINT, AT(mailbox.messages_max), .min = 0, .max = UINT32_MAX},
	{"overflow", WARD_CONFIG_ENUM, AT(mailbox.overflow), .names = overflows},
	{"priority", WARD_CONFIG_STRING, AT(priority)},
	{"control-first", WARD_CONFIG_BOOL, AT(mailbox.control_first)},
	{"counted", WARD_CONFIG_BOOL, AT(mailbox.counted)},
	{0},
};
#undef AT

void wardi_config_mailbox(ward_config *config, const config_setting_t *group, ward_mailbox *mailbox,
			  const char **priority)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_mailbox file = {.mailbox = *mailbox, .priority = *priority};
	const ward_config_priority *found;
	uint32_t errors = config->errors;

	if (!wardi_config_is_group(config, group))
		return;
	wardi_config_read(&reader, group, NULL, NULL, fields, &file);
	if (config_setting_get_member(group, "priority") != NULL && file.priority != NULL) {
		found = wardi_config_priority(config, file.priority,
					      config_setting_get_member(group, "priority"));
		file.mailbox.priority = found == NULL ? NULL : found->priority;
	}
	/* A mailbox without a maximum does not overflow, whatever the default is. */
	if (file.mailbox.messages_max == 0 && config_setting_get_member(group, "overflow") == NULL)
		file.mailbox.overflow = WARD_OVERFLOW_REFUSE;
	if (config->errors == errors && file.mailbox.messages_max == 0 &&
	    config_setting_get_member(group, "overflow") != NULL)
		wardi_config_wrong(config, group, "overflow",
				   "has no effect without messages-max: the mailbox is unbounded");
	*mailbox = file.mailbox;
	*priority = file.priority;
}
