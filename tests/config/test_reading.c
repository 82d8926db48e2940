/* SPDX-License-Identifier: MIT
 *
 * test_reading.c - files of which the system does not know the size, or that change while they are
 * read: all of them is read, or they are refused.
 *
 * Method: the linker puts the function below in place of read(): a file is changed when it is read
 * for the first time. And real ones of procfs, of which the size is said to be 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/read/read_file.h"

#include "scratch.h"
#include "shop.h"

ssize_t __real_read(int fd, void *bytes, size_t max);
ssize_t __wrap_read(int fd, void *bytes, size_t max);

static size_t piece_max;           /* of one read; 0: any */
static void (*before_first)(void); /* is called once */

ssize_t __wrap_read(int fd, void *bytes, size_t max)
{
	void (*change)(void) = before_first;

	before_first = NULL;
	if (change != NULL)
		change();
	return __real_read(fd, bytes, piece_max != 0 && max > piece_max ? piece_max : max);
}

static void append(const char *text, size_t times)
{
	FILE *file = fopen("shop.conf", "a");

	ward_assert(file != NULL);
	while (times-- > 0)
		fputs(text, file);
	ward_assert_eq(fclose(file), 0);
}

/* ---- procfs ------------------------------------------------------------------------------ */

WARD_TEST(file_of_size_zero_is_read_to_its_end)
{
	ward_config *config = NULL;

	ward_assert_eq(prctl(PR_SET_NAME, "oh = 1;"), 0);
	ward_assert_err(ward_config_load("/proc/self/comm", shops, NULL, &config), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "/proc/self/comm:1: oh: unknown key");
}

WARD_TEST(file_that_comes_in_pieces_is_read_to_its_end)
{
	char *bytes;
	size_t size;

	ward_assert_ok(
		wardi_config_read_file("/proc/self/smaps", WARD_CONFIG_FILE_MAX, &bytes, &size));
	ward_assert(size > 4096);
	ward_assert_eq(bytes[size - 1], '\n');
	free(bytes);
	scratch_begin();
	append("# one line\n", 5000);
	append("oh = 1;\n", 1);
	piece_max = 7;
	ward_assert_ok(wardi_config_read_file("shop.conf", WARD_CONFIG_FILE_MAX, &bytes, &size));
	ward_assert_eq(size, 5000 * 11 + 8);
	free(bytes);
	scratch_end();
}

/* ---- files that change ------------------------------------------------------------------- */

static void write_more(void)
{
	append("# one line\n", 20000);
	append("oh = 1;\n", 1);
}

static void write_too_much(void)
{
	append("# one line\n", WARD_CONFIG_FILE_MAX / 8);
}

static void write_less(void)
{
	ward_assert_eq(truncate("shop.conf", 4), 0);
}

static void load_while(void (*change)(void), const char *wanted)
{
	ward_config *config = NULL;

	scratch_begin();
	append("# first\n", 1);
	before_first = change;
	ward_assert(ward_config_load("shop.conf", shops, NULL, &config) != WARD_OK);
	ward_assert_part(ward_err_detail(), wanted);
	scratch_end();
}

WARD_TEST(file_that_grows_is_read_to_its_end)
{
	load_while(write_more, "shop.conf:20002: oh: unknown key");
}

WARD_TEST(file_that_grows_beyond_the_bound_is_refused)
{
	load_while(write_too_much, "shop.conf: is larger than the limit of 1048576 bytes");
}

WARD_TEST(file_that_becomes_shorter_is_refused)
{
	load_while(write_less, "shop.conf: became shorter while it was read");
}

/* ---- pipes ------------------------------------------------------------------------------- */

static void *write_pieces(void *arg)
{
	int fd = open("shop.conf", O_WRONLY | O_CLOEXEC);
	int *refused = arg;

	for (int i = 0; i < 100; i++)
		*refused += write(fd, "# piece\n", 8) < 0 && errno == EPIPE;
	close(fd);
	return NULL;
}

WARD_TEST(pipe_with_a_writer_is_refused_and_nothing_is_read)
{
	ward_config *config = NULL;
	pthread_t writer;
	int refused = 0, fd;

	scratch_begin();
	signal(SIGPIPE, SIG_IGN);
	ward_assert_eq(mkfifo("shop.conf", 0600), 0);
	ward_assert_eq(pthread_create(&writer, NULL, write_pieces, &refused), 0);
	/* The writer is there once this has come back, and stays as long as it is open. */
	fd = open("shop.conf", O_RDONLY | O_CLOEXEC);
	ward_assert_err(ward_config_load("shop.conf", shops, NULL, &config), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "shop.conf: is not a file");
	pthread_join(writer, NULL);
	ward_assert_eq(refused, 0);
	close(fd);
	scratch_end();
}

WARD_TEST_MAIN
