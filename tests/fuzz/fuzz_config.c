/* SPDX-License-Identifier: MIT
 *
 * fuzz_config.c - any text as the file of a system: it is refused with errors, or shown, started in
 * a simulation, and ended. For libFuzzer, and for replay.c.
 *
 * Two files are one input, with a line "---" between them; the first may include the second, which
 * it calls /proc/self/fd/100. Only a text that names no log is started, so that none is written.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ward/simulation.h>

#include "config/read/reader.h"

#include "../config/shop.h"

enum { ACTORS_MAX = 200, TIMEOUT_MS = 100, SIZE_MAX_BYTES = 65536, TURN_NS = 1000000 };
enum { INCLUDED_FD = 100, FILE_FD = 101 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
const char *__lsan_default_suppressions(void);

/* For LeakSanitizer: what libconfig 1.5 loses by itself, a string that its parser throws away where
 * the syntax is wrong. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig_yylex\nleak:strbuf_append\n";
}

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

/* Time passes with each turn: else what is restarted without a limit would never be late. */
static ward_fault pass_time(void *arg, ward_system *system, const ward_occasion *occasion)
{
	(void)arg, (void)system;
	if (occasion->point != WARD_POINT_TURN)
		return (ward_fault){0};
	return (ward_fault){.kind = WARD_FAULT_JUMP, .delay_ns = TURN_NS};
}

static void start(ward_config *config)
{
	static const ward_simulation simulation = {.fault = pass_time};
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

/* ---- one text, or a file and another that it may include --------------------------------- */

static const char separator[] = "\n---\n";

/* A file without a name, behind a descriptor that is always the same: in texts it is called so. */
static void write_file(int fd, const uint8_t *bytes, size_t size)
{
	if (fcntl(fd, F_GETFD) < 0) {
		int made = memfd_create("fuzz", 0);

		if (made < 0 || dup2(made, fd) != fd || close(made) != 0)
			abort();
	}
	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
}

static ward_err open_file(const uint8_t *bytes, size_t size, const uint8_t *second,
			  const ward_config_listener *listener, ward_config **ret_config)
{
	char path[32];

	write_file(FILE_FD, bytes, (size_t)(second - bytes) + 1);
	second += sizeof separator - 1;
	write_file(INCLUDED_FD, second, size - (size_t)(second - bytes));
	snprintf(path, sizeof path, "/proc/self/fd/%d", FILE_FD);
	return ward_config_open(path, listener, ret_config);
}

static ward_err open_any(const uint8_t *bytes, size_t size, const ward_config_listener *listener,
			 ward_config **ret_config)
{
	const uint8_t *second = memmem(bytes, size, separator, sizeof separator - 1);

	if (second != NULL)
		return open_file(bytes, size, second, listener, ret_config);
	return ward_config_open_text("fuzz", (const char *)bytes, size, listener, ret_config);
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
	err = open_any(bytes, size, &listener, &config);
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
