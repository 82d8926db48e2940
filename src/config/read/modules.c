/* SPDX-License-Identifier: MIT
 *
 * modules.c - the modules of a program: behaviours, failure classes and functions that a file may
 * name.
 *
 * A name that two modules use for different things is refused, so the order of the modules decides
 * only the order of their starts.
 *
 * Threads: as the config.
 */
#include "config/read/modules.h"

#include <string.h>

#include <ward/extend.h>
#include <ward/remote.h>
#include <ward/simulation.h>
#include <ward/text.h>

#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/module_check.h"
#include "config/read/reader.h"
#include "config/read/strategy_names.h"
#include "config/read/suggest.h"
#include "config/read/version_1.h"

const ward_failure_class ward_config_not_started = {.name = "ward_config_not_started",
						    .parent = &ward_initialization,
						    .reserved = {WARD_CLASS_OWN_}};

/* ward's own classes: no module needs to list them. */
static const ward_failure_class *const own_classes[] = {
	&ward_exception,
	&ward_error,
	&ward_initialization,
	&ward_post_restart,
	&ward_killed,
	&ward_death_pact,
	&ward_check_failed,
	&ward_misuse,
	&ward_os_failure,
	&ward_out_of_memory,
	&ward_injected,
	&ward_restart_intensity,
	&ward_hardware_fault,
	&ward_bad_memory,
	&ward_bad_arithmetic,
	&ward_bad_instruction,
	&ward_stack_overflow,
	&ward_hang,
	&ward_unreached,
	&ward_remote_failure,
	&ward_config_not_started,
	NULL,
};
static const char prefix[] = "ward_"; /* of their names; a file may leave it out */

/* ---- finding ----------------------------------------------------------------------------- */

/* The entry of a module's table at an index; NULL: the end of the table. */
struct found {
	const char *name;
	const void *what;
};
typedef struct found (*look_at)(const ward_config_module *module, size_t index);

static struct found look_behavior(const ward_config_module *module, size_t index)
{
	const ward_config_behavior *rows = module->behaviors;

	return rows == NULL ? (struct found){0} : (struct found){rows[index].name, &rows[index]};
}

static struct found look_class(const ward_config_module *module, size_t index)
{
	const ward_failure_class *const *rows = module->failure_classes;

	if (rows == NULL || rows[index] == NULL)
		return (struct found){0};
	return (struct found){rows[index]->name, rows[index]};
}

static struct found look_strategy(const ward_config_module *module, size_t index)
{
	const ward_config_strategy *rows = module->strategies;

	return rows == NULL ? (struct found){0} : (struct found){rows[index].name, &rows[index]};
}

static struct found look_decider(const ward_config_module *module, size_t index)
{
	const ward_config_decider *rows = module->deciders;

	return rows == NULL ? (struct found){0} : (struct found){rows[index].name, &rows[index]};
}

static struct found look_priority(const ward_config_module *module, size_t index)
{
	const ward_config_priority *rows = module->priorities;

	return rows == NULL ? (struct found){0} : (struct found){rows[index].name, &rows[index]};
}

static struct found look_hash(const ward_config_module *module, size_t index)
{
	const ward_config_hash *rows = module->hashes;

	return rows == NULL ? (struct found){0} : (struct found){rows[index].name, &rows[index]};
}

static const void *find(const ward_config *config, look_at look, const char *name)
{
	for (size_t i = 0; config->modules[i] != NULL; i++)
		for (size_t row = 0;; row++) {
			struct found found = look(config->modules[i], row);

			if (found.name == NULL)
				break;
			if (strcmp(found.name, name) == 0)
				return found.what;
		}
	return NULL;
}

static void add_words(ward_config *config, look_at look, struct wardi_config_words *words)
{
	for (size_t i = 0; config->modules[i] != NULL; i++)
		for (size_t row = 0; look(config->modules[i], row).name != NULL; row++)
			wardi_config_word(config, words, look(config->modules[i], row).name);
}

static void unknown(ward_config *config, const config_setting_t *at, const char *what,
		    const char *name, const struct wardi_config_words *words)
{
	char text[WARDI_CONFIG_TEXT];

	wardi_config_suggest(words, name, "the modules have", text, sizeof text);
	wardi_config_wrong(config, at, NULL, "no %s \"%.*s\" in any module; %s", what,
			   WARD_TEXT_FIT(name, 64), text);
}

