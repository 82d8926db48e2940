/* SPDX-License-Identifier: MIT
 *
 * association.h - this end of a connection to another place: what hangs on the actor that is it.
 *
 * Holder only.
 */
#ifndef WARDI_ASSOCIATION_H
#define WARDI_ASSOCIATION_H

#include "actor/rare.h"
#include "base/hash.h"

struct wardi_association {
	uint32_t place; /* of the peer's refs */
	uint32_t life;  /* of what goes out */
	uint64_t links; /* numbers given to links so far */
	/* by (watcher, target): watches of actors of the peer, and, for actors of the peer, of
	 * actors here */
	struct wardi_hash watches;
};

/* Returns the open association that the running actor is, or NULL. */
static inline struct wardi_association *wardi_association_of(const struct ward_self *self)
{
	const struct wardi_rare *rare = self->cell->rare;

	return rare->extra == NULL ? NULL : rare->extra->association;
}

/* Whether the ref is of the peer, whatever it stands for. */
static inline bool wardi_is_of_peer(const struct wardi_association *association, ward_ref ref)
{
	return wardi_ref_is_within(association->place, ref);
}

/* Adds a control message to the mailbox of the running actor, which is the association. Never
 * refused: such a mailbox has a policy that takes it. Takes the message. */
void wardi_association_add(struct ward_self *self, struct ward_msg *msg);

/* The same for an end, which an actor of the peer awaits: behind what was sent before to the one
 * that stands in for it here. `detour`: was made for that one; NULL: there is none. Takes both. */
void wardi_association_add_end(struct ward_self *self, struct ward_msg *msg,
			       struct ward_msg *detour);

/* The incarnation ends: closes the association; notifies all that hangs on it. */
void wardi_association_over(struct ward_self *self);

#endif
