/* SPDX-License-Identifier: MIT
 *
 * failure.c - failure classes, and the records of failures.
 *
 * A record is made where the failure happens, and then only shared: by the cell that failed, by the
 * parent that decides, by the restarts it leads to, by failures that name it as their cause. It
 * outlives the arena of the incarnation. When there is no memory for a record the bare class is the
 * cause: a failure is never lost. It is as long as its text, and a block if it fits one: a text is
 * written once, when it is complete, and formatted only if there is something to format.
 *
 * Pairs  [F1] unref: release - acquire by the last unref, which frees.
 */
#include "cell/failure.h"

#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/simulation.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/self.h"

#define OWN .reserved = {WARD_CLASS_OWN_}
const ward_failure_class ward_exception = {"ward_exception", NULL, OWN};
const ward_failure_class ward_error = {"ward_error", NULL, OWN};
const ward_failure_class ward_initialization = {"ward_initialization", &ward_exception, OWN};
const ward_failure_class ward_post_restart = {"ward_post_restart", &ward_initialization, OWN};
const ward_failure_class ward_killed = {"ward_killed", &ward_exception, OWN};
const ward_failure_class ward_death_pact = {"ward_death_pact", &ward_exception, OWN};
const ward_failure_class ward_check_failed = {"ward_check_failed", &ward_exception, OWN};
const ward_failure_class ward_misuse = {"ward_misuse", &ward_exception, OWN};
const ward_failure_class ward_os_failure = {"ward_os_failure", &ward_exception, OWN};
const ward_failure_class ward_injected = {"ward_injected", &ward_exception, OWN};
const ward_failure_class ward_restart_intensity = {"ward_restart_intensity", &ward_exception, OWN};
const ward_failure_class ward_hardware_fault = {"ward_hardware_fault", &ward_exception, OWN};
const ward_failure_class ward_bad_memory = {"ward_bad_memory", &ward_hardware_fault, OWN};
const ward_failure_class ward_bad_arithmetic = {"ward_bad_arithmetic", &ward_hardware_fault, OWN};
const ward_failure_class ward_bad_instruction = {"ward_bad_instruction", &ward_hardware_fault, OWN};
const ward_failure_class ward_stack_overflow = {"ward_stack_overflow", &ward_hardware_fault, OWN};
const ward_failure_class ward_hang = {"ward_hang", &ward_exception, OWN};
const ward_failure_class ward_out_of_memory = {"ward_out_of_memory", &ward_exception, OWN};
#undef OWN

enum { CLASS_DEPTH_MAX = 32 };

/* Whether a class of the program would be taken for one of ward's own. */
static bool borrows_name(const char *name)
{
	return name[0] == 'w' && strncmp(name, "ward_", strlen("ward_")) == 0;
}

ward_err ward_failure_class_check(const ward_failure_class *failure_class)
{
	const ward_failure_class *at = failure_class;

	if (at == NULL)
		return wardi_error(WARD_EINVAL, "a failure class is NULL");
	for (int depth = 0; depth < CLASS_DEPTH_MAX; depth++, at = at->parent) {
		if (at->reserved[0] == WARD_CLASS_OWN_)
			return WARD_OK;
		if (at->name == NULL || at->name[0] == '\0')
			return wardi_error(WARD_EINVAL, "a failure class has no name");
		if (borrows_name(at->name))
			return wardi_error(WARD_EINVAL,
					   "failure class \"%s\": names that begin with ward_ are "
					   "reserved for ward's own classes",
					   at->name);
		if (at->parent == NULL)
			return wardi_error(WARD_EINVAL,
					   "failure class \"%s\" has no parent: set its .parent to "
					   "&ward_exception, &ward_error or a class below",
					   at->name);
	}
	return wardi_error(WARD_EINVAL,
			   "failure class \"%s\" has more than %d classes above it: a cycle?",
			   failure_class->name, CLASS_DEPTH_MAX);
}

/* Most names differ in their first byte. */
static bool same_name(const char *a, const char *b)
{
	return a[0] == b[0] && strcmp(a, b) == 0;
}

