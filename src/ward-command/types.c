/* SPDX-License-Identifier: MIT
 *
 * types.c - prints the messages of a shared object as a JSON schema (draft 2020-12), for other
 * programs that send or read them.
 *
 *	{
 *	  "$schema": "https://json-schema.org/draft/2020-12/schema",
 *	  "title": "shop",
 *	  "$defs": {
 *	    "deposit": {"type":"object", ...}
 *	  }
 *	}
 */
#include "ward-command/types.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/codec.h>
#include <ward/config.h>

#include "common/say.h"

/* A name of the current folder needs a slash: dlopen() would search for it in those of the
 * system. */
static void *open_object(const char *name)
{
	char *path = NULL;
	void *object;

	if (strchr(name, '/') != NULL || access(name, F_OK) != 0)
		return dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (asprintf(&path, "./%s", name) < 0)
		return NULL;
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return object;
}

static const ward_config_module *find_module(const char *name)
{
	void *object = open_object(name);
	const ward_config_module *module;
	const char *error;

	if (object == NULL) {
		error = dlerror();
		wardi_say(stderr, "ward: %s: cannot be loaded: %s", name,
			  error != NULL ? error : "out of memory");
		return NULL;
	}
	module = dlsym(object, WARD_CONFIG_SYMBOL);
	if (module == NULL)
		wardi_say(
			stderr,
			"ward: %s has no " WARD_CONFIG_SYMBOL
			"; define it there: WARD_API const ward_config_module " WARD_CONFIG_SYMBOL,
			name);
	return module;
}

/* Whether the module is one, which the check of any file says; also of an empty one. */
static bool is_right(const char *name, const ward_config_module *module)
{
	const ward_config_module *const modules[] = {module, NULL};
	ward_config *config;
	ward_err err = ward_config_open_text("types", "", 0, NULL, &config);

	if (err == WARD_OK) {
		err = ward_config_check(config, modules, NULL);
		ward_config_close(config);
	}
	if (err != WARD_OK)
		wardi_say(stderr, "ward: %s: %s", name, ward_err_detail());
	return err == WARD_OK;
}

/* Appends a string in quotes. */
static ward_err add_quoted(const char *text, ward_bytes *out)
{
	ward_err err = ward_bytes_add(out, "\"", 1);

	for (; *text != '\0' && err == WARD_OK; text++) {
		unsigned char c = (unsigned char)*text;
		char escape[8];

		snprintf(escape, sizeof escape, "\\u%04x", c);
		err = c < 0x20 || c == '"' || c == '\\' ? ward_bytes_add(out, escape, 6)
							: ward_bytes_add(out, text, 1);
	}
	return err == WARD_OK ? ward_bytes_add(out, "\"", 1) : err;
}

static ward_err add_text(const char *text, ward_bytes *out)
{
	return ward_bytes_add(out, text, strlen(text));
}

static const char *name_of(const ward_type *type)
{
	return type->codec != NULL && type->codec->atom != NULL ? type->codec->atom : type->name;
}

static ward_err add_types(const ward_config_module *module, ward_bytes *out)
{
	ward_err err = WARD_OK;

	for (size_t i = 0; module->messages[i] != NULL && err == WARD_OK; i++) {
		err = add_text(i == 0 ? "\n    " : ",\n    ", out);
		if (err == WARD_OK)
			err = add_quoted(name_of(module->messages[i]), out);
		if (err == WARD_OK)
			err = add_text(": ", out);
		if (err == WARD_OK)
			err = ward_codec_schema(module->messages[i], out);
	}
	return err;
}

static ward_err add_document(const ward_config_module *module, ward_bytes *out)
{
	ward_err err =
		add_text("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
			 "\n  \"title\": ",
			 out);

	if (err == WARD_OK)
		err = add_quoted(module->name, out);
	if (err == WARD_OK)
		err = add_text(",\n  \"$defs\": {", out);
	if (err == WARD_OK)
		err = add_types(module, out);
	return err == WARD_OK ? add_text("\n  }\n}\n", out) : err;
}

bool types(const char *name)
{
	const ward_config_module *module = find_module(name);
	ward_bytes out = {0};
	bool good;

	if (module == NULL || !is_right(name, module))
		return false;
	if (module->version < 2 || module->messages == NULL) {
		wardi_say(stderr,
			  "ward: %s: the module \"%s\" lists no messages: set .messages of "
			  "the ward_config_module",
			  name, module->name);
		return false;
	}
	good = add_document(module, &out) == WARD_OK;
	if (good)
		fwrite(out.data, 1, out.size, stdout);
	else
		wardi_say(stderr, "ward: %s: %s", name, ward_err_detail());
	ward_bytes_finish(&out);
	return good;
}
