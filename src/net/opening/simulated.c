/* SPDX-License-Identifier: MIT
 *
 * simulated.c - one try in the network of a simulation. The bell of the end is watched as a socket
 * that connects is.
 */
#include "net/opening/simulated.h"

#include <errno.h>
#include <ward/fd.h>
#include <ward/ward.h>

#include "net/sim/wire.h"

/* It was refused, or cannot begin. */
static void lose(struct wardi_opening *opening)
{
	wardi_simulated_close(opening);
	opening->state = WARDI_PAUSING;
}

void wardi_simulated_begin(ward_self *self, struct wardi_opening *opening)
{
	opening->end = wardi_end_connect(ward_self_system(self), opening->address.host, true,
					 &opening->refusal);
	if (opening->end == NULL) {
		opening->state = WARDI_PAUSING;
		return;
	}
	opening->state = WARDI_RACING;
	wardi_end_want(opening->end, WARDI_WRITABLE);
	if (ward_try_fd_watch(self, opening->end->bell.fd, WARD_FD_READ | WARD_FD_KEPT) == WARD_OK)
		return;
	wardi_refuse(&opening->refusal, 0, "watch", "%s", ward_err_detail());
	lose(opening);
}

bool wardi_simulated_ready(ward_self *self, struct wardi_opening *opening, int fd)
{
	int error;

	if (opening->end == NULL || fd != opening->end->bell.fd)
		return false;
	ward_fd_unwatch(self, fd);
	error = wardi_end_error(opening->end);
	if (error == 0) {
		opening->state = WARDI_OPEN;
		return true;
	}
	wardi_refuse(&opening->refusal, error, "connect",
		     error == ECONNREFUSED ? "nobody listens there" : NULL);
	lose(opening);
	return true;
}

void wardi_simulated_stop(ward_self *self, struct wardi_opening *opening)
{
	if (opening->end != NULL)
		ward_fd_unwatch(self, opening->end->bell.fd);
	wardi_simulated_close(opening);
}

void wardi_simulated_close(struct wardi_opening *opening)
{
	if (opening->end != NULL)
		wardi_end_close(opening->end, true);
	opening->end = NULL;
}
