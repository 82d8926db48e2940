/* SPDX-License-Identifier: MIT
 *
 * wrap.c - the front of an actor: a back-off supervisor, or a pool of its routees.
 *
 * Threads: as the config.
 */
#include "config/groups/wrap.h"

#include <string.h>

#include "config/groups/mailbox_group.h"
#include "config/read/errors.h"
#include "config/read/modules.h"
#include "config/read/tree.h"

/* ---- back-off ---------------------------------------------------------------------------- */

struct file_backoff {
	int64_t min_ms, max_ms, window_ms, auto_reset_ms;
	double random_factor;
	int32_t restarts_max;
	uint32_t stash_max;
	bool manual_reset;
	int on;
	const ward_strategy *strategy;
	const char *child;
	const config_setting_t *mailbox;
};

enum { CHILD_MAX = 1024 }; /* bytes of a name, as a spawn takes them */

static const ward_config_name kinds[] = {{"failure", 0}, {"stop", 1}, {NULL, 0}};

#define AT(member) WARD_CONFIG_AT(struct file_backoff, member)
static const ward_config_field backoff_fields[] = {
	{"min", WARD_CONFIG_DURATION, AT(min_ms), .required = true, .min = 1},
	{"max", WARD_CONFIG_DURATION, AT(max_ms), .required = true, .min = 1},
	{"random-factor", WARD_CONFIG_FLOAT, AT(random_factor), .min = 0, .max = 1},
	{"on", WARD_CONFIG_ENUM, AT(on), .names = kinds},
	{"restarts-max", WARD_CONFIG_INT, AT(restarts_max), .min = 0, .max = INT32_MAX},
	{"window", WARD_CONFIG_DURATION, AT(window_ms), .min = 1},
	{"auto-reset", WARD_CONFIG_DURATION, AT(auto_reset_ms), .min = 1},
	{"manual-reset", WARD_CONFIG_BOOL, AT(manual_reset)},
	{"strategy", WARD_CONFIG_STRATEGY, AT(strategy)},
	{"stash-max", WARD_CONFIG_UINT, AT(stash_max), .min = 1, .max = UINT32_MAX},
	{"child", WARD_CONFIG_STRING, AT(child), .min = 1, .max = CHILD_MAX},
	{"mailbox", (ward_config_type)WARDI_CONFIG_RAW, AT(mailbox)},
	{0},
};
#undef AT

static void check_backoff(ward_config *config, const config_setting_t *group,
			  const struct file_backoff *file)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";

	if (file->child != NULL && file->child[strspn(file->child, letters)] != '\0')
		wardi_config_wrong(config, group, "child",
				   "the name of an actor has letters, digits, '-' and '_'");
	if (file->max_ms < file->min_ms)
		wardi_config_wrong(config, group, "max", "is less than min");
	if (file->window_ms != 0 && file->restarts_max < 0 &&
	    (file->strategy == NULL || file->strategy->restarts_max == 0))
		wardi_config_wrong(config, group, "restarts-max",
				   "is missing: a window needs a number of restarts");
	if (file->manual_reset && file->auto_reset_ms != 0)
		wardi_config_wrong(config, group, "auto-reset",
				   "auto-reset and manual-reset exclude each other");
	if (file->auto_reset_ms != 0 &&
	    (file->auto_reset_ms < file->min_ms || file->auto_reset_ms > file->max_ms))
		wardi_config_wrong(config, group, "auto-reset", "must be between min and max");
	if (file->strategy != NULL && file->strategy->limit != WARD_LIMIT_PER_CHILD)
		wardi_config_wrong(config, group, "strategy",
				   "must have the limit \"per-child\": a back-off supervisor has "
				   "one child and counts its restarts itself");
}

void wardi_config_backoff(ward_config *config, const config_setting_t *group,
			  struct wardi_config_node *node)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_backoff file = {.restarts_max = -1};
	uint32_t errors = config->errors;

	if (!wardi_config_is_group(config, group))
		return;
	wardi_config_read(&reader, group, NULL, NULL, backoff_fields, &file);
	if (config->errors == errors)
		check_backoff(config, group, &file);
	node->front = WARDI_FRONT_BACKOFF;
	node->on_failure = file.on == 0;
	node->backoff = (struct ward_backoff){
		.min_backoff_ms = file.min_ms,
		.max_backoff_ms = file.max_ms,
		.random_factor = file.random_factor,
		.window_ms = file.window_ms,
		.auto_reset_ms = file.auto_reset_ms,
		.manual_reset = file.manual_reset,
		.strategy = wardi_config_strategy_as_said(config, file.strategy),
		.stash_max = file.stash_max,
	};
	node->backoff_child = file.child;
	if (file.mailbox != NULL)
		wardi_config_mailbox(config, file.mailbox, &node->front_mailbox,
				     &node->front_priority);
	if (file.restarts_max >= 0)
		node->backoff.retries_max =
			file.restarts_max == 0 ? WARD_RESTARTS_NONE : file.restarts_max;
}

/* ---- pool -------------------------------------------------------------------------------- */

