/* SPDX-License-Identifier: MIT
 *
 * shutdown.h - the ordered end of a system: its stages, its phases, and the tasks in them.
 */
#ifndef WARDI_SHUTDOWN_H
#define WARDI_SHUTDOWN_H

#include "base/lock.h"
#include "cell/self.h"

/* The stages of the end, in their order; /system moves on. */
enum wardi_shutdown_stage {
	WARDI_SHUTDOWN_NONE,
	WARDI_SHUTDOWN_PHASES, /* the tasks of one phase after the other, or of that of services */
	WARDI_SHUTDOWN_USER,   /* /user stops */
	WARDI_SHUTDOWN_OVER,   /* /system stops */
	WARDI_SHUTDOWN_STAGES
};

/* Bytes of "flush of sim/user/a". */
enum { WARDI_TASK_TEXT = WARD_TASK_NAME + WARD_EVENT_PATH + 4 };

/* What an actor has promised to do (task.c). */
struct wardi_task {
	struct wardi_list link; /* in its phase, later among those that were asked; not once done */
	struct wardi_list owned; /* in its actor's extra record */
	struct wardi_hash_link numbered;
	uint64_t id; /* the message comes from a waiter with this number */
	ward_ref who;
	uint32_t phase;
	bool handed;          /* the incarnation that runs has got the message */
	bool done;            /* nobody waits for it */
	struct ward_msg *msg; /* made ahead; NULL: it was sent */
	char name[WARD_TASK_NAME];
};

struct wardi_phase {
	/* frozen */
	char name[WARD_PHASE_NAME];
	int64_t timeout_ms;
	bool abort_on_timeout;
	/* under mu */
	struct wardi_list tasks; /* not asked yet */
};

struct wardi_shutdown {
	uint32_t count; /* frozen: of phases before /user stops; that of services is one more */
	struct wardi_mutex mu;
	/* written under mu, and by /system only */
	enum wardi_shutdown_stage stage;
	uint32_t phase;
	/* under mu */
	bool begun;                /* somebody wants the end; the reason is set */
	bool user_gone;            /* /user has ended */
	bool late;                 /* the phase's timeout has passed */
	bool queued;               /* the node is on its way to /system */
	bool promised;             /* the timer has its place */
	struct wardi_list asked;   /* tasks without an answer */
	struct wardi_hash numbers; /* all tasks, by id */
	char reason[WARD_REASON_TEXT];
	struct wardi_addressed way;
	struct wardi_timer_node timer; /* /system's */
	struct wardi_phase phases[];
};

/* phases: NULL, the default ones. Refused with a code and a detail. */
ward_err wardi_shutdown_create(ward_system *system, const ward_phase *phases);
/* No actor is left. */
void wardi_shutdown_destroy(ward_system *system);

/* Any thread: begins the end. */
void wardi_shutdown_begin(ward_system *system, const char *reason);
/* Any thread: whether a shutdown was requested. */
bool wardi_shutdown_has_begun(ward_system *system);
/* Under mu: notes an event for /system. True: the caller sends the node. */
bool wardi_shutdown_note(struct wardi_shutdown *shutdown);
/* Sends the node. self: the worker's, or NULL. */
void wardi_shutdown_send(ward_system *system, struct ward_self *self);

/* /system: handles what was noted. True: it stops now. */
bool wardi_shutdown_step(struct ward_self *self);
/* /system has ended, perhaps within a phase. */
void wardi_shutdown_ended(struct ward_self *self);
/* /system: /user is gone. */
void wardi_shutdown_user_gone(struct ward_self *self);
/* Writes what the shutdown waits for; "": nothing. */
void wardi_shutdown_text(ward_system *system, char *text, size_t max);

#endif
