/* SPDX-License-Identifier: MIT
 *
 * put_off.h - a child about which another actor decides: its failures wait (WARD_LATER) for a
 * verdict.
 *
 *	failure --> the number of the one that waits --> a stand-in elsewhere fails likewise
 *	verdict --> with that number: ward_decide()
 *	            with 0: a restart that is not about a failure; one that waits is answered by it
 *	            with another: it has been answered since, and nothing happens
 *
 * Threads: in callbacks of the parent.
 */
#ifndef WARDI_PUT_OFF_H
#define WARDI_PUT_OFF_H

#include <ward/extend.h>

struct wardi_put_off {
	ward_ref who;
	uint64_t failures;  /* so far */
	uint64_t undecided; /* the number of the one that waits; 0: none */
};

/* In the decider, which returns WARD_LATER. Returns the number of the failure. */
static inline uint64_t wardi_put_off(struct wardi_put_off *child)
{
	child->undecided = ++child->failures;
	return child->undecided;
}

/* Decides the failure that waits. A refusal is ignored: it was decided otherwise in the meantime,
 * or ended with the child. */
static inline void wardi_put_off_decide(ward_self *self, struct wardi_put_off *child,
					ward_directive directive)
{
	child->undecided = 0;
	(void)!ward_decide(self, child->who, directive);
}

/* Stops the child: with the failure that waits, if there is one. */
static inline void wardi_put_off_stop(ward_self *self, struct wardi_put_off *child)
{
	if (child->undecided != 0)
		wardi_put_off_decide(self, child, WARD_STOP);
	else
		ward_stop(self, child->who);
}

/* The class and the text are for a restart that is not about a failure. Class NULL: it is not known
 * here. */
static inline void wardi_put_off_verdict(ward_self *self, struct wardi_put_off *child,
					 uint64_t number, ward_directive directive,
					 const ward_failure_class *failure_class, const char *text)
{
	if (child->undecided != 0 && (number == 0 || number == child->undecided))
		wardi_put_off_decide(self, child, directive);
	else if (number == 0)
		(void)!ward_restart_child(self, child->who,
					  failure_class != NULL ? failure_class : &ward_exception,
					  text);
}

#endif