struct file_pool {
	ward_routing routing;
	uint32_t routees;
	const ward_strategy *strategy;
	const char *hash;
	int64_t timeout_ms, interval_ms;
	const config_setting_t *resizer;
};

static const ward_config_name routings[] = {
	{"round-robin", WARD_ROUTE_ROUND_ROBIN},
	{"random", WARD_ROUTE_RANDOM},
	{"smallest-mailbox", WARD_ROUTE_SMALLEST_MAILBOX},
	{"broadcast", WARD_ROUTE_BROADCAST},
	{"scatter-gather", WARD_ROUTE_SCATTER_GATHER},
	{"tail-chopping", WARD_ROUTE_TAIL_CHOPPING},
	{"consistent-hashing", WARD_ROUTE_CONSISTENT_HASHING},
	{NULL, 0},
};

#define AT(member) WARD_CONFIG_AT(struct file_pool, member)
static const ward_config_field pool_fields[] = {
	{"routing", WARD_CONFIG_ENUM, AT(routing), .names = routings},
	{"routees", WARD_CONFIG_UINT, AT(routees), .min = 1, .max = WARD_ROUTEES_MAX},
	{"strategy", WARD_CONFIG_STRATEGY, AT(strategy)},
	{"hash", WARD_CONFIG_STRING, AT(hash)},
	{"timeout", WARD_CONFIG_DURATION, AT(timeout_ms), .min = 1},
	{"interval", WARD_CONFIG_DURATION, AT(interval_ms), .min = 1},
	{"resizer", (ward_config_type)WARDI_CONFIG_RAW, AT(resizer)},
	{0},
};
#undef AT

#define AT(member) WARD_CONFIG_AT(ward_resizer, member)
static const ward_config_field resizer_fields[] = {
	{"routees-min", WARD_CONFIG_UINT, AT(routees_min), .min = 1, .max = WARD_ROUTEES_MAX},
	{"routees-max", WARD_CONFIG_UINT, AT(routees_max), .min = 1, .max = WARD_ROUTEES_MAX},
	{"pressure-min", WARD_CONFIG_INT, AT(pressure_min), .min = 1},
	{"ramp-up-percent", WARD_CONFIG_INT, AT(ramp_up_percent), .min = 1, .max = 1000},
	{"back-off-below-percent", WARD_CONFIG_INT, AT(back_off_below_percent), .min = 1,
	 .max = 100},
	{"back-off-percent", WARD_CONFIG_INT, AT(back_off_percent), .min = 1, .max = 100},
	{"messages-per-resize", WARD_CONFIG_UINT, AT(messages_per_resize), .min = 1,
	 .max = UINT32_MAX},
	{0},
};
#undef AT

static void check_pool(ward_config *config, const config_setting_t *group,
		       const struct wardi_config_node *node, const struct file_pool *file)
{
	if (file->routing == WARD_ROUTE_CONSISTENT_HASHING && file->hash == NULL)
		wardi_config_wrong(config, group, "hash",
				   "is missing: consistent-hashing needs the name of a hash");
	if (file->routing != WARD_ROUTE_CONSISTENT_HASHING && file->hash != NULL)
		wardi_config_wrong(config, group, "hash",
				   "has no effect without routing = \"consistent-hashing\"");
	if (file->timeout_ms != 0 && file->routing != WARD_ROUTE_SCATTER_GATHER &&
	    file->routing != WARD_ROUTE_TAIL_CHOPPING)
		wardi_config_wrong(config, group, "timeout",
				   "has no effect without routing = \"scatter-gather\" or "
				   "\"tail-chopping\"");
	if (file->interval_ms != 0 && file->routing != WARD_ROUTE_TAIL_CHOPPING)
		wardi_config_wrong(config, group, "interval",
				   "has no effect without routing = \"tail-chopping\"");
	if (node->resizer.routees_max != 0 && node->resizer.routees_max < node->resizer.routees_min)
		wardi_config_wrong(config, group, "resizer.routees-max",
				   "is less than routees-min");
}

void wardi_config_pool(ward_config *config, const config_setting_t *group,
		       struct wardi_config_node *node)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_pool file = {0};
	const ward_config_hash *hash;

	if (!wardi_config_is_group(config, group))
		return;
	wardi_config_read(&reader, group, NULL, NULL, pool_fields, &file);
	if (wardi_config_is_group(config, file.resizer)) {
		wardi_config_read(&reader, file.resizer, NULL, NULL, resizer_fields,
				  &node->resizer);
		node->pool.resizer = &node->resizer;
	}
	check_pool(config, group, node, &file);
	node->front = WARDI_FRONT_POOL;
	node->pool.routing = file.routing;
	node->pool.routees = file.routees;
	node->pool.timeout_ms = file.timeout_ms;
	node->pool.interval_ms = file.interval_ms;
	node->pool_strategy = file.strategy;
	if (file.hash != NULL) {
		hash = wardi_config_hash(config, file.hash,
					 config_setting_get_member(group, "hash"));
		node->pool.hash = hash == NULL ? NULL : hash->hash;
	}
}
