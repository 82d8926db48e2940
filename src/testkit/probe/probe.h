/* SPDX-License-Identifier: MIT
 *
 * probe.h - what the parts of a probe share: the actor, the test's thread, their desk.
 *
 *	the test's thread                          the probe, an actor
 *	  order ------------- orders, wake --------> carries out (probe_act.c)
 *	  expects <---------- mail, failures ------- receives, decides (probe.c)
 *	  has looked at ----- done, wake ----------> discards
 *
 * Bodies stay in the message memory of the probe's incarnation, and only the probe discards them or
 * sends them on. What lies on the desk between the two is under mu; simulated, both are one thread
 * and the same code runs. Nobody else's function is called under mu.
 */
#ifndef WARDI_TESTKIT_PROBE_H
#define WARDI_TESTKIT_PROBE_H

#include <pthread.h>

#include <ward/testkit/probe.h>

#include "testkit/check/text.h"
#include "testkit/kit/kit.h"

/* A message that was kept, until the probe discards it. */
struct wardi_mail {
	struct wardi_mail *next;
	const ward_type *type;
	void *body; /* the incarnation's; NULL: gone with it */
	size_t size;
	ward_ref sender;
	char sender_path[WARD_EVENT_PATH]; /* when it arrived; "": nobody */
};

struct wardi_mails {
	struct wardi_mail *first;
	struct wardi_mail **end; /* where the next one is linked */
	size_t count;
};

struct wardi_probe_order;
typedef void wardi_carry_out(ward_self *self, ward_probe *probe, struct wardi_probe_order *order);

/* Something to do as the probe. */
struct wardi_probe_order {
	struct wardi_probe_order *next;
	wardi_carry_out *carry_out;
	ward_ref who;
	/* of a send: body_size bytes, below; type is NULL when they are gone */
	const ward_type *type;
	size_t body_size;
	bool zero;               /* no body was given */
	struct wardi_mail *mail; /* of a forward */
	void (*fn)(ward_self *self, void *arg);
	void *arg;
	_Alignas(16) unsigned char body[];
};

/* A failure of a child. */
struct wardi_reported {
	struct wardi_reported *next;
	ward_probe_failure told;
	char child_path[WARD_EVENT_PATH];
	char text[WARD_EVENT_TEXT];
};

/* Paths of actors that may be gone when they are reported about. */
struct wardi_known {
	struct wardi_known *next;
	ward_ref who;
	bool watched;
	char path[WARD_EVENT_PATH];
};

struct wardi_ignored {
	struct wardi_ignored *next;
	const ward_type *type;
};

struct ward_probe {
	/* frozen */
	ward_kit *kit;
	ward_ref ref;
	char path[WARD_EVENT_PATH];
	ward_strategy strategy; /* for its children */

	/* the test's thread only */
	struct wardi_reported *judged; /* the failure that was expected last */
	ward_ref sender;               /* of what was taken last, also when it has been forwarded */
	struct wardi_known *known;
	bool failed; /* an expectation did not hold: the test knows that not all is read */

	pthread_mutex_t mu;
	pthread_cond_t changed;
	/* under mu */
	struct wardi_mail *taken; /* what was expected last; written by the test's thread only */
	struct wardi_mails mail;  /* waits to be expected */
	struct wardi_mails done;  /* waits to be discarded */
	bool woken;               /* it will look at orders and at what is done */
	struct wardi_probe_order *orders;
	struct wardi_probe_order *under_way; /* it may jump out */
	struct wardi_reported *reported;     /* wait to be expected */
	struct wardi_ignored *ignored;
	ward_pilot (*pilot)(ward_self *self, void *arg, const ward_msg *msg);
	void *pilot_arg;
	ward_directive always; /* WARD_LATER: the test decides */
	bool restarting;
	bool gone;
	size_t lost;                   /* messages that found no memory to be kept */
	size_t unread;                 /* went with an incarnation, unread */
	char letters[512];             /* which ones */
	char refused[WARD_EVENT_TEXT]; /* what the system said no to; "": nothing */
};

/* ---- probe.c: the actor and its desk ----------------------------------------------------- */

/* Never NULL: fails the test instead. */
void *wardi_probe_alloc(size_t size);

void wardi_mails_add(struct wardi_mails *mails, struct wardi_mail *mail);
/* NULL: there is none. */
struct wardi_mail *wardi_mails_take(struct wardi_mails *mails);

/* Has the probe look at its orders, and at what is done with; unless it is going to. */
void wardi_probe_wake(ward_probe *probe);

/* Moves until holds(probe), or the probe is gone, or timeout_ms are over; says whether it holds.
 * holds() is called under mu. */
bool wardi_probe_await(ward_probe *probe, int64_t timeout_ms, bool (*holds)(void *probe));

/* ---- probe_parent.c ---------------------------------------------------------------------- */

/* The probe of the running actor. */
ward_probe *wardi_probe_of(const ward_self *self);

#endif
