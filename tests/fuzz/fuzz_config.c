/* SPDX-License-Identifier: MIT
 *
 * fuzz_config.c - any text as the file of a system: it is refused with errors, or shown, started in
 * a simulation, and ended. For libFuzzer, and for replay.c.
 *
 * Only a text that names no log is started, so that none is written.
 */
#include <stdlib.h>
#include <string.h>

#include "config/inside.h"

#include "../config/shop.h"

enum { ACTORS_MAX = 200, TIMEOUT_MS = 100, SIZE_MAX_BYTES = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void hear(void *arg, const ward_config_error *error)
{
	size_t *count = arg;

	if (error->file == NULL || error->text[0] == '\0' || strchr(error->full, '\n') != NULL)
		abort();
	(*count)++;
}

static void show(void *arg, const char *text)
{
	size_t *count = arg;

	if (strchr(text, '\n') != NULL)
		abort();
	(*count)++;
}

static void start(ward_config *config)
{
	static const ward_simulation simulation = {0};
	ward_options options;
	ward_system *system;

	if (ward_config_options(config, &options) != WARD_OK)
		abort();
	options.simulation = &simulation;
	options.seed = 1;
	options.log = NULL;
	options.faults = WARD_FAULTS_OFF;
	options.faults_max = 0;
	options.faults_in = NULL;
	options.actors_max = ACTORS_MAX;
	config->start_timeout_ms = TIMEOUT_MS;
	if (ward_system_create(&options, &system) != WARD_OK)
		abort(); /* what is wrong with the options was to be told before */
	(void)!ward_config_spawn(config, system);
	if (ward_system_destroy(system, WARD_MINUTE) != WARD_OK)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t told = 0, lines = 0;
	const ward_config_listener listener = {hear, &told};
	ward_config *config;
	ward_err err;

	if (size > SIZE_MAX_BYTES)
		return 0;
	shop_log[0] = '\0';
	shop_refuses = WARD_OK;
	err = ward_config_open_text("fuzz", (const char *)bytes, size, &listener, &config);
	if (err == WARD_OK) {
		err = ward_config_check(config, shops, &listener);
		if (err == WARD_OK &&
		    (ward_config_tree(config, show, &lines) != WARD_OK || lines == 0))
			abort();
		if (err == WARD_OK && memmem(bytes, size, "log", 3) == NULL)
			start(config);
		ward_config_close(config);
	}
	if ((err != WARD_OK) != (told > 0))
		abort();
	return 0;
}
