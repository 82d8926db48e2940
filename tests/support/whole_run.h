/* SPDX-License-Identifier: MIT
 *
 * whole_run.h - one small system that uses all that the runtime asks of the operating system:
 * several workers, blocking and pinned actors, timers, descriptors, questions, an inbox, its end.
 *
 * For tests in which the operating system refuses something. The run itself makes none of the calls
 * that those tests refuse, but through ward, and takes any refusal that has a code and a text.
 */
#ifndef SUPPORT_WHOLE_RUN_H
#define SUPPORT_WHOLE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>

enum whole_end {
	WHOLE_DONE,
	WHOLE_NOT_CREATED, /* with a code and a text */
	WHOLE_WRONG        /* the text says what */
};

struct whole_run {
	/* what is wanted */
	void (*created)(void); /* called when the system is there; NULL: nothing */
	bool few_threads;      /* its blocking actors need one thread, not one each */
	bool no_descriptors;   /* nobody need be told that one is ready */
	bool no_inbox_fd;      /* it does not poll the descriptor of its inbox */
	bool signals;          /* it is ended by those of the process */
	/* what came of it */
	char text[512];    /* what was wrong, or why it was not created */
	char fatal[512];   /* the last words */
	_Atomic int notes; /* events of the kind note */
	char note[2][300]; /* the first ones */
};

enum whole_end whole_run(struct whole_run *run);

#endif
