/* SPDX-License-Identifier: MIT
 *
 * akka_zero.h - what the parts of the Akka 0.x profile share.
 *
 *	supervising actor --- child, spawned with its link
 *	              \------ stand-in . . . . . orphan --- orphanage
 *	                                exit -->
 *	                            <-- verdict
 *
 * An orphan that fails waits (WARD_LATER). Its stand-in fails in its place, with the same class and
 * text, so the supervisor decides as it does about any child; what becomes of the stand-in is the
 * verdict that the orphanage carries out.
 *
 * single-threaded: each part runs only in callbacks of its actor.
 */
#ifndef WARDI_AKKA_ZERO_H
#define WARDI_AKKA_ZERO_H

#include <ward/zero_factory.h>

#include "akka_zero/stand_in.h"

/* ---- links (links.c) ---------------------------------------------------------------------- */

struct wardi_zero_link {
	struct wardi_zero_link *next;
	ward_ref who, child; /* the same, unless a stand-in is the child */
	ward_ref orphanage;  /* then */
	ward_zero_life life;
	bool stopping; /* by the fault handler */
	bool unlinked; /* a child still */
};

/* ---- between orphanage and stand-in ------------------------------------------------------ */

/* To the orphanage, from the supervisor, so that an unlink cannot overtake it: the failures of that
 * one are the stand-in's, which gets a routed. */
struct wardi_zero_route {
	ward_ref who, stand_in;
};
struct wardi_zero_routed {
	ward_err err;
};
/* To the orphanage, from the supervisor, or from a stand-in that cannot begin: they are not that
 * one's any more, whatever it says. */
struct wardi_zero_let_go {
	ward_ref who, stand_in;
};
/* To the stand-in. */
struct wardi_zero_exit {
	uint64_t number; /* of the failure, from 1 */
	const ward_failure_class *failure_class;
	char text[WARD_ZERO_TEXT];
};
/* To the orphanage. */
struct wardi_zero_verdict {
	ward_ref who;
	uint64_t number; /* of the failure; 0: it answers none, but means what is there */
	ward_directive directive;
};
WARD_MESSAGE(wardi_zero_route);
WARD_MESSAGE(wardi_zero_routed);
WARD_MESSAGE(wardi_zero_let_go);
WARD_MESSAGE(wardi_zero_exit);
/* An orphanage that is gone has left nothing to be decided about. */
WARD_MESSAGE_FLAGS(wardi_zero_verdict, WARD_TYPE_QUIET);

/* To a stand-in, from its parent, when the orphanage has been told. */
WARD_SIGNAL(wardi_zero_unlink);

/* ---- a stand-in (stand_in.c) -------------------------------------------------------- */

/* Its arguments. It is the actor's own, so what it notes there outlives its restarts. */
struct wardi_zero_stand_in {
	ward_ref orphanage, who;
	uint64_t number; /* of the failure that it fails with; 0: none */
	bool linked;     /* the orphanage said so, and nobody ended it */
};

#endif
