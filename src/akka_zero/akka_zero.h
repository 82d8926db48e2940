/* SPDX-License-Identifier: MIT
 *
 * akka_zero.h - what the parts of the Akka 0.x profile share.
 *
 *	supervising actor --- child, spawned with its link
 *	              \------ stand-in . . . . . orphan --- orphanage
 *
 * A linked orphan is a guest of the orphanage, with a stand-in (guests.h) that fails in its place,
 * with the same class and text, so the supervisor decides as about any child.
 *
 * Threads: each part runs only in callbacks of its actor.
 */
#ifndef WARDI_AKKA_ZERO_H
#define WARDI_AKKA_ZERO_H

#include <ward/codec.h>
#include <ward/zero_factory.h>

/* ---- links (links.c) --------------------------------------------------------------------- */

struct wardi_zero_link {
	struct wardi_zero_link *next;
	ward_ref who, child; /* equal, unless the child is a stand-in */
	ward_ref orphanage;  /* for a stand-in */
	ward_zero_life life;
	bool stopping; /* by the fault handler */
	bool unlinked; /* but still a child */
};

/* ---- between orphanage and stand-in ------------------------------------------------------ */

/* From the supervisor to the orphanage, so that an unlink cannot overtake it: failures of `who` go
 * to the stand-in, which gets the result, a ward_zero_linked. */
struct wardi_zero_route {
	ward_ref who, stand_in;
};
/* To the orphanage, from the supervisor or from a stand-in that cannot begin: its orphan no longer
 * belongs to it, and what it orders later is ignored. */
struct wardi_zero_let_go {
	ward_ref stand_in;
};
WARD_MESSAGE_FIELDS(wardi_zero_route, 1, WARD_FIELD(REF, wardi_zero_route, who),
		    WARD_FIELD(REF, wardi_zero_route, stand_in));
WARD_MESSAGE_FIELDS(wardi_zero_let_go, 1, WARD_FIELD(REF, wardi_zero_let_go, stand_in));

#endif
