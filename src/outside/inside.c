/* SPDX-License-Identifier: MIT
 *
 * inside.c - for testkits: runs a function as an actor, and sends a message in the name of one.
 *
 * Threads: all functions may run at the same time.
 */
#include <ward/simulation.h>

#include "base/error.h"
#include "cell/system.h"
#include "mail/auto_received.h"
#include "mail/ref.h"
#include "send/tell.h"

ward_err ward_system_inside(ward_system *system, ward_ref who, const ward_inside *what)
{
	if (what == NULL || what->run == NULL || what->over == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_inside: no function to %s",
				   what == NULL || what->run == NULL ? "run"
								     : "call when it is over");
	if (system != NULL && !ward_ref_is_nobody(who) && !wardi_ref_is_here(system->place, who))
		return wardi_error(WARD_EFOREIGN, "ward_system_inside: it is of another system");
	return ward_system_try_send(system, who, &wardi_type_inside, what, sizeof *what);
}

void ward_system_send_from(ward_system *system, ward_ref sender, ward_ref to, const ward_type *type,
			   const void *body, size_t size)
{
	wardi_outside_send(system, sender, to, type, body, size);
}
