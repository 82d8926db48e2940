/* SPDX-License-Identifier: MIT
 *
 * fake_saboteur.c - the saboteur without a process: it does its work in the fake store, at once.
 *
 * What it says lies in the pipe, and the other end is closed, when chaos begins to listen.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <ward/testkit.h>

#include "../saboteur.h"
#include "fake_store.h"

static void sabotage(const char *what, uint64_t number)
{
	if (strcmp(what, "lock") == 0)
		fake_store_lock((int64_t)number);
	else if (strcmp(what, "main") == 0)
		fake_store_rot();
	else
		fake_store_vanish();
}

int saboteur_start(const char *what, const char *db, uint64_t number, pid_t *ret_pid, int *ret_pipe)
{
	int ends[2];
	(void)db;
	if (world_strike(AT_CHAOS))
		return EAGAIN;
	ward_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	ward_assert_eq(dprintf(ends[1], "does its work: %s\n", what), 16 + strlen(what));
	close(ends[1]);
	sabotage(what, number);
	*ret_pid = 1;
	*ret_pipe = ends[0];
	return 0;
}

void saboteur_wait(pid_t pid)
{
	ward_assert_eq(pid, 1);
}

void saboteur_kill(pid_t pid)
{
	ward_assert_eq(pid, 1);
}
