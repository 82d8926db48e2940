/* SPDX-License-Identifier: MIT
 *
 * failure.h - the record of a failure, and the cause: a record, or only a class if there was no
 * memory.
 */
#ifndef WARDI_FAILURE_H
#define WARDI_FAILURE_H

#include <stdarg.h>
#include <stdatomic.h>

#include <ward/event.h>
#include <ward/failure.h>

struct ward_msg;

enum { WARDI_CAUSES_MAX = 8 };

struct ward_failure {
	_Atomic uint32_t refs;
	uint32_t depth; /* of the chain of causes, with this record */
	ward_system *system;
	const ward_failure_class *failure_class;
	ward_ref actor;
	struct ward_failure *cause; /* counted; NULL: none */
	struct ward_msg *body;      /* NULL: none */
	const ward_type *message;   /* type being handled; NULL: a hook */
	const char *text;           /* behind the record; for a bare class: a constant */
	uint32_t size;              /* of the record and its text */
	uint32_t incarnation;       /* of the actor, which has failed with it; 0: it has not */
};

/* The cause of a failure. Counted: share with wardi_failure_ref, end with wardi_failure_unref.
 *  */
struct wardi_failure {
	uintptr_t bits; /* 0: none; a record; or a class with bit 0 set */
};

#define WARDI_NO_FAILURE ((struct wardi_failure){0})

static inline bool wardi_failure_is_none(struct wardi_failure cause)
{
	return cause.bits == 0;
}

struct wardi_failure wardi_failure_ref(struct wardi_failure cause);
/* wardi_failure_unref() of a cause that is not none. */
void wardi_failure_end(struct wardi_failure cause);
static inline void wardi_failure_unref(struct wardi_failure cause)
{
	if (!wardi_failure_is_none(cause))
		wardi_failure_end(cause);
}
/* Moves the cause out: the variable then has none. */
static inline struct wardi_failure wardi_failure_take(struct wardi_failure *cause)
{
	struct wardi_failure taken = *cause;

	*cause = WARDI_NO_FAILURE;
	return taken;
}
const ward_failure_class *wardi_failure_class(struct wardi_failure cause);
/* Returns the record; for a bare class fills in and returns `*bare`. */
const ward_failure *wardi_failure_view(struct wardi_failure cause, struct ward_failure *bare);

/* Makes a cause, and takes `behind` (WARDI_NO_FAILURE: none). Never returns none: at worst the bare
 * class. */
__attribute__((format(printf, 5, 0))) struct wardi_failure
wardi_failure_make(ward_system *system, ward_ref actor, const ward_failure_class *failure_class,
		   struct wardi_failure behind, const char *text, va_list args);
__attribute__((format(printf, 5, 6))) struct wardi_failure
wardi_failure_text(ward_system *system, ward_ref actor, const ward_failure_class *failure_class,
		   struct wardi_failure behind, const char *text, ...);

/* Adds to a fresh record: a body (false: a bare class has no room), the type being handled. */
bool wardi_failure_set_body(struct wardi_failure cause, struct ward_msg *body);
void wardi_failure_set_message(struct wardi_failure cause, const ward_type *type);
/* The actor fails with it; unless it is that of another actor, escalated. */
void wardi_failure_set_incarnation(struct wardi_failure cause, uint64_t uid, uint32_t incarnation);
/* Appends `behind` to the chain of `cause`; takes both, returns the whole. */
struct wardi_failure wardi_failure_chain(struct wardi_failure cause, struct wardi_failure behind);

/* Writes the class and its parents: "/ward_exception/bank/broke", cut at the end. */
void wardi_class_chain(const ward_failure_class *failure_class, char *text, size_t size);

/* Whether both are the same class: the same names, up to the root. */
bool wardi_class_same(const ward_failure_class *a, const ward_failure_class *b);
/* Whether `failure_class` is `above` or below it; **ret_distance: how far below. */
bool wardi_class_below(const ward_failure_class *failure_class, const ward_failure_class *above,
		       unsigned *ret_distance);

#endif
