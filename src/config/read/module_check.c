/* SPDX-License-Identifier: MIT
 *
 * module_check.c - checks a module: its version, its tables, and the fields of arguments, which
 * must fit the struct that they describe.
 *
 * Threads: looks at constants only.
 */
#include "config/read/module_check.h"
#include "config/read/strategy_names.h"

#include <string.h>

#include <ward/config.h>
#include <ward/extend.h>
#include <ward/supervise.h>
#include <ward/text.h>
#include <ward/types.h>

enum { NESTED_MAX = 8 };

/* The module and behaviour whose fields are checked. */
struct about {
	const ward_config_module *module;
	const ward_config_behavior *row;
};

#define WRONG_ROW(about, field, ...)                                                               \
	wrong_row(about, (field)->key != NULL ? (field)->key : "(no key)", __VA_ARGS__)

WARD_PRINTF(3, 0)
static ward_err wrong_row(const struct about *about, const char *key, const char *text)
{
	return ward_refused(WARD_EINVAL, "module \"%.*s\": behavior \"%.*s\": field \"%.*s\" %s",
			    WARD_TEXT_FIT(about->module->name, 64),
			    WARD_TEXT_FIT(about->row->name, 64), WARD_TEXT_FIT(key, 64), text);
}

static bool is_key(const char *key)
{
	if (key == NULL || !((key[0] >= 'a' && key[0] <= 'z') || (key[0] >= 'A' && key[0] <= 'Z')))
		return false;
	return key[strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			       "-_")] == '\0';
}

/* Whether the size of a field fits its type. */
static bool has_size(const ward_config_field *field)
{
	static const uint32_t sizes[] = {
		[WARD_CONFIG_BOOL] = sizeof(bool),
		[WARD_CONFIG_FLOAT] = sizeof(double),
		[WARD_CONFIG_STRING] = sizeof(char *),
		[WARD_CONFIG_STRINGS] = sizeof(char **),
		[WARD_CONFIG_DURATION] = sizeof(int64_t),
		[WARD_CONFIG_ENUM] = sizeof(int),
		[WARD_CONFIG_MASK] = sizeof(uint32_t),
		[WARD_CONFIG_REF] = sizeof(ward_ref),
		[WARD_CONFIG_STRATEGY] = sizeof(ward_strategy *),
		[WARD_CONFIG_CHILDREN] = sizeof(ward_config_children *),
		[WARD_CONFIG_BEHAVIOR] = sizeof(ward_behavior *),
	};
	uint32_t size = field->size;

	switch ((int)field->kind) {
	case WARD_CONFIG_INT:
	case WARD_CONFIG_UINT:
	case WARD_CONFIG_SIZE:
		return size == 1 || size == 2 || size == 4 || size == 8;
	case WARD_CONFIG_TEXT:
	case WARD_CONFIG_GROUP:
		return size > 0;
	default:
		return size == sizes[field->kind];
	}
}

/* A table may be that of a message, too, which has more kinds. */
static const char *foreign_kind(ward_field_kind kind)
{
	switch ((int)kind) {
	case WARD_FIELD_BYTES:
		return "is of kind BYTES, which no file can have";
	case WARD_FIELD_LIST:
		return "is of kind LIST, which no file can have";
	case WARD_FIELD_TAIL:
		return "is of kind TAIL, which no file can have";
	default:
		return kind > WARD_FIELD_BEHAVIOR ? "has an unknown kind" : NULL;
	}
}

/* Whether a range has an end, and begins behind it. */
static bool has_no_value(const ward_config_field *field)
{
	if (field->low > field->high && field->high != 0)
		return true;
	if (field->umax != 0 && field->umin > field->umax)
		return true;
	return field->max != 0 && field->min > field->max;
}

static ward_err check_fields(const struct about *about, const ward_config_field *fields,
			     size_t room, int depth);

