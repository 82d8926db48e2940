/* SPDX-License-Identifier: MIT
 *
 * strategy_names.c - strategies by name: those of the library, and those of the file.
 *
 * Threads: as the config.
 */
#include "config/read/strategy_names.h"

#include <string.h>

#include <ward/supervise.h>
#include <ward/text.h>

#include "config/read/errors.h"
#include "config/read/reader.h"
#include "config/read/suggest.h"

/* The strategies of the library. */
static const struct {
	const char *name;
	const ward_strategy *strategy;
} ready[] = {
	{"default", &ward_default_strategy},
	{"stopping", &ward_stopping_strategy},
	{"escalating", &ward_escalating_strategy},
};
enum { READY = sizeof ready / sizeof ready[0] };

const ward_strategy *wardi_config_ready_strategy(const char *name)
{
	for (size_t i = 0; i < READY; i++)
		if (strcmp(name, ready[i].name) == 0)
			return ready[i].strategy;
	return NULL;
}

const ward_strategy *wardi_config_find_strategy(const ward_config *config, const char *name)
{
	const ward_strategy *found = wardi_config_ready_strategy(name);

	if (found != NULL)
		return found;
	for (const struct wardi_config_strategy *at = config->strategies; at; at = at->next)
		if (strcmp(at->name, name) == 0)
			return at->strategy;
	return NULL;
}

const ward_strategy *wardi_config_strategy(ward_config *config, const char *name,
					   const config_setting_t *at)
{
	const ward_strategy *found = wardi_config_find_strategy(config, name);
	struct wardi_config_words words = {0};
	char text[WARDI_CONFIG_TEXT];

	if (found != NULL)
		return found;
	for (size_t i = 0; i < READY; i++)
		wardi_config_word(config, &words, ready[i].name);
	for (const struct wardi_config_strategy *own = config->strategies; own; own = own->next)
		wardi_config_word(config, &words, own->name);
	wardi_config_suggest(&words, name, "there are", text, sizeof text);
	wardi_config_wrong(config, at, NULL, "no strategy \"%.*s\"; %s", WARD_TEXT_FIT(name, 64),
			   text);
	return NULL;
}

const char *wardi_config_strategy_name(const ward_config *config, const ward_strategy *strategy)
{
	for (size_t i = 0; i < READY; i++)
		if (strategy == ready[i].strategy)
			return ready[i].name;
	for (const struct wardi_config_strategy *at = config->strategies; at; at = at->next)
		if (at->strategy == strategy || (strategy != NULL && at->as_said == strategy))
			return at->name;
	return NULL;
}

const ward_strategy *wardi_config_strategy_as_said(const ward_config *config,
						   const ward_strategy *strategy)
{
	for (const struct wardi_config_strategy *at = config->strategies; at; at = at->next)
		if (at->strategy == strategy && at->as_said != NULL)
			return at->as_said;
	return strategy;
}
