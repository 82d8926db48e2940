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
 * text, so the supervisor decides as about any child; the fate of the stand-in is the verdict that
 * the orphanage carries out.
 *
 * Threads: each part runs only in callbacks of its actor.
 */
#ifndef WARDI_AKKA_ZERO_H
#define WARDI_AKKA_ZERO_H

#include <ward/zero_factory.h>

#include "akka_zero/stand_in.h"

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
 * to the stand-in, which gets a routed. */
struct wardi_zero_route {
	ward_ref who, stand_in;
};
struct wardi_zero_routed {
	ward_err err;
};
/* To the orphanage, from the supervisor or from a stand-in that cannot begin: `who` no longer
 * belongs to the stand-in, and its later verdicts are ignored. */
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
	uint64_t number; /* of the failure; 0: not about a failure */
	ward_directive directive;
	/* of a restart that is not about a failure: why */
	const ward_failure_class *failure_class;
	char text[WARD_ZERO_TEXT];
};
WARD_MESSAGE(wardi_zero_route);
WARD_MESSAGE(wardi_zero_routed);
WARD_MESSAGE(wardi_zero_let_go);
WARD_MESSAGE(wardi_zero_exit);
/* Quiet: an orphanage that has ended needs no verdict. */
WARD_MESSAGE_FLAGS(wardi_zero_verdict, WARD_TYPE_QUIET);

/* To a stand-in, from its parent, once the orphanage has its wardi_zero_let_go. */
WARD_SIGNAL(wardi_zero_unlink);

/* ---- a stand-in (stand_in.c) ------------------------------------------------------------- */

/* The arguments of a stand-in. The copy is its own, so what it stores there outlives its
 * restarts. */
struct wardi_zero_stand_in {
	ward_ref orphanage, who;
	uint64_t number; /* of the failure that it repeats; 0: none */
	bool linked;     /* the orphanage has confirmed the link, and nobody has ended it */
};

#endif
