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
	CHECK(fd >= 0);
	CHECK(spool_init(&spool, fd, bytes, sizeof(bytes)));
}

static void put(const char *text)
{
	memcpy(spool.bytes, text, strlen(text));
	spool.end = strlen(text);
}

static void check_file(const char *text)
{
	char held[1000] = "";
	CHECK_EQ(pread(spool.fd, held, sizeof(held) - 1, 0), strlen(text));
	CHECK_STR(held, text);
}

WARD_TEST(what_is_flushed_stands_behind_what_was_there)
{
	begin();
	put("one\n");
	CHECK(spool_flush(&spool));
	put("two\n");
	CHECK(spool_flush(&spool));
	CHECK(spool_flush(&spool)); /* nothing waits */
	CHECK_EQ(spool.size, 8);
	check_file("one\ntwo\n");
	close(spool.fd);
	begin();
	CHECK_EQ(spool.size, 8);
	close(spool.fd);
}

WARD_TEST(without_room_nothing_is_lost_and_nothing_comes_twice)
{
	struct rlimit limit = {6, RLIM_INFINITY};
	begin();
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	put("one\ntwo\nthree\n");
	CHECK(!spool_flush(&spool));
	CHECK_EQ(errno, EFBIG);
	CHECK_EQ(spool.size, 6);
	CHECK(!spool_flush(&spool));
	limit.rlim_cur = RLIM_INFINITY;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK(spool_flush(&spool));
	CHECK_EQ(spool.size, 14);
	check_file("one\ntwo\nthree\n");
	close(spool.fd);
}
