/* SPDX-License-Identifier: MIT
 *
 * remote_group.c - the group `remote`: the actor of the file is a stand-in, and the nodes start
 * what it stands for. The behaviour is that of the guest, and has the keys of `args`.
 *
 * Threads: as the config.
 */
#include "config/groups/remote_group.h"

#include <string.h>

#include <ward/association.h>
#include <ward/guests.h>

#include "config/read/errors.h"
#include "config/read/modules.h"
#include "config/read/tree.h"

struct file_remote {
	const char *const *nodes;
	const char *kind;
	int64_t start_timeout_ms, grace_ms;
};

#define AT(member) WARD_CONFIG_AT(struct file_remote, member)
static const ward_config_field fields[] = {
	{"nodes", WARD_CONFIG_STRINGS, AT(nodes)},
	{"kind", WARD_CONFIG_STRING, AT(kind), .min = 1, .max = WARD_KIND_NAME - 1},
	{"start-timeout", WARD_CONFIG_DURATION, AT(start_timeout_ms), .min = 1},
	{"grace", WARD_CONFIG_DURATION, AT(grace_ms), .min = 1},
	{0},
};
#undef AT

/* What belongs to the guest is said where its kind is. */
static void check_beside(ward_config *config, const config_setting_t *setting)
{
	static const char *const keys[] = {"children", "listen",     "connect",
					   "strategy", "memory-max", "stash-max"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const config_setting_t *at = config_setting_get_member(setting, keys[i]);

		if (at != NULL)
			wardi_config_wrong(config, at, NULL,
					   "and remote exclude each other: the kind at the node "
					   "has what concerns the actor there");
	}
}

static void check_kind(ward_config *config, const config_setting_t *setting, const char *kind)
{
	if (strlen(kind) < WARD_KIND_NAME)
		return;
	wardi_config_wrong(config, config_setting_get_member(setting, "behavior"), NULL,
			   "is too long for a kind: at most %d bytes, or name one with remote.kind",
			   WARD_KIND_NAME - 1);
}

/* "" is the system of the file. */
static void check_nodes(ward_config *config, const config_setting_t *nodes,
			const char *const *names)
{
	for (unsigned i = 0; names != NULL && names[i] != NULL; i++)
		if (names[i][0] != '\0' && ward_node_name_check(names[i]) != WARD_OK)
			wardi_config_wrong(config, config_setting_get_elem(nodes, i), NULL, "%s",
					   ward_err_detail());
}

void wardi_config_remote(ward_config *config, const config_setting_t *group,
			 struct wardi_config_node *node)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_remote file = {0};

	if (!wardi_config_is_group(config, group) || node->kind == NULL)
		return;
	wardi_config_read(&reader, group, NULL, NULL, fields, &file);
	if (file.nodes != NULL && file.nodes[0] == NULL)
		wardi_config_wrong(config, config_setting_get_member(group, "nodes"), NULL,
				   "is empty: leave it out for the system of the file itself");
	check_nodes(config, config_setting_get_member(group, "nodes"), file.nodes);
	check_beside(config, node->setting);
	if (file.kind == NULL)
		check_kind(config, node->setting, node->kind->name);
	node->far = true;
	node->remote = (struct ward_remote){
		.nodes = file.nodes,
		.kind = file.kind != NULL ? file.kind : node->kind->name,
		.start_timeout_ms = file.start_timeout_ms,
		.grace_ms = file.grace_ms,
		.failure_classes = wardi_config_classes(config),
	};
}
