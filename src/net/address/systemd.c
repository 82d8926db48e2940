/* SPDX-License-Identifier: MIT
 *
 * systemd.c - sockets of LISTEN_FDS: descriptors from 3 on, in the order of LISTEN_FDNAMES.
 *
 * The environment is left as it is: unsetenv() is not for threads. LISTEN_PID protects the children
 * of this process from taking it for their own.
 */
#include "net/address/systemd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/address/digits.h"
#include "net/address/inherited.h"

enum { FIRST = 3, COUNT_MAX = 1024 };

/* Those that have an owner in this process. A fork takes the marks along, but LISTEN_PID is not its
 * own. */
static atomic_bool taken[COUNT_MAX];

static int refuse_environment(struct wardi_net_refusal *ret_refusal, const char *name,
			      const char *value, const char *text)
{
	if (value == NULL)
		return wardi_refuse(
			ret_refusal, 0, "LISTEN_FDS",
			"%s is not set: the process was not started by systemd with a socket",
			name);
	return wardi_refuse(ret_refusal, 0, "LISTEN_FDS", "%s is \"%.20s\", and must be %s", name,
			    value, text);
}

/* Returns the number of sockets; -1: *ret_refusal. */
static int count_sockets(struct wardi_net_refusal *ret_refusal)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t number;

	if (pid == NULL || !wardi_digits(pid, strlen(pid), INT32_MAX, &number))
		return refuse_environment(ret_refusal, "LISTEN_PID", pid, "a process id");
	if ((pid_t)number != getpid())
		return wardi_refuse(
			ret_refusal, 0, "LISTEN_FDS",
			"LISTEN_PID is %s, and must be %d, this process: the sockets are for "
			"another one",
			pid, (int)getpid());
	if (fds == NULL || !wardi_digits(fds, strlen(fds), COUNT_MAX, &number) || number == 0)
		return refuse_environment(ret_refusal, "LISTEN_FDS", fds,
					  "a number from 1 to 1024");
	return (int)number;
}

static void set_close_on_exec(int count)
{
	for (int fd = FIRST; fd < FIRST + count; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0)
			(void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
	}
}

/* Whether `names`, separated by colons, begins with the name. */
static bool is_next(const char *names, const char *name)
{
	size_t size = strlen(name);

	return strncmp(names, name, size) == 0 && (names[size] == ':' || names[size] == '\0');
}

void wardi_systemd_give_back(int fd)
{
	if (fd >= FIRST && fd < FIRST + COUNT_MAX)
		atomic_store_explicit(&taken[fd - FIRST], false, memory_order_release);
}

static int take(int index, struct wardi_net_refusal *ret_refusal)
{
	if (wardi_inherited_check(FIRST + index, ret_refusal))
		return FIRST + index;
	wardi_systemd_give_back(FIRST + index);
	return -1;
}

int wardi_systemd_take(const char *name, struct wardi_net_refusal *ret_refusal)
{
	const char *names = getenv("LISTEN_FDNAMES");
	int count = count_sockets(ret_refusal), found = 0;

	if (count < 0)
		return -1;
	if (names == NULL && name[0] != '\0')
		return refuse_environment(ret_refusal, "LISTEN_FDNAMES", NULL, "");
	set_close_on_exec(count);
	for (int i = 0; i < count; i++) {
		if (name[0] == '\0' || (names != NULL && is_next(names, name))) {
			found++;
			if (!atomic_exchange_explicit(&taken[i], true, memory_order_acq_rel))
				return take(i, ret_refusal);
		}
		names = names != NULL ? strchr(names, ':') : NULL;
		names = names != NULL ? names + 1 : NULL;
	}
	if (found == 0)
		return wardi_refuse(ret_refusal, 0, "LISTEN_FDS",
				    "LISTEN_FDNAMES is \"%.80s\", and has no such name",
				    getenv("LISTEN_FDNAMES"));
	return wardi_refuse(ret_refusal, EBUSY, "LISTEN_FDS",
			    "each socket can be taken once, and %d of that name is all there are",
			    found);
}