static const void *find_or_tell(ward_config *config, look_at look, const char *what,
				const char *name, const config_setting_t *at)
{
	const void *found = find(config, look, name);
	struct wardi_config_words words = {0};

	if (found != NULL)
		return found;
	add_words(config, look, &words);
	unknown(config, at, what, name, &words);
	return NULL;
}

const ward_config_behavior *wardi_config_behavior(ward_config *config, const char *name,
						  const config_setting_t *at)
{
	return find_or_tell(config, look_behavior, "behavior", name, at);
}

const ward_config_behavior *wardi_config_has_behavior(const ward_config *config, const char *name)
{
	return find(config, look_behavior, name);
}

const ward_config_decider *wardi_config_decider(ward_config *config, const char *name,
						const config_setting_t *at)
{
	return find_or_tell(config, look_decider, "decider", name, at);
}

const ward_config_priority *wardi_config_priority(ward_config *config, const char *name,
						  const config_setting_t *at)
{
	return find_or_tell(config, look_priority, "priority", name, at);
}

const ward_config_hash *wardi_config_hash(ward_config *config, const char *name,
					  const config_setting_t *at)
{
	return find_or_tell(config, look_hash, "hash", name, at);
}

/* Returns the short name that a file may use for one of ward's own classes. */
static const char *short_name(const ward_failure_class *own)
{
	return own->name + strlen(prefix);
}

static const ward_failure_class *own_class(const char *name)
{
	for (size_t i = 0; own_classes[i] != NULL; i++)
		if (strcmp(own_classes[i]->name, name) == 0 ||
		    strcmp(short_name(own_classes[i]), name) == 0)
			return own_classes[i];
	return NULL;
}

/* Whether a text that ends here is the class's name; behind names of those above it, with a dash
 * after each: "exception-killed". */
static bool is_called(const ward_failure_class *of, const char *name, size_t length)
{
	bool own = strncmp(of->name, prefix, strlen(prefix)) == 0;

	for (const char *form = own ? short_name(of) : of->name;; form = of->name) {
		size_t left = length - strlen(form);

		if (strlen(form) <= length && memcmp(name + left, form, strlen(form)) == 0 &&
		    (left == 0 || (left > 1 && name[left - 1] == '-' && of->parent != NULL &&
				   is_called(of->parent, name, left - 1))))
			return true;
		if (form == of->name)
			return false;
	}
}

static const ward_failure_class *find_written_out(const ward_config *config, const char *name)
{
	for (size_t i = 0; config->modules[i] != NULL; i++)
		for (size_t row = 0; look_class(config->modules[i], row).name != NULL; row++) {
			const ward_failure_class *found = look_class(config->modules[i], row).what;

			if (is_called(found, name, strlen(name)))
				return found;
		}
	return NULL;
}

const ward_failure_class *wardi_config_class(ward_config *config, const char *name,
					     const config_setting_t *at)
{
	bool is_full = strncmp(name, prefix, strlen(prefix)) == 0;
	const ward_failure_class *found = own_class(name);
	struct wardi_config_words words = {0};

	if (found == NULL)
		found = find(config, look_class, name);
	if (found == NULL)
		found = find_written_out(config, name);
	if (found != NULL)
		return found;
	for (size_t i = 0; own_classes[i] != NULL; i++)
		wardi_config_word(config, &words,
				  is_full ? own_classes[i]->name : short_name(own_classes[i]));
	add_words(config, look_class, &words);
	unknown(config, at, "failure class", name, &words);
	return NULL;
}

/* Returns their number. classes: where they are written; NULL: nowhere. */
static size_t collect_classes(const ward_config *config, const ward_failure_class **classes)
{
	size_t count = 0;

	for (size_t i = 0; config->modules[i] != NULL; i++)
		for (size_t row = 0; look_class(config->modules[i], row).name != NULL; row++) {
			if (classes != NULL)
				classes[count] = config->modules[i]->failure_classes[row];
			count++;
		}
	return count;
}

const ward_failure_class *const *wardi_config_classes(ward_config *config)
{
	size_t count = collect_classes(config, NULL) + 1;
	const ward_failure_class **classes = wardi_config_make(config, count * sizeof *classes);

	if (classes != NULL)
		collect_classes(config, classes);
	return classes;
}

/* ---- taking ------------------------------------------------------------------------------ */

/* Equal declarations in several modules are one class. `checked` is checked, `other` may be any
 * chain. */
