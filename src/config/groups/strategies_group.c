/* SPDX-License-Identifier: MIT
 *
 * strategies_group.c - the group `strategies`: rules, limits and deciders by name.
 *
 * Each name, of the library, of a module or of the file, means one strategy only. In a file a
 * missing limit is no limit, and 0 restarts means no restarts; in a ward_strategy zero is the
 * default. A failure that no rule matches is escalated.
 *
 * Threads: as the config.
 */
#include "config/groups/strategies_group.h"

#include <string.h>

#include <ward/extend.h>

#include "config/groups/log_group.h"
#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/fields.h"
#include "config/read/modules.h"
#include "config/read/value.h"

struct file_strategy {
	ward_scope scope;
	const config_setting_t *rules;
	const char *decide;
	ward_directive otherwise;
	ward_limit limit;
	int32_t restarts_max;
	int64_t window_ms;
	bool quiet;
	ward_level restart_level, stop_level;
};

static const ward_config_name scopes[] = {
	{"one-for-one", WARD_ONE_FOR_ONE}, {"all-for-one", WARD_ALL_FOR_ONE}, {NULL, 0}};

static const ward_config_name directives[] = {{"resume", WARD_RESUME},
					      {"restart", WARD_RESTART},
					      {"stop", WARD_STOP},
					      {"escalate", WARD_ESCALATE},
					      {NULL, 0}};

static const ward_config_name limits[] = {{"per-child", WARD_LIMIT_PER_CHILD},
					  {"sliding", WARD_LIMIT_SLIDING},
					  {"intensity", WARD_LIMIT_INTENSITY},
					  {"notify", WARD_LIMIT_NOTIFY},
					  {NULL, 0}};

#define AT(member) WARD_CONFIG_AT(struct file_strategy, member)
static const ward_config_field fields[] = {
	{"scope", WARD_CONFIG_ENUM, AT(scope), .names = scopes},
	{"rules", (ward_config_type)WARDI_CONFIG_RAW, AT(rules)},
	{"decide", WARD_CONFIG_STRING, AT(decide)},
	{"otherwise", WARD_CONFIG_ENUM, AT(otherwise), .names = directives},
	{"limit", WARD_CONFIG_ENUM, AT(limit), .names = limits},
	{"restarts-max", WARD_CONFIG_INT, AT(restarts_max), .min = 0, .max = INT32_MAX},
	{"window", WARD_CONFIG_DURATION, AT(window_ms), .min = 1},
	{"quiet", WARD_CONFIG_BOOL, AT(quiet)},
	{"restart-level", WARD_CONFIG_ENUM, AT(restart_level), .names = wardi_config_levels},
	{"stop-level", WARD_CONFIG_ENUM, AT(stop_level), .names = wardi_config_levels},
	{0},
};
#undef AT

/* ---- reading ----------------------------------------------------------------------------- */

static void read_rule(ward_config *config, const config_setting_t *setting, ward_rule *rule)
{
	const ward_config_field field = {.key = "directive",
					 .kind = WARD_CONFIG_ENUM,
					 .size = sizeof rule->directive,
					 .names = directives};

	rule->failure_class = wardi_config_class(config, config_setting_name(setting), setting);
	wardi_config_value(config, setting, &field, &rule->directive);
}

static void read_rules(ward_config *config, const config_setting_t *group, ward_rule *rules)
{
	int count = wardi_config_is_group(config, group) ? config_setting_length(group) : 0;

	if (count > WARD_RULES_MAX) {
		wardi_config_wrong(config, group, NULL, "has %d rules, at most %d are allowed",
				   count, WARD_RULES_MAX);
		count = WARD_RULES_MAX;
	}
	for (int i = 0; i < count; i++)
		read_rule(config, config_setting_get_elem(group, (unsigned)i), &rules[i]);
}

