/* SPDX-License-Identifier: MIT
 *
 * check_file.c - checks a file against its modules, and keeps the result for the start.
 *
 * Strategies come first, since the others name them; then the system, whose dispatchers and mailbox
 * the actors need; then the tree; then the refs in it.
 *
 * Threads: as the config.
 */
#include <ward/config.h>
#include <ward/extend.h>
#include <ward/system.h>
#include <ward/text.h>
#include <ward/types.h>

#include "common/uncancelled.h"
#include "config/groups/actors_group.h"
#include "config/groups/log_group.h"
#include "config/groups/strategies_group.h"
#include "config/groups/system_group.h"
#include "config/read/errors.h"
#include "config/read/fields.h"
#include "config/read/modules.h"
#include "config/tree/refs.h"

#define RAW ((ward_config_type)WARDI_CONFIG_RAW)

struct file {
	const config_setting_t *modules, *system, *strategies, *services, *actors;
};

#define AT(member) WARD_CONFIG_AT(struct file, member)

static const ward_config_field fields[] = {
	{"modules", RAW, AT(modules)},       {"system", RAW, AT(system)},
	{"strategies", RAW, AT(strategies)}, {"services", RAW, AT(services)},
	{"actors", RAW, AT(actors)},         {0},
};
#undef AT

static void check(ward_config *config)
{
	struct wardi_config_reader reader = {.config = config};
	struct file file = {0};

	wardi_config_read(&reader, config_root_setting(&config->file), NULL, NULL, fields, &file);
	wardi_config_strategies(config, file.strategies);
	wardi_config_system(config, file.system);
	wardi_config_nodes(config, file.services, file.actors);
	wardi_config_resolve(config);
}

ward_err ward_config_check(ward_config *config, const ward_config_module *const *modules,
			   const ward_config_listener *listener)
{
	WARDI_UNCANCELLED;
	ward_err err;

	if (config->checked)
		return ward_refused(WARD_EINVAL, "%.*s: was checked before",
				    WARD_TEXT_FIT(config->path, 300));
	config->checked = true;
	err = wardi_config_take_modules(config, modules);
	if (err != WARD_OK)
		return err;
	wardi_config_listen(config, listener);
	check(config);
	err = wardi_config_verdict(config);
	config->ready = err == WARD_OK;
	return err;
}

ward_err ward_config_load(const char *path, const ward_config_module *const *modules,
			  const ward_config_listener *listener, ward_config **ret_config)
{
	WARDI_UNCANCELLED;
	ward_config *config;
	ward_err err = ward_config_open(path, listener, &config);

	if (err != WARD_OK)
		return err;
	err = ward_config_check(config, modules, listener);
	if (err != WARD_OK) {
		ward_config_close(config);
		return err;
	}
	*ret_config = config;
	return WARD_OK;
}

ward_err ward_config_options(ward_config *config, ward_options *ret_options)
{
	WARDI_UNCANCELLED;

	ward_options options = config->options;
	ward_err err;

	if (!config->ready)
		return ward_refused(WARD_EINVAL, "%.*s: is not checked, or was refused",
				    WARD_TEXT_FIT(config->path, 300));
	err = wardi_config_log_open(&config->log);
	if (err != WARD_OK)
		return err;
	if (config->log.fd >= 0) {
		options.log = wardi_config_log_event;
		options.log_arg = &config->log;
	}
	*ret_options = options;
	return WARD_OK;
}