/* A class declared in a header is one class in all files, and in all shared objects. */
bool wardi_class_same(const ward_failure_class *a, const ward_failure_class *b)
{
	for (int depth = 0; depth < CLASS_DEPTH_MAX; depth++) {
		if (a == b)
			return true;
		if (a == NULL || b == NULL || !same_name(a->name, b->name))
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
		if (wardi_class_same(failure_class, above)) {
			*ret_distance = distance;
			return true;
		}
		failure_class = failure_class->parent;
		distance++;
	}
	return false;
}

void wardi_class_chain(const ward_failure_class *failure_class, char *text, size_t size)
{
	const ward_failure_class *chain[CLASS_DEPTH_MAX];
	size_t length = 0;
	int depth = 0;

	for (; failure_class != NULL && depth < CLASS_DEPTH_MAX;
	     failure_class = failure_class->parent)
		chain[depth++] = failure_class;
	text[0] = '\0';
	while (depth-- > 0 && length < size)
		length += (size_t)ward_text_format(text + length, size - length, "/%s",
						   chain[depth]->name);
}

static bool is_bare(struct wardi_failure cause)
{
	return (cause.bits & 1) != 0;
}

static struct ward_failure *record_of(struct wardi_failure cause)
{
	return cause.bits == 0 || is_bare(cause) ? NULL : (struct ward_failure *)cause.bits;
}

struct wardi_failure wardi_failure_ref(struct wardi_failure cause)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL)
		/* Relaxed: the caller holds a reference, so it cannot be freed. */
		atomic_fetch_add_explicit(&record->refs, 1, memory_order_relaxed);
	return cause;
}

/* Records also end where there is no self: on any thread, or at the end of the system. */
static struct wardi_source source_here(ward_system *system)
{
	struct wardi_worker *worker = wardi_worker_current();
	struct ward_self *self = worker == NULL ? NULL : worker->context;

	return self != NULL && self->system == system ? self->from : wardi_outside_source(system);
}

static void free_record(struct ward_failure *record)
{
	struct wardi_source from = source_here(record->system);

	if (record->body != NULL)
		wardi_msg_destroy(from, record->body);
	wardi_memory_put(from, record, record->size);
}

/* True: the caller had the last reference. */
static bool drop_ref(struct ward_failure *record)
{
	/* The only reference cannot race: taking another takes a reference. */
	return atomic_load_explicit(&record->refs, memory_order_acquire) == 1 ||       /* [F1] */
	       atomic_fetch_sub_explicit(&record->refs, 1, memory_order_acq_rel) == 1; /* [F1] */
}

void wardi_failure_end(struct wardi_failure cause)
{
	struct ward_failure *record = record_of(cause);

	while (record != NULL) {
		struct ward_failure *behind = record->cause;

		if (!drop_ref(record))
			return;
		free_record(record);
		record = behind;
	}
}

const ward_failure_class *wardi_failure_class(struct wardi_failure cause)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL)
		return record->failure_class;
	return (const ward_failure_class *)(cause.bits & ~(uintptr_t)1);
}

const ward_failure *wardi_failure_view(struct wardi_failure cause, struct ward_failure *bare)
{
	if (wardi_failure_is_none(cause))
		return NULL;
	if (!is_bare(cause))
		return record_of(cause);
	memset(bare, 0, sizeof *bare);
	bare->failure_class = wardi_failure_class(cause);
	bare->text = "(no memory was left for the text)";
	return bare;
}

/* The chain of causes is kept short: the first and the last ones stay, those in the middle go. A
 * failed restart adds two at once. */
static void shorten(struct ward_failure *record)
{
	struct ward_failure *middle = record->cause;

	/* Only a record without other readers may be changed. */
	if (atomic_load_explicit(&middle->refs, memory_order_acquire) != 1)
		return;
	while (record->depth > WARDI_CAUSES_MAX) {
		struct ward_failure *gone = middle->cause;

		middle->cause = gone->cause;
		/* Relaxed: `gone` holds a reference, so it cannot be freed. */
		atomic_fetch_add_explicit(&gone->cause->refs, 1, memory_order_relaxed);
		wardi_failure_unref((struct wardi_failure){(uintptr_t)gone});
		middle->depth--;
		record->depth--;
	}
}

/* Makes a record with a copy of the text. NULL: no memory. */
static struct ward_failure *make_record(ward_system *system, const char *text, size_t length)
{
	size_t size = sizeof(struct ward_failure) + length + 1;
	struct ward_failure *record = wardi_memory_take(source_here(system), size);

