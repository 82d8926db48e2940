/* SPDX-License-Identifier: MIT
 *
 * model.h - the supervision contract as a program: it is told what happens, and says what must not.
 *
 * The model holds a life for each actor: its phase, its suspensions, the system messages that it
 * has been sent and has not carried out, its mail. It is fed with what can be seen of a simulated
 * run (whose turn it is, callbacks that begin and end, calls that actors make, events), and knows
 * from the contract alone what must come of it. Two things are checked: that each observation is
 * one that the contract allows at that moment, and, at the end of a turn, that nothing is missing.
 *
 * Written from the clauses, not from the runtime. It knows ward's public headers only.
 *
 * single-threaded.
 */
#ifndef MODEL_H
#define MODEL_H

#include <ward/simulation.h>
#include <ward/ward.h>

struct model;

/* What is in a mailbox. */
enum model_mail { MODEL_PING, MODEL_TERMINATED, MODEL_KILL, MODEL_PILL };

/* An observation was rejected; must not return. The text names the clause, the actor, and what came
 * before. */
typedef void model_rejected(void *arg, const char *text);

struct model *model_create(model_rejected *rejected, void *arg);
void model_destroy(struct model *model);

/* ---- turns ------------------------------------------------------------------------------- */

/* An actor has its turn, at that time; the turn before is over. Strangers are ignored. */
void model_turn(struct model *model, ward_ref who, int64_t now_ns);
/* The turn is over, and no other has begun. */
void model_turn_over(struct model *model);

/* ---- calls, by the actor whose turn it is, or from outside (nobody) ----------------------- */

/* Borrows the strategy. A parent that is nobody: an actor at the top, which must never fail. */
void model_spawned(struct model *model, ward_ref parent, ward_ref child,
		   const ward_strategy *strategy);
void model_stop(struct model *model, ward_ref by, ward_ref who);
void model_watch(struct model *model, ward_ref by, ward_ref who);
void model_unwatch(struct model *model, ward_ref by, ward_ref who);
/* A ping with that number, above all before it, or another message with number 0. */
void model_sent(struct model *model, ward_ref from, ward_ref to, enum model_mail mail,
		uint64_t number);

/* ---- callbacks --------------------------------------------------------------------------- */

/* ward_decide() is about to be called, in receive: what it must answer. */
ward_err model_decide_later(struct model *model, ward_ref by, ward_ref child,
			    ward_directive directive);
/* A hook or a decision begins; `child` is the one that is decided about. */
void model_enter(struct model *model, ward_ref who, ward_point point, ward_ref child);
/* The same for receive: which ping, or (number 0) whose end. */
void model_receive(struct model *model, ward_ref who, uint64_t number, ward_ref gone);
/* ward_default_pre_restart() is about to be called. */
void model_default_pre_restart(struct model *model, ward_ref who);

struct model_outcome {
	const ward_failure_class *failed; /* NULL: it did not */
	bool jumped;                      /* out of all callbacks that are under way */
	ward_directive directive;         /* of a decision */
};
void model_leave(struct model *model, ward_ref who, ward_point point,
		 const struct model_outcome *outcome);

/* ---- events ------------------------------------------------------------------------------ */

/* All kinds; each where it happens. A dead ping's number is the first 8 bytes of its body. */
void model_event(struct model *model, const ward_event *event);

/* ---- looking ----------------------------------------------------------------------------- */

/* What ward_system_actors() tells of one is compared with what the model holds. */
void model_look(struct model *model, const ward_actor_info *info);
/* The children that an actor must see, in order, are these. */
void model_children(struct model *model, ward_ref parent, const ward_ref *children, size_t count);
/* Nobody has anything to do: nothing may be owed to anybody. */
void model_idle(struct model *model);
/* What a storm has brought about: situations that only some orders and faults lead to. */
enum model_seen {
	SEEN_RETRY,          /* a failed start was tried again (S42) */
	SEEN_WAIT,           /* a restart waited for dying children (S34) */
	SEEN_SURVIVOR,       /* a child was restarted with its parent (S35) */
	SEEN_RESTART_FAILED, /* a restart failed (S37) */
	SEEN_MADE_IN_VAIN,   /* a child of a try that failed was stopped (S38, S42) */
	SEEN_NOT_RESUMED,    /* a resume became a restart (S38) */
	SEEN_ESCALATED,      /* a failure went up (S27) */
	SEEN_HIGHER,         /* one that had come up went up again (S28) */
	SEEN_DENIED,         /* the limit said no (S71) */
	SEEN_GROUP,          /* all were restarted for one (S24) */
	SEEN_ONE_FOR_TWO,    /* one restart did for several (S26) */
	SEEN_DEFERRED,       /* a system message waited (S5) */
	SEEN_ANSWERED,       /* a failure of one that was ordered to restart already (S26) */
	SEEN_TWO_REPORTS,    /* of one child, decided one after the other (S18) */
	SEEN_STALE_REPORT,   /* of a child that was gone by then (S15) */
	SEEN_STOP_WON,       /* over a restart (S41) */
	SEEN_DEAD_WATCHED,   /* somebody watched a dead one (S62) */
	SEEN_KILL,           /* S50 */
	SEEN_PILL,           /* S50 */
	SEEN_PACT,           /* S66 */
	SEEN_LATER,          /* a failure that was put off was decided */
	SEEN_COUNT
};
uint64_t model_seen(const struct model *model, enum model_seen what);
/* A word for it. */
const char *model_seen_text(enum model_seen what);
/* One that could decide about a failure that it has put off; nobody: there is none. */
ward_ref model_undecided(const struct model *model);
bool model_is_alive(const struct model *model, ward_ref who);
/* How many are alive by the model. */
size_t model_alive(const struct model *model);

#endif
