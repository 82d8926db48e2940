/* SPDX-License-Identifier: MIT
 *
 * module.c - the sink for `ward run`: its behaviours under names, and what a file may say of each.
 *
 * The actors are those of ward-sink. The file gives each its place, threads, mailbox and strategy;
 * see sink.conf. One sink in a process, since all share a job.
 */
#include <ward/config.h>

#include "failures.h"
#include "host.h"
#include "lines.h"

static struct job job;
static struct sources sources;

/* ---- arguments --------------------------------------------------------------------------- */

static const struct host_args host_defaults = {
	.job = &job,
	.sources = &sources,
	.line_max = LINE_MAX_DEFAULT,
	.patience_ms = WARD_MINUTE,
};

static const ward_config_field host_fields[] = {
	{"db", WARD_CONFIG_STRING, WARD_CONFIG_AT(struct host_args, db), .required = true, .min = 1,
	 .max = 4000},
	{"memory", WARD_CONFIG_STRING, WARD_CONFIG_AT(struct host_args, memory), .min = 1,
	 .max = 4000},
	{"inputs", WARD_CONFIG_STRINGS, WARD_CONFIG_AT(struct host_args, inputs), .required = true,
	 .min = 1, .max = 1000},
	{"line-max", WARD_CONFIG_SIZE, WARD_CONFIG_AT(struct host_args, line_max), .min = 1,
	 .max = LINE_MAX_LIMIT},
	{"poison", WARD_CONFIG_STRING, WARD_CONFIG_AT(struct host_args, poison), .min = 1,
	 .max = 1000},
	{"patience", WARD_CONFIG_DURATION, WARD_CONFIG_AT(struct host_args, patience_ms),
	 .min = 1000, .max = 1e9},
	{.key = NULL},
};

static const struct sink_args defaults = {
	.job = &job,
	.spawn_children = ward_config_spawn_children,
};

/* For actors with children. */
static const ward_config_field parent_fields[] = {
	{"children", WARD_CONFIG_CHILDREN, WARD_CONFIG_AT(struct sink_args, children),
	 .required = true},
	{.key = NULL},
};

/* For actors that send to actors other than their parent. */
static const ward_config_field writer_fields[] = {
	{"view", WARD_CONFIG_REF, WARD_CONFIG_AT(struct sink_args, view), .required = true},
	{.key = NULL},
};
static const ward_config_field parser_fields[] = {
	{"ledger", WARD_CONFIG_REF, WARD_CONFIG_AT(struct sink_args, ledger), .required = true},
	{"writer", WARD_CONFIG_REF, WARD_CONFIG_AT(struct sink_args, writer), .required = true},
	{.key = NULL},
};

/* ---- the module -------------------------------------------------------------------------- */

static const ward_config_behavior behaviors[] = {
	{.name = "host",
	 .behavior = &host_behavior,
	 .fields = host_fields,
	 .defaults = &host_defaults},
	{.name = "ledger",
	 .behavior = &ledger_behavior,
	 .fields = parent_fields,
	 .defaults = &defaults},
	{.name = "view", .behavior = &view_behavior, .defaults = &defaults},
	{.name = "writer",
	 .behavior = &writer_behavior,
	 .fields = writer_fields,
	 .defaults = &defaults},
	{.name = "parsers",
	 .behavior = &crew_behavior,
	 .fields = parent_fields,
	 .defaults = &defaults},
	{.name = "parser",
	 .behavior = &parser_behavior,
	 .fields = parser_fields,
	 .defaults = &defaults},
	{.name = "reader", .behavior = &reader_behavior, .defaults = &defaults},
	{.name = "intake", .behavior = &intake_behavior, .defaults = &defaults},
	{.name = "shutdown", .behavior = &shutdown_behavior, .defaults = &defaults},
	{.name = NULL},
};

static const ward_failure_class *const classes[] = {
	&store_failure,
	&database_locked,
	&database_damaged,
	&database_displaced,
	&database_full,
	&input_unreadable,
	&intake_broken,
	&spool_full,
	&poison_line,
	&screen_failure,
	NULL,
};

WARD_API extern const ward_config_module ward_module;
WARD_API const ward_config_module ward_module = {
	.version = WARD_CONFIG_VERSION,
	.name = "sink",
	.behaviors = behaviors,
	.failure_classes = classes,
};