	if (record == NULL)
		return NULL;
	memset(record, 0, sizeof *record);
	record->size = (uint32_t)size;
	record->text = memcpy(record + 1, text, length);
	((char *)(record + 1))[length] = '\0';
	return record;
}

__attribute__((format(printf, 2, 0))) static struct ward_failure *
make_formatted(ward_system *system, const char *format, va_list args)
{
	char text[WARD_EVENT_TEXT] = "";

	ward_text_vformat(text, sizeof text, format, args);
	return make_record(system, text, strlen(text));
}

static struct ward_failure *make_copy(ward_system *system, const char *text, size_t length)
{
	char line[WARD_EVENT_TEXT];

	if (length < sizeof line && wardi_text_is_plain(text, length))
		return make_record(system, text, length);
	wardi_text_copy(line, sizeof line, text);
	return make_record(system, line, strlen(line));
}

struct wardi_failure wardi_failure_make(ward_system *system, ward_ref actor,
					const ward_failure_class *failure_class,
					struct wardi_failure behind, const char *text, va_list args)
{
	const char *percent = strchrnul(text, '%');
	struct ward_failure *record;

	if (*percent != '\0')
		record = make_formatted(system, text, args);
	else
		record = make_copy(system, text, (size_t)(percent - text));
	if (record == NULL) {
		wardi_count(&system->counters.shortages);
		wardi_failure_unref(behind);
		return (struct wardi_failure){(uintptr_t)failure_class | 1};
	}
	atomic_init(&record->refs, 1);
	record->system = system;
	record->failure_class = failure_class;
	record->actor = actor;
	record->depth = 1;
	record->cause = record_of(behind);
	if (record->cause != NULL) {
		record->depth += record->cause->depth;
		shorten(record);
	}
	return (struct wardi_failure){(uintptr_t)record};
}

struct wardi_failure wardi_failure_text(ward_system *system, ward_ref actor,
					const ward_failure_class *failure_class,
					struct wardi_failure behind, const char *text, ...)
{
	va_list args;
	struct wardi_failure cause;

	va_start(args, text);
	cause = wardi_failure_make(system, actor, failure_class, behind, text, args);
	va_end(args);
	return cause;
}

bool wardi_failure_set_body(struct wardi_failure cause, struct ward_msg *body)
{
	struct ward_failure *record = record_of(cause);

	if (record == NULL)
		return false;
	record->body = body;
	return true;
}

void wardi_failure_set_message(struct wardi_failure cause, const ward_type *type)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL && type != NULL)
		record->message = type;
}

void wardi_failure_set_incarnation(struct wardi_failure cause, uint64_t uid, uint32_t incarnation)
{
	struct ward_failure *record = record_of(cause);

	if (record != NULL && record->actor.uid == uid)
		record->incarnation = incarnation;
}

struct wardi_failure wardi_failure_chain(struct wardi_failure cause, struct wardi_failure behind)
{
	struct ward_failure *record = record_of(cause);

	/* Only a fresh record can take `behind`; else the later cause alone remains. */
	if (record == NULL || record->cause != NULL ||
	    atomic_load_explicit(&record->refs, memory_order_relaxed) != 1) {
		wardi_failure_unref(behind);
		return cause;
	}
	record->cause = record_of(behind);
	if (record->cause != NULL)
		record->depth += record->cause->depth;
	return cause;
}

bool ward_failure_class_is(const ward_failure_class *failure_class, const ward_failure_class *above)
{
	unsigned distance;

	return failure_class != NULL && above != NULL &&
	       wardi_class_below(failure_class, above, &distance);
}

const ward_failure_class *ward_failure_class_of(const ward_failure *failure)
{
	return failure->failure_class;
}

const char *ward_failure_text(const ward_failure *failure)
{
	return failure->text;
}

const void *ward_failure_body_of(const ward_failure *failure, const ward_type *type)
{
	if (failure->body == NULL || !ward_type_same(wardi_msg_type(failure->body), type))
		return NULL;
	return wardi_msg_bytes(failure->body);
}

const void *ward_failure_any_body(const ward_failure *failure, const ward_type **ret_type,
				  size_t *ret_size)
{
	if (failure->body == NULL)
		return NULL;
	*ret_type = wardi_msg_type(failure->body);
	*ret_size = wardi_msg_size(failure->body);
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
