/* SPDX-License-Identifier: MIT
 *
 * routee.c - sends a message to a routee: to the actor behind a ref, or to the actors at a path.
 *
 * Threads: in the callbacks of a router, or of a request.
 */
#include "patterns/router/routee.h"

#include <ward/extend.h>
#include <ward/selection.h>

#include "patterns/router/router.h"

void wardi_routee_forward(ward_self *self, const struct wardi_routee *to)
{
	if (to->path != NULL)
		ward_select_forward(self, to->path);
	else
		ward_forward(self, to->ref);
}

void wardi_routee_give(ward_self *self, ward_ref sender, const struct wardi_routee *to,
		       const ward_type *type, void *body)
{
	if (to->path != NULL)
		ward_select_give_body_from(self, sender, to->path, type, body);
	else
		ward_give_body_from(self, sender, to->ref, type, body);
}
