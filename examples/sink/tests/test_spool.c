/* SPDX-License-Identifier: MIT
 *
 * test_spool.c - the spool: what is flushed is in the file, what is not still waits.
 *
 * Method: a limit on the size of files stands for a disk without room.
 */
#include "../spool.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "scratch.h"

static struct spool spool;
static char bytes[1000];

static void begin(void)
{
	int fd = open(scratch_path("spool"), O_RDWR | O_CREAT | O_APPEND, 0666);
	ward_assert(fd >= 0);
	ward_assert(spool_init(&spool, fd, bytes, sizeof(bytes)));
}

static void put(const char *text)
{
	memcpy(spool.bytes, text, strlen(text));
	spool.end = strlen(text);
}

static void check_file(const char *text)
{
	char held[1000] = "";
	ward_assert_eq(pread(spool.fd, held, sizeof(held) - 1, 0), strlen(text));
	ward_assert_str(held, text);
}

WARD_TEST(what_is_flushed_stands_behind_what_was_there)
{
	begin();
	put("one\n");
	ward_assert(spool_flush(&spool));
	put("two\n");
	ward_assert(spool_flush(&spool));
	ward_assert(spool_flush(&spool)); /* nothing waits */
	ward_assert_eq(spool.size, 8);
	check_file("one\ntwo\n");
	close(spool.fd);
	begin();
	ward_assert_eq(spool.size, 8);
	close(spool.fd);
}

WARD_TEST(without_room_nothing_is_lost_and_nothing_comes_twice)
{
	struct rlimit limit = {6, RLIM_INFINITY};
	begin();
	signal(SIGXFSZ, SIG_IGN);
	ward_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	put("one\ntwo\nthree\n");
	ward_assert(!spool_flush(&spool));
	ward_assert_eq(errno, EFBIG);
	ward_assert_eq(spool.size, 6);
	ward_assert(!spool_flush(&spool));
	limit.rlim_cur = RLIM_INFINITY;
	ward_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ward_assert(spool_flush(&spool));
	ward_assert_eq(spool.size, 14);
	check_file("one\ntwo\nthree\n");
	close(spool.fd);
}

WARD_TEST_MAIN
