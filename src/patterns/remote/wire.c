/* SPDX-License-Identifier: MIT
 *
 * wire.c - failures across, and the start that brings its props.
 *
 * A class is known by the chain of its names, as in rules of a strategy.
 *
 * Threads: functions of their arguments.
 */
#include "patterns/remote/wire.h"

#include <string.h>

#include <ward/extend.h>
#include <ward/failure.h>
#include <ward/remote.h>
#include <ward/simulation.h>

#define OWN .reserved = {WARD_CLASS_OWN_}
const ward_failure_class ward_unreached = {"ward_unreached", &ward_exception, OWN};
const ward_failure_class ward_remote_failure = {"ward_remote_failure", &ward_exception, OWN};
#undef OWN

enum { DEPTH_MAX = 32 };

static void write_chain(const ward_failure_class *failure_class, char *text, size_t size)
{
	const ward_failure_class *chain[DEPTH_MAX];
	size_t length = 0;
	int depth = 0;

	for (; failure_class != NULL && depth < DEPTH_MAX; failure_class = failure_class->parent)
		chain[depth++] = failure_class;
	text[0] = '\0';
	while (depth-- > 0 && length < size)
		length += ward_text_format(text + length, size - length, "/%s", chain[depth]->name);
}

void wardi_remote_why_of(struct wardi_remote_why *to, const ward_failure_class *failure_class,
			 const char *text)
{
	to->failure_class = failure_class;
	write_chain(failure_class, to->chain, sizeof to->chain);
	ward_text_format(to->text, sizeof to->text, "%s", text);
}

static bool has_chain(const ward_failure_class *failure_class, const char *chain)
{
	char own[WARDI_REMOTE_CHAIN];

	write_chain(failure_class, own, sizeof own);
	return strcmp(own, chain) == 0;
}

static const ward_failure_class *find(const ward_failure_class *const *classes, const char *chain)
{
	while (classes != NULL && *classes != NULL && !has_chain(*classes, chain))
		classes++;
	return classes == NULL ? NULL : *classes;
}

const ward_failure_class *wardi_remote_class(const struct wardi_remote_why *why,
					     const ward_failure_class *const *known)
{
	static const ward_failure_class *const own[] = {
		&ward_exception,       &ward_error,          &ward_initialization,
		&ward_post_restart,    &ward_killed,         &ward_death_pact,
		&ward_check_failed,    &ward_misuse,         &ward_os_failure,
		&ward_out_of_memory,   &ward_injected,       &ward_restart_intensity,
		&ward_hardware_fault,  &ward_bad_memory,     &ward_bad_arithmetic,
		&ward_bad_instruction, &ward_stack_overflow, &ward_hang,
		&ward_unreached,       &ward_remote_failure, NULL};
	const ward_failure_class *found = why->failure_class;

	if (found == NULL)
		found = find(known, why->chain);
	return found != NULL ? found : find(own, why->chain);
}

/* ---- a start by value -------------------------------------------------------------------- */

static void drop_bring(void *body)
{
	ward_props_drop(&((struct wardi_guest_bring *)body)->props);
}

static ward_err clone_bring(void *to, const void *from)
{
	const struct wardi_guest_bring *bring = from;
	ward_props copy;
	ward_err err = ward_props_clone(&copy, &bring->props);

	if (err == WARD_OK)
		((struct wardi_guest_bring *)to)->props = copy;
	return err;
}

const ward_type ward_type_wardi_guest_bring = {
	.name = "wardi_guest_bring",
	.size = sizeof(struct wardi_guest_bring),
	.drop = drop_bring,
	.clone = clone_bring,
};

ward_exit_reason wardi_guest_end_reason(const struct wardi_guest_ended *ended)
{
	ward_exit_reason reason = ended->reason;

	if (ended->end == WARD_END_NORMAL)
		return (ward_exit_reason){.kind = WARD_EXIT_NORMAL};
	if (ended->end == WARD_END_STOPPED)
		reason.kind = WARD_EXIT_SHUTDOWN;
	if (ended->end == WARD_END_KILLED)
		reason.kind = WARD_EXIT_KILLED;
	return reason;
}
