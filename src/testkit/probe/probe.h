/* SPDX-License-Identifier: MIT
 *
 * probe.h - the parts of a probe: the actor, the test's thread, and the desk between them.
 *
 *	the test's thread                          the probe, an actor
 *	  order ------------- orders, wake --------> carries out (probe_act.c)
 *	  expects <---------- mail, failures ------- receives, decides (probe.c)
 *	  has looked at ----- done, wake ----------> discards
 *
 * Bodies stay in the message memory of the probe's incarnation, and only the probe discards them or
 * sends them on. The desk is under mu; in a simulation both sides are one thread and the same code
 * runs. Only functions of the testkit are called under mu.
 */
#ifndef WARDI_TESTKIT_PROBE_H
#define WARDI_TESTKIT_PROBE_H

#include <pthread.h>

#include <ward/testkit/probe.h>

#include "testkit/check/text.h"
#include "testkit/kit/kit.h"

/* A kept message, until the probe discards it. */
struct wardi_mail {
	struct wardi_mail *next;
	const ward_type *type;
	void *body; /* owned by the incarnation; NULL: dropped with it */
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

/* Something to do in the probe's callbacks. */
struct wardi_probe_order {
	struct wardi_probe_order *next;
	wardi_carry_out *carry_out;
	ward_ref who;
	/* to send: the body is below; type is NULL once it was sent */
	const ward_type *type;
	size_t body_size;
	bool zero;               /* no body was given */
	struct wardi_mail *mail; /* to forward */
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

/* The path of an actor that may be gone when a report names it. */
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
	ward_strategy strategy; /* for the probe's children */

	/* the test's thread only */
	struct wardi_reported *judged; /* the failure expected last */
	ward_ref sender;               /* of the message taken last, even if forwarded */
	struct wardi_known *known;
	bool failed; /* an expectation did not hold: unread mail is no news */

	pthread_mutex_t mu;
	pthread_cond_t changed;
	/* under mu */
	struct wardi_mail *taken; /* the message expected last; only the test's thread writes it */
	struct wardi_mails mail;  /* messages to be expected */
	struct wardi_mails done;  /* messages to be discarded */
	bool woken;               /* the probe will look at `orders` and `done` */
	struct wardi_probe_order *orders;
	struct wardi_probe_order *under_way; /* the current order; it may jump out */
	struct wardi_reported *reported;     /* failures to be expected */
	struct wardi_ignored *ignored;
	ward_pilot (*pilot)(ward_self *self, void *arg, const ward_msg *msg);
	void *pilot_arg;
	ward_directive always; /* WARD_LATER: the test decides */
	bool restarting;
	bool gone;
	size_t lost;                   /* messages not kept: no memory */
	size_t unread;                 /* messages dropped unread with an incarnation */
	char letters[512];             /* the unread messages */
	char refused[WARD_EVENT_TEXT]; /* the call that the system refused; "": none */
};

/* ---- probe.c: the actor and its desk ----------------------------------------------------- */

/* Never returns NULL: fails the test instead. */
void *wardi_probe_alloc(size_t size);

void wardi_mails_add(struct wardi_mails *mails, struct wardi_mail *mail);
/* Returns NULL if there is none. */
struct wardi_mail *wardi_mails_take(struct wardi_mails *mails);

/* Has the probe look at `orders` and `done`, unless it is going to. */
void wardi_probe_wake(ward_probe *probe);

/* Moves until holds(probe), the probe's end or timeout_ms; returns whether it holds. Calls holds()
 * under mu. */
bool wardi_probe_await(ward_probe *probe, int64_t timeout_ms, bool (*holds)(void *probe));

/* ---- probe_parent.c ---------------------------------------------------------------------- */

/* Returns the probe of the running actor. */
ward_probe *wardi_probe_of(const ward_self *self);

#endif