static bool same_class(const ward_failure_class *checked, const ward_failure_class *other)
{
	while (checked != other) {
		if (checked == NULL || other == NULL || other->name == NULL ||
		    strcmp(checked->name, other->name) != 0)
			return false;
		checked = checked->parent;
		other = other->parent;
	}
	return true;
}

static bool same(look_at look, const void *checked, const void *other)
{
	return look == look_class ? same_class(checked, other) : checked == other;
}

static ward_err check_one_name(const ward_config *config, size_t modules, look_at look,
			       const char *what, const struct found *row)
{
	for (size_t i = 0; i <= modules; i++)
		for (size_t other = 0;; other++) {
			struct found found = look(config->modules[i], other);

			if (found.name == NULL)
				break;
			if (strcmp(found.name, row->name) == 0 &&
			    !same(look, row->what, found.what))
				return ward_refused(
					WARD_EINVAL,
					"module \"%.*s\": there is another %s "
					"\"%.*s\"",
					WARD_TEXT_FIT(config->modules[modules]->name, 64), what,
					WARD_TEXT_FIT(row->name, 64));
		}
	return WARD_OK;
}

static ward_err check_class(const ward_config_module *module, const ward_failure_class *row)
{
	if (ward_failure_class_check(row) == WARD_OK)
		return WARD_OK;
	return ward_refused(WARD_EINVAL, "module \"%.*s\": %s", WARD_TEXT_FIT(module->name, 64),
			    ward_err_detail());
}

static ward_err check_names(const ward_config *config, size_t module, look_at look,
			    const char *what)
{
	for (size_t row = 0;; row++) {
		struct found found = look(config->modules[module], row);
		ward_err err = WARD_OK;

		if (found.name == NULL)
			return WARD_OK;
		if (look == look_class)
			err = check_class(config->modules[module], found.what);
		if (err == WARD_OK)
			err = check_one_name(config, module, look, what, &found);
		if (err != WARD_OK)
			return err;
	}
}

static const struct {
	look_at look;
	const char *what;
} tables[] = {
	{look_behavior, "behavior"}, {look_class, "failure class"}, {look_strategy, "strategy"},
	{look_decider, "decider"},   {look_priority, "priority"},   {look_hash, "hash"},
};

static bool add_strategies(ward_config *config, const ward_config_module *module)
{
	for (size_t i = 0; module->strategies != NULL && module->strategies[i].name != NULL; i++) {
		struct wardi_config_strategy *own = wardi_config_make(config, sizeof *own);

		if (own == NULL)
			return false;
		own->name = module->strategies[i].name;
		own->strategy = module->strategies[i].strategy;
		own->next = config->strategies;
		config->strategies = own;
	}
	return true;
}

/* Whether the module is in the list before this index, too: it would be started twice. */
static bool is_twice(const ward_config_module *const *modules, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (modules[i] == modules[index])
			return true;
	return false;
}

static ward_err no_memory(const ward_config *config)
{
	return ward_refused(WARD_ENOMEM, "%.*s: not enough memory for its modules",
			    WARD_TEXT_FIT(config->path, 300));
}

static const ward_config_module *as_today(ward_config *config, const ward_config_module *module)
{
	return module->version == 1 ? wardi_config_from_version_1(config, module) : module;
}

ward_err wardi_config_take_modules(ward_config *config, const ward_config_module *const *modules)
{
	size_t count = 0;

	while (modules != NULL && modules[count] != NULL)
		count++;
	config->modules = wardi_config_make(config, (count + 1) * sizeof config->modules[0]);
	if (config->modules == NULL)
		return no_memory(config);
	for (size_t i = 0; i < count; i++) {
		const ward_config_module *module = as_today(config, modules[i]);
		ward_err err =
			module == NULL ? no_memory(config) : wardi_config_check_module(module);

		config->modules[i] = module;
		for (size_t table = 0; err == WARD_OK && table < sizeof tables / sizeof tables[0];
		     table++)
			err = check_names(config, i, tables[table].look, tables[table].what);
		if (err == WARD_OK && is_twice(modules, i))
			err = ward_refused(WARD_EINVAL, "module \"%.*s\" is given twice",
					   WARD_TEXT_FIT(modules[i]->name, 64));
		if (err != WARD_OK)
			return err;
		if (!add_strategies(config, module))
			return no_memory(config);
	}
	return WARD_OK;
}
