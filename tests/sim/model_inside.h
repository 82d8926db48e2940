/* SPDX-License-Identifier: MIT
 *
 * model_inside.h - what the files of the model share: a life, and what is on its way to it.
 */
#ifndef MODEL_INSIDE_H
#define MODEL_INSIDE_H

#include "sim/model.h"

enum model_phase {
	PHASE_STARTING,       /* init and pre_start are due, or under way */
	PHASE_START_FAILED,   /* they failed (S42) */
	PHASE_RETRYING,       /* waits for the children of the failed try (S42) */
	PHASE_RUNNING,        /* the only one in which it reads its mail */
	PHASE_FAILED,         /* waits for its parent's decision */
	PHASE_RESTARTING,     /* waits for dying children, or runs the hooks of a restart (S34) */
	PHASE_RESTART_FAILED, /* the new instance is broken (S37) */
	PHASE_STOPPING,       /* waits for its children (S45) */
	PHASE_GONE
};

/* Which system messages wait (S5). */
enum model_gate { GATE_OPEN, GATE_SUSPENDED, GATE_WAITING };

enum model_kind { NOTE_ORDERS, NOTE_STOP, NOTE_FAILED, NOTE_GONE, NOTE_TERMINATED };

/* A system message on its way. */
struct model_note {
	enum model_kind kind;
	struct model_life *about; /* the child that failed or is gone; the one that was watched */
};

struct model_notes {
	struct model_note *items;
	size_t count, room;
};

struct model_letter {
	enum model_mail mail;
	uint64_t number; /* of a ping */
	uint64_t from;   /* uid */
	uint64_t gone;   /* uid */
};

struct model_letters {
	struct model_letter *items;
	size_t count, room;
};

struct model_lives {
	struct model_life **items;
	size_t count, room;
};

/* What a parent has ordered and the child has not carried out: orders that wait together are
 * carried out together (S26). */
struct model_orders {
	bool waiting; /* a note about them is on its way */
	bool restart;
	bool answers; /* a resume answers the failure of the child itself (S29) */
	uint32_t suspends, restarts, resumes;
};

/* For model_life.due. */
#define NOTHING_DUE WARD_POINTS

/* One actor from its spawn to its end. */
struct model_life {
	struct model_life *next_in_bucket;
	ward_ref ref;
	struct model_life *parent;
	const ward_strategy *strategy;
	struct model_lives children; /* in order of creation, until the parent knows of the end */
	enum model_phase phase;
	uint32_t suspended, incarnation;
	bool told_to_stop;   /* by its parent, which therefore waits for it */
	bool stop_sent;      /* by anybody */
	bool survivor;       /* of the restart of its parent that is under way */
	bool owes_post_stop; /* there is an instance that has not had it (S48) */
	uint32_t restarts;   /* charged to the limit */
	bool window_open;    /* there was a failure to charge (S71) */
	int64_t window_ns;   /* since when */
	uint32_t lifts;      /* suspensions that the restart under way takes away */
	struct model_orders orders;
	struct model_life *perpetrator;
	const ward_failure_class *cause;
	uint32_t reports;            /* of its failures, which the parent has not looked at */
	bool unanswered;             /* the last of them: no restart was ordered since (S26) */
	struct model_life *deciding; /* the child that is decided about */
	uint32_t decisions_left;     /* about it */
	bool last_unanswered;        /* of these decisions */
	uint32_t pending;            /* suspensions by failures that its parent has put off */
	bool pending_answered;       /* their incarnations are ordered to restart, all (S26) */
	const ward_failure_class *pending_cause;
	struct model_life *escalated; /* the child whose failure goes up when receive is over */
	const ward_failure_class *escalated_cause;
	struct model_notes notes, deferred;
	bool carrying_out; /* a note; the gate was `gate_before` then */
	enum model_gate gate_before;
	ward_point due;      /* the hook that must come next */
	ward_point calls[4]; /* under way, nested */
	size_t calls_count;
	struct model_letters mail;
	struct model_lives watching, watchers;
	char seen[16]; /* state by the last event */
};

/* A decision of which there must be an event. */
struct model_decision {
	ward_ref child;
	ward_directive directive;
	bool denied;
	uint32_t restarts; /* UINT32_MAX: not counted */
};

enum { BUCKETS = 1024, STORY_LINES = 60, STORY_TEXT = 48, DECISIONS_MAX = 256 };

/* One observation: "WHO: what WHOM more". */
struct model_line {
	unsigned long long who, whom; /* 0: nobody */
	const char *what;
	char more[STORY_TEXT];
};

struct model {
	model_rejected *rejected;
	void *arg;
	struct model_life *buckets[BUCKETS];
	struct model_lives lives; /* all there ever were */
	size_t alive;
	struct model_life *turn;
	bool handled; /* a message in this turn */
	int64_t now_ns;
	struct model_decision decisions[DECISIONS_MAX];
	size_t decisions_first, decisions_count;
	/* by number of a ping: whether its fate is known */
	unsigned char *fates;
	uint64_t fates_room, pings, fates_known;
	uint64_t seen[SEEN_COUNT];
	struct model_line story[STORY_LINES]; /* a ring */
	uint64_t story_count;
};

/* ---- model.c ----------------------------------------------------------------------------- */

__attribute__((noreturn, format(printf, 4, 5))) void model_reject(struct model *model,
								  const struct model_life *life,
								  const char *clause,
								  const char *text, ...);
/* Rejects unless it holds. */
#define MODEL_NEEDS(model, life, condition, clause, ...)                                           \
	((condition) ? (void)0 : model_reject((model), (life), (clause), __VA_ARGS__))
/* Of the life, for a text; 0: none. */
unsigned long long model_id(const struct model_life *life);
struct model_life *model_find(const struct model *model, ward_ref ref);
const char *model_phase_text(enum model_phase phase);
void model_lives_add(struct model_lives *lives, struct model_life *life);
bool model_lives_remove(struct model_lives *lives, const struct model_life *life);
bool model_lives_have(const struct model_lives *lives, const struct model_life *life);

/* ---- model_life.c ------------------------------------------------------------------------ */

enum model_gate model_gate_of(const struct model_life *life);
void model_send_note(struct model_life *to, enum model_kind kind, struct model_life *about);
/* Carries out system messages up to one that needs a hook. */
void model_advance(struct model *model, struct model_life *life);
void model_fail(struct model *model, struct model_life *life, const ward_failure_class *cause,
		struct model_life *perpetrator);
void model_begin_stop(struct model *model, struct model_life *life);
void model_stop_child(struct model_life *child);
/* A callback that was due is over. */
void model_hook_over(struct model *model, struct model_life *life, ward_point point,
		     const struct model_outcome *outcome);

/* ---- model_decide.c ---------------------------------------------------------------------- */

void model_order(struct model_life *child, const struct model_orders *orders);
/* Goes on with the decisions about life->deciding, up to one for which the program is asked. */
void model_decide(struct model *model, struct model_life *life);
uint32_t model_take_pending(struct model_life *child);
void model_decided(struct model *model, struct model_life *life,
		   const struct model_outcome *outcome);

#endif