static ward_err check_field(const struct about *about, const ward_config_field *fields,
			    const ward_config_field *field, size_t room, int depth)
{
	const char *foreign = foreign_kind(field->kind);

	if (foreign != NULL)
		return WRONG_ROW(about, field, foreign);
	if (field->kind != WARD_CONFIG_CHILDREN && !is_key(field->key))
		return WRONG_ROW(about, field, "needs a key of letters, digits, '-' and '_'");
	if (field->kind == WARD_CONFIG_CHILDREN && depth > 0)
		return WRONG_ROW(about, field, "is of type children, which a group cannot hold");
	if (!has_size(field))
		return WRONG_ROW(about, field, "has a size that does not match its type");
	if (field->offset > room || field->size > room - field->offset)
		return WRONG_ROW(about, field, "lies outside the arguments");
	if ((field->kind == WARD_CONFIG_ENUM || field->kind == WARD_CONFIG_MASK) &&
	    field->names == NULL)
		return WRONG_ROW(about, field, "needs names");
	if (field->kind == WARD_CONFIG_GROUP && field->fields == NULL)
		return WRONG_ROW(about, field, "needs fields");
	if (has_no_value(field))
		return WRONG_ROW(about, field, "has a .min above its .max");
	for (const ward_config_field *other = fields; other < field; other++)
		if ((other->key != NULL && field->key != NULL &&
		     strcmp(other->key, field->key) == 0) ||
		    (other->kind == WARD_CONFIG_CHILDREN && field->kind == other->kind))
			return WRONG_ROW(about, field, "is listed twice");
	if (field->kind == WARD_CONFIG_GROUP)
		return check_fields(about, field->fields, field->size, depth + 1);
	return WARD_OK;
}

static ward_err check_fields(const struct about *about, const ward_config_field *fields,
			     size_t room, int depth)
{
	if (depth > NESTED_MAX)
		return wrong_row(about, "(a group)", "is nested too deeply or contains itself");
	for (const ward_config_field *field = fields; field->kind != WARD_CONFIG_END; field++) {
		ward_err err = check_field(about, fields, field, room, depth);

		if (err != WARD_OK)
			return err;
	}
	return WARD_OK;
}

static ward_err wrong_behavior(const struct about *about, const char *text)
{
	return ward_refused(WARD_EINVAL, "module \"%.*s\": behavior \"%.*s\" %s",
			    WARD_TEXT_FIT(about->module->name, 64),
			    WARD_TEXT_FIT(about->row->name, 64), text);
}

/* By the name of the type, which is the library ward-net's. */
bool wardi_config_serves_connections(const ward_config_behavior *row)
{
	return row->behavior->args != NULL &&
	       strcmp(row->behavior->args->name, "ward_connection") == 0;
}

static ward_err check_behavior(const struct about *about)
{
	const ward_config_behavior *row = about->row;
	const ward_type *args;

	if (row->behavior == NULL)
		return wrong_behavior(about, "is NULL: a ward_behavior is needed");
	args = row->behavior->args;
	if (args == NULL) {
		if (row->fields != NULL || row->defaults != NULL || row->check != NULL ||
		    row->verify != NULL)
			return wrong_behavior(about, "has fields for arguments, but takes none: "
						     "set .args of the ward_behavior");
		return WARD_OK;
	}
	if (wardi_config_serves_connections(row))
		return row->fields == NULL
			       ? WARD_OK
			       : wrong_behavior(about, "serves connections, which no file can "
						       "describe: leave .fields out");
	if (args->drop != NULL && args->clone == NULL)
		return wrong_behavior(about, "has arguments that cannot be copied: their type "
					     "has a drop and no clone");
	return row->fields == NULL ? WARD_OK : check_fields(about, row->fields, args->size, 0);
}

/* ---- the other tables -------------------------------------------------------------------- */

static ward_err incomplete(const ward_config_module *module, const char *what, const char *name)
{
	return ward_refused(WARD_EINVAL, "module \"%.*s\": %s \"%.*s\" is NULL",
			    WARD_TEXT_FIT(module->name, 64), what, WARD_TEXT_FIT(name, 64));
}

