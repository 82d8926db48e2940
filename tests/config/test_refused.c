/* SPDX-License-Identifier: MIT
 *
 * test_refused.c - the operating system refuses a call that reading a file takes, or its log: the
 * file is refused with a text, or nothing is lost but the line.
 *
 * Method: the linker puts the functions below in place of those of the C library, for what is
 * linked into this program, by the names that these have where files are large. One of them fails
 * at its n-th call.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shop.h"

enum { CALLS_MAX = 100 };

static int left; /* until one is refused; 0: none is */
static int error;

static bool refused(void)
{
	if (left == 0 || --left > 0)
		return false;
	errno = error;
	return true;
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(args, int) : 0;
	va_end(args);
	return refused() ? -1 : __real_open64(path, flags, mode);
}

int __real_fstat64(int fd, struct stat *info);
int __wrap_fstat64(int fd, struct stat *info);
int __wrap_fstat64(int fd, struct stat *info)
{
	return refused() ? -1 : __real_fstat64(fd, info);
}

ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
	return refused() ? -1 : __real_read(fd, bytes, size);
}

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	return refused() ? -1 : __real_write(fd, bytes, size);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int rc = __real_close(fd);

	return refused() ? -1 : rc;
}

static char folder[] = "/tmp/ward-config-XXXXXX";

static void begin(void)
{
	FILE *file;

	ward_assert(mkdtemp(folder) != NULL);
	ward_assert_eq(chdir(folder), 0);
	file = fopen("a.conf", "w");
	ward_assert(file != NULL && fputs("system: { log: { to = \"log\"; }; };\n", file) >= 0);
	ward_assert_eq(fclose(file), 0);
}

static void end(void)
{
	ward_assert(unlink("a.conf") == 0 && (unlink("log") == 0 || errno == ENOENT));
	ward_assert_eq(rmdir(folder), 0);
}

/* Reads the file, opens its log, and writes a line. */
static ward_err use(void)
{
	struct ward_event event = {.kind = WARD_EVENT_NOTE, .level = WARD_LEVEL_SEVERE};
	ward_options options;
	ward_config *config;
	ward_err err = ward_config_load("a.conf", shops, NULL, &config);

	if (err != WARD_OK)
		return err;
	err = ward_config_options(config, &options);
	if (err == WARD_OK)
		options.log(options.log_arg, &event);
	ward_config_close(config);
	return err;
}

/* How often it was refused. */
static int refuse_each(int with)
{
	int count = 0;

	error = with;
	for (int nth = 1; nth < CALLS_MAX; nth++) {
		ward_err err;

		left = nth;
		err = use();
		ward_assert(err == WARD_OK || (err == WARD_ESYS && ward_err_detail()[0] != '\0'));
		count += err != WARD_OK;
		if (left > 0) {
			left = 0;
			return count;
		}
	}
	ward_test_fail(__FILE__, __LINE__, "there is no end");
}

WARD_TEST(call_that_is_refused_while_a_file_is_read_is_a_code_or_does_no_harm)
{
	begin();
	ward_assert(refuse_each(EIO) >= 4); /* open, fstat, read; and the open of the log */
	ward_assert(refuse_each(EMFILE) >= 4);
	(void)refuse_each(EINTR);
	end();
}

WARD_TEST_MAIN