/* Returns how the numbers contradict each other, in the words of the file; NULL: they do not. */
static const char *contradiction(const ward_strategy *strategy, const char **ret_key)
{
	bool slides = strategy->limit == WARD_LIMIT_SLIDING ||
		      (strategy->limit == WARD_LIMIT_INTENSITY &&
		       (strategy->restarts_max != 0 || strategy->window_ms != 0));

	*ret_key = "restarts-max";
	if (strategy->restarts_max == 0 && strategy->window_ms > 0)
		return "is missing: a window needs a number of restarts";
	if (strategy->restarts_max == 0 && slides)
		return "is missing: this limit needs restarts-max and a window";
	if (strategy->restarts_max == 0 && strategy->limit == WARD_LIMIT_NOTIFY)
		return "is missing: without it the limit never notifies";
	if (strategy->restarts_max > WARD_RESTARTS_LOG_MAX && slides)
		return "is too large: this limit records the time of each restart, at most 1000";
	*ret_key = "window";
	if (strategy->restarts_max > 0 && strategy->window_ms <= 0 && slides)
		return "is missing or \"forever\": this limit needs a finite window";
	return NULL;
}

static void check_numbers(ward_config *config, const config_setting_t *group,
			  const ward_strategy *strategy)
{
	const char *key, *why = contradiction(strategy, &key);

	if (why != NULL)
		wardi_config_wrong(config, group, key, "%s", why);
	else if (ward_strategy_check(strategy) != WARD_OK)
		wardi_config_wrong(config, group, NULL, "%s", ward_err_detail());
}

/* The numbers are checked only if the strategy is right so far. */
static void read_strategy(ward_config *config, const config_setting_t *group,
			  ward_strategy *strategy)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_strategy file = {.restarts_max = -1};
	const ward_config_decider *decider;
	uint32_t errors = config->errors;

	wardi_config_read(&reader, group, NULL, NULL, fields, &file);
	strategy->scope = file.scope;
	strategy->otherwise = file.otherwise;
	strategy->limit = file.limit;
	strategy->window_ms = file.window_ms == WARD_FOREVER ? 0 : file.window_ms;
	strategy->quiet = file.quiet;
	strategy->restart_level = file.restart_level;
	strategy->stop_level = file.stop_level;
	if (file.restarts_max >= 0)
		strategy->restarts_max =
			file.restarts_max == 0 ? WARD_RESTARTS_NONE : file.restarts_max;
	if (file.rules != NULL)
		read_rules(config, file.rules, strategy->rules);
	if (file.decide != NULL) {
		decider = wardi_config_decider(config, file.decide,
					       config_setting_get_member(group, "decide"));
		strategy->decide = decider == NULL ? NULL : decider->decide;
	}
	if (config->errors == errors)
		check_numbers(config, group, strategy);
}

static void add(ward_config *config, const config_setting_t *group)
{
	const char *name = config_setting_name(group);
	struct wardi_config_strategy *own = wardi_config_make(config, sizeof *own);
	ward_strategy *strategy = wardi_config_make(config, sizeof *strategy);
	ward_strategy *whole = wardi_config_make(config, sizeof *whole);

	if (own == NULL || strategy == NULL || whole == NULL)
		return;
	if (wardi_config_find_strategy(config, name) != NULL) {
		wardi_config_wrong(config, group, NULL,
				   "ward or a module has a strategy of this name already: choose "
				   "another name");
		return;
	}
	if (!wardi_config_is_group(config, group))
		return;
	read_strategy(config, group, strategy);
	own->name = name;
	own->strategy = strategy;
	if (strategy->rules[0].failure_class != NULL && strategy->otherwise == WARD_UNDECIDED) {
		*whole = *strategy;
		whole->otherwise = WARD_ESCALATE;
		own->strategy = whole;
		own->as_said = strategy;
	}
	own->next = config->strategies;
	config->strategies = own;
}

void wardi_config_strategies(ward_config *config, const config_setting_t *group)
{
	int count = wardi_config_is_group(config, group) ? config_setting_length(group) : 0;

	for (int i = 0; i < count; i++)
		add(config, config_setting_get_elem(group, (unsigned)i));
}