static ward_err check_functions(const ward_config_module *module)
{
	const ward_config_decider *decider = module->deciders;
	const ward_config_priority *priority = module->priorities;
	const ward_config_hash *hash = module->hashes;

	for (; decider != NULL && decider->name != NULL; decider++)
		if (decider->decide == NULL)
			return incomplete(module, "decider", decider->name);
	for (; priority != NULL && priority->name != NULL; priority++)
		if (priority->priority == NULL)
			return incomplete(module, "priority", priority->name);
	for (; hash != NULL && hash->name != NULL; hash++)
		if (hash->hash == NULL)
			return incomplete(module, "hash", hash->name);
	return WARD_OK;
}

static ward_err check_strategies(const ward_config_module *module)
{
	const ward_config_strategy *row = module->strategies;

	for (; row != NULL && row->name != NULL; row++) {
		if (row->strategy == NULL)
			return incomplete(module, "strategy", row->name);
		if (wardi_config_ready_strategy(row->name) != NULL)
			return ward_refused(
				WARD_EINVAL,
				"module \"%.*s\": the strategy name \"%s\" is ward's own",
				WARD_TEXT_FIT(module->name, 64), row->name);
		if (ward_strategy_check(row->strategy) != WARD_OK)
			return ward_refused(WARD_EINVAL, "module \"%.*s\": strategy \"%.*s\": %s",
					    WARD_TEXT_FIT(module->name, 64),
					    WARD_TEXT_FIT(row->name, 64), ward_err_detail());
	}
	return WARD_OK;
}

static ward_err check_head(const ward_config_module *module)
{
	if (module->name == NULL)
		return ward_refused(WARD_EINVAL, "a module without a name");
	if (module->version < 1 || module->version > WARD_CONFIG_VERSION)
		return ward_refused(
			WARD_EINVAL, "module \"%.*s\" has version %u, this library knows 1 to %d",
			WARD_TEXT_FIT(module->name, 64), module->version, WARD_CONFIG_VERSION);
	if (module->version == 1 && module->messages != NULL)
		return ward_refused(WARD_EINVAL,
				    "module \"%.*s\": a reserved word is not zero: messages need "
				    "version 2",
				    WARD_TEXT_FIT(module->name, 64));
	for (size_t i = 0; i < sizeof module->reserved / sizeof module->reserved[0]; i++)
		if (module->reserved[i] != 0)
			return ward_refused(WARD_EINVAL,
					    "module \"%.*s\": a reserved word is not zero",
					    WARD_TEXT_FIT(module->name, 64));
	return WARD_OK;
}

/* Types of one name must be one type: other programs know them by their names. */
static ward_err check_messages(const ward_config_module *module)
{
	const ward_type *const *rows = module->messages;

	for (size_t i = 0; rows != NULL && rows[i] != NULL; i++) {
		if (ward_codec_check(rows[i]) != WARD_OK)
			return ward_refused(WARD_EINVAL, "module \"%.*s\": %s",
					    WARD_TEXT_FIT(module->name, 64), ward_err_detail());
		for (size_t other = 0; other < i; other++)
			if (strcmp(rows[other]->name, rows[i]->name) == 0)
				return ward_refused(
					WARD_EINVAL,
					"module \"%.*s\": message \"%.*s\" is listed twice",
					WARD_TEXT_FIT(module->name, 64),
					WARD_TEXT_FIT(rows[i]->name, 64));
	}
	return WARD_OK;
}

ward_err wardi_config_check_module(const ward_config_module *module)
{
	ward_err err = check_head(module);
	const ward_config_behavior *row;

	if (err != WARD_OK)
		return err;
	for (row = module->behaviors; row != NULL && row->name != NULL; row++) {
		err = check_behavior(&(struct about){module, row});
		if (err != WARD_OK)
			return err;
	}
	err = check_functions(module);
	if (err == WARD_OK)
		err = check_strategies(module);
	return err == WARD_OK ? check_messages(module) : err;
}
