/* SPDX-License-Identifier: MIT
 *
 * shutdown.c - turns an ordered shutdown into an interrupt of the ledger.
 *
 * Its task is never answered: it is done when the ledger, with us below it, has come to its end.
 * What is on its way to the database gets there first.
 */
#include <signal.h>

#include "host.h"

static ward_result shutdown_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	ward_err err = ward_try_shutdown_join(self, "service-requests-done", "lines");
	/* WARD_ESTOPPING: after a failure of the ledger, which knows of the interrupt already. */
	return ward_failed_err(self, err == WARD_ESTOPPING ? WARD_OK : err);
}

static ward_result shutdown_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ward_shutdown_task))
		return WARD_UNHANDLED;
	must_tell(self, ward_parent(self), interrupt, .number = SIGTERM);
	return WARD_DONE;
}

const ward_behavior shutdown_behavior = {
	.name = "shutdown",
	.args = &ward_type_sink_args,
	.init = shutdown_init,
	.receive = shutdown_receive,
};
