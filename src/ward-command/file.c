/* SPDX-License-Identifier: MIT
 *
 * file.c - reads a file, loads what it names, and checks it; see file.h.
 */
#include "ward-command/file.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/say.h"

/* Errors printed so far. */
struct errors {
	unsigned count;
};

static void print_error(void *arg, const ward_config_error *error)
{
	struct errors *errors = arg;

	errors->count++;
	wardi_say(stderr, "ward: %s", error->full);
}

/* Prints errors that reach no listener: no such file, a faulty module, no memory. */
static void print_detail(const struct errors *errors)
{
	if (errors->count == 0)
		wardi_say(stderr, "ward: %s", ward_err_detail());
}

/* Returns what to do about a module that cannot be loaded. If the file exists it lacks something
 * itself, which is in the text of dlerror(). */
static const char *remedy(const char *name, const char *error)
{
	if (strchr(name, '/'))
		return access(name, F_OK) == 0 ? ""
					       : "; build it, or correct the path, which counts "
						 "from the folder of the file";
	if (strncmp(error, name, strlen(name)) != 0 || !strstr(error, "cannot open"))
		return "";
	return "; a name without \"/\" is searched in the folders of the system: put \"./\" in "
	       "front if it lies beside the file";
}

/* The tables of the shared objects; and that of the library ward-net, if one of them uses it. */
struct tables {
	const ward_config_module **modules;
	size_t count;
	const ward_config_module *net;
};

/* The library is the one that the object uses: the command is not linked with it. */
static void find_net(struct tables *tables, void *object)
{
	if (tables->net == NULL)
		tables->net = dlsym(object, "ward_net_module");
}

/* Returns the table of a shared object. NULL: has printed what is wrong and what to do. */
static const ward_config_module *load(const ward_config *config, size_t index,
				      struct tables *tables)
{
	const char *name = ward_config_module_names(config)[index];
	const char *file;
	uint32_t line = ward_config_module_line(config, index, &file);
	void *object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	const ward_config_module *module = NULL;

	if (!object) {
		const char *error = dlerror();
		wardi_say(stderr, "ward: %s:%u: modules: cannot be loaded: %s%s", file, line, error,
			  remedy(name, error));
		return NULL;
	}
	module = dlsym(object, WARD_CONFIG_SYMBOL);
	find_net(tables, object);
	if (!module)
		wardi_say(
			stderr,
			"ward: %s:%u: modules: %s has no " WARD_CONFIG_SYMBOL
			"; define it there: WARD_API const ward_config_module " WARD_CONFIG_SYMBOL,
			file, line, name);
	return module;
}

/* Returns the tables of all shared objects, ended by NULL, for free(). NULL: has printed why. */
static const ward_config_module **load_all(const ward_config *config)
{
	const char *const *names = ward_config_module_names(config);
	struct tables tables = {0};
	bool good = true;

	while (names[tables.count])
		tables.count++;
	tables.modules = calloc(tables.count + 2, sizeof(*tables.modules));
	if (!tables.modules) {
		wardi_say(stderr, "ward: out of memory");
		return NULL;
	}
	for (size_t i = 0; i < tables.count; i++) {
		tables.modules[i] = load(config, i, &tables);
		good &= tables.modules[i] != NULL;
	}
	tables.modules[tables.count] = tables.net;
	if (good)
		return tables.modules;
	free(tables.modules);
	return NULL;
}

ward_config *file_load(const char *path)
{
	struct errors errors = {0};
	const ward_config_listener listener = {.error = print_error, .arg = &errors};
	const ward_config_module **modules;
	ward_config *config;

	if (ward_config_open(path, &listener, &config) != WARD_OK) {
		print_detail(&errors);
		return NULL;
	}
	modules = load_all(config);
	bool good = modules != NULL;
	if (good && ward_config_check(config, modules, &listener) != WARD_OK) {
		print_detail(&errors);
		good = false;
	}
	free(modules);
	if (good)
		return config;
	ward_config_close(config);
	return NULL;
}

bool file_has_actors(const ward_config *config, const char *path)
{
	size_t services;

	if (ward_config_count(config, &services) > 0)
		return true;
	wardi_say(stderr, "ward: %s: has no actors, so there is nothing to run%s", path,
		  services > 0 ? ": services run only as long as actors do" : "");
	return false;
}
