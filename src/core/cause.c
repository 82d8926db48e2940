/* SPDX-License-Identifier: MIT
 *
 * cause.c - classes of failures, and the records of those that happened.
 *
 * A record is made where the failure happens, and then only shared: by the cell that failed, by the
 * parent that decides, by the restarts it leads to, by failures that name it as their cause. It
 * outlives the arena of the incarnation. When there is no memory for a record the bare class is the
 * cause: a failure is never lost.
 *
 * Pairs  [F1] unref: release - acquire by the last one, which frees.
 */
#include "core/cause.h"

#include <ward/simulation.h>

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "core/message.h"
#include "core/system.h"

const ward_failure_class ward_exception = {"exception", NULL, {0, 0}};
const ward_failure_class ward_error = {"error", NULL, {0, 0}};
const ward_failure_class ward_initialization = {"initialization", &ward_exception, {0, 0}};
const ward_failure_class ward_post_restart = {"post_restart", &ward_initialization, {0, 0}};
const ward_failure_class ward_killed = {"killed", &ward_exception, {0, 0}};
const ward_failure_class ward_death_pact = {"death_pact", &ward_exception, {0, 0}};
const ward_failure_class ward_check_failed = {"check_failed", &ward_exception, {0, 0}};
const ward_failure_class ward_misuse = {"misuse", &ward_exception, {0, 0}};
const ward_failure_class ward_os_failure = {"os_failure", &ward_exception, {0, 0}};
const ward_failure_class ward_injected = {"injected", &ward_exception, {0, 0}};
const ward_failure_class ward_restart_intensity = {"restart_intensity", &ward_exception, {0, 0}};
const ward_failure_class ward_hardware_fault = {"hardware_fault", &ward_exception, {0, 0}};
const ward_failure_class ward_bad_memory = {"bad_memory", &ward_hardware_fault, {0, 0}};
const ward_failure_class ward_bad_arithmetic = {"bad_arithmetic", &ward_hardware_fault, {0, 0}};
const ward_failure_class ward_bad_instruction = {"bad_instruction", &ward_hardware_fault, {0, 0}};
const ward_failure_class ward_stack_overflow = {"stack_overflow", &ward_hardware_fault, {0, 0}};
const ward_failure_class ward_hang = {"hang", &ward_exception, {0, 0}};
const ward_failure_class ward_out_of_memory = {"out_of_memory", &ward_exception, {0, 0}};

enum { CLASS_DEPTH_MAX = 32 };

ward_err wardi_class_check(const ward_failure_class *failure_class)
{
	const ward_failure_class *at = failure_class;

	for (int depth = 0; depth < CLASS_DEPTH_MAX; depth++, at = at->parent) {
		if (at->name == NULL || at->name[0] == '\0')
			return wardi_error(WARD_EINVAL, "a failure class has no name");
		if (at->parent != NULL)
			continue;
		if (at == &ward_exception || at == &ward_error)
			return WARD_OK;
		return wardi_error(WARD_EINVAL,
				   "failure class \"%s\" has no parent: set its .parent to "
				   "&ward_exception, &ward_error or a class below",
				   at->name);
	}
	return wardi_error(WARD_EINVAL,
			   "failure class \"%s\" has more than %d classes above it: a cycle?",
			   failure_class->name, CLASS_DEPTH_MAX);
}

/* Identity is the chain of names: a class declared in a header is one class in all files. */
static bool same_class(const ward_failure_class *a, const ward_failure_class *b)
{
	for (int depth = 0; depth < CLASS_DEPTH_MAX; depth++) {
		if (a == b)
			return true;
		if (a == NULL || b == NULL || strcmp(a->name, b->name) != 0)
			return false;
		a = a->parent;
		b = b->parent;
	}
	return false;
}

bool wardi_class_below(const ward_failure_class *failure_class, const ward_failure_class *above,
		       unsigned *ret_distance)
{
	unsigned distance = 0;

	while (failure_class != NULL && distance < CLASS_DEPTH_MAX) {
		if (same_class(failure_class, above)) {
			*ret_distance = distance;
			return true;
		}
		failure_class = failure_class->parent;
		distance++;
	}
	return false;
}

static bool is_bare(struct wardi_cause cause)
{
	return (cause.bits & 1) != 0;
}

static struct ward_failure *record_of(struct wardi_cause cause)
{
	return cause.bits == 0 || is_bare(cause) ? NULL : (struct ward_failure *)cause.bits;
}

struct wardi_cause wardi_cause_ref(struct wardi_cause cause)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL)
		/* Relaxed: the caller holds a reference, so it cannot go meanwhile. */
		atomic_fetch_add_explicit(&record->refs, 1, memory_order_relaxed);
	return cause;
}

static void free_record(struct ward_failure *record)
{
	ward_system *system = record->system;

	if (record->body != NULL)
		wardi_msg_destroy(wardi_outside_source(system), record->body);
	wardi_free(&system->alloc, record, sizeof *record);
}

void wardi_cause_unref(struct wardi_cause cause)
{
	struct ward_failure *record = record_of(cause);

	while (record != NULL) {
		struct ward_failure *behind = record->cause;

		if (atomic_fetch_sub_explicit(&record->refs, 1, memory_order_acq_rel) >
		    1) /* [F1] */
			return;
		free_record(record);
		record = behind;
	}
}

const ward_failure_class *wardi_cause_class(struct wardi_cause cause)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL)
		return record->failure_class;
	return (const ward_failure_class *)(cause.bits & ~(uintptr_t)1);
}

const ward_failure *wardi_cause_view(struct wardi_cause cause, struct ward_failure *bare)
{
	if (wardi_cause_is_none(cause))
		return NULL;
	if (!is_bare(cause))
		return record_of(cause);
	memset(bare, 0, sizeof *bare);
	bare->failure_class = wardi_cause_class(cause);
	snprintf(bare->text, sizeof bare->text, "(no memory was left for the text)");
	return bare;
}

/* The chain of causes is kept short: the first and the last ones stay, those in the middle go. A
 * failed restart adds two at once. */
static void shorten(struct ward_failure *record)
{
	struct ward_failure *middle = record->cause;

	/* Only a record that nobody else looks at may be changed. */
	if (atomic_load_explicit(&middle->refs, memory_order_acquire) != 1)
		return;
	while (record->depth > WARDI_CAUSES_MAX) {
		struct ward_failure *gone = middle->cause;

		middle->cause = gone->cause;
		/* Relaxed: `gone` holds a reference, so it cannot go meanwhile. */
		atomic_fetch_add_explicit(&gone->cause->refs, 1, memory_order_relaxed);
		wardi_cause_unref((struct wardi_cause){(uintptr_t)gone});
		middle->depth--;
		record->depth--;
	}
}

struct wardi_cause wardi_cause_make(ward_system *system, ward_ref actor,
				    const ward_failure_class *failure_class,
				    struct wardi_cause behind, const char *text, va_list args)
{
	struct ward_failure *record = wardi_alloc_zeroed(&system->alloc, sizeof *record);

	if (record == NULL) {
		wardi_count(&system->counters.shortages);
		wardi_cause_unref(behind);
		return (struct wardi_cause){(uintptr_t)failure_class | 1};
	}
	atomic_init(&record->refs, 1);
	record->system = system;
	record->failure_class = failure_class;
	record->actor = actor;
	record->depth = 1;
	vsnprintf(record->text, sizeof record->text, text, args);
	record->cause = record_of(behind);
	if (record->cause != NULL) {
		record->depth += record->cause->depth;
		shorten(record);
	}
	return (struct wardi_cause){(uintptr_t)record};
}

struct wardi_cause wardi_cause_text(ward_system *system, ward_ref actor,
				    const ward_failure_class *failure_class,
				    struct wardi_cause behind, const char *text, ...)
{
	va_list args;
	struct wardi_cause cause;

	va_start(args, text);
	cause = wardi_cause_make(system, actor, failure_class, behind, text, args);
	va_end(args);
	return cause;
}

bool wardi_cause_set_body(struct wardi_cause cause, struct ward_msg *body)
{
	struct ward_failure *record = record_of(cause);

	if (record == NULL)
		return false;
	record->body = body;
	return true;
}

void wardi_cause_set_message(struct wardi_cause cause, const ward_type *type)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL && type != NULL)
		wardi_event_name(record->message_type, sizeof record->message_type, type->name);
}

struct wardi_cause wardi_cause_chain(struct wardi_cause cause, struct wardi_cause behind)
{
	struct ward_failure *record = record_of(cause);

	/* A fresh record that nobody else has seen; else the later cause alone has to do. */
	if (record == NULL || record->cause != NULL ||
	    atomic_load_explicit(&record->refs, memory_order_relaxed) != 1) {
		wardi_cause_unref(behind);
		return cause;
	}
	record->cause = record_of(behind);
	if (record->cause != NULL)
		record->depth += record->cause->depth;
	return cause;
}

bool ward_failure_is(const ward_failure *failure, const ward_failure_class *failure_class)
{
	unsigned distance;

	return failure != NULL && failure_class != NULL &&
	       wardi_class_below(failure->failure_class, failure_class, &distance);
}

const ward_failure_class *ward_failure_class_of(const ward_failure *failure)
{
	return failure->failure_class;
}

const char *ward_failure_text(const ward_failure *failure)
{
	return failure->text;
}

const void *ward_failure_body(const ward_failure *failure, const ward_type *type)
{
	if (failure->body == NULL || !ward_type_same(wardi_msg_type(failure->body), type))
		return NULL;
	return wardi_msg_bytes(failure->body);
}

ward_ref ward_failure_actor(const ward_failure *failure)
{
	return failure->actor;
}

const ward_failure *ward_failure_cause(const ward_failure *failure)
{
	return failure->cause;
}

const ward_failure *ward_failure_root(const ward_failure *failure)
{
	while (failure->cause != NULL)
		failure = failure->cause;
	return failure;
}
