/* SPDX-License-Identifier: MIT
 *
 * arguments.h - arguments of a behaviour, a subsystem or a class: checks and copies.
 *
 * Threads: calls may run at the same time; refusals note the thread's own detail.
 */
#ifndef WARDI_ARGUMENTS_H
#define WARDI_ARGUMENTS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/message.h>

#include "common/bodies.h"
#include "common/refusal.h"

/* Returns their size; arguments without bytes are all zero. */
static inline size_t wardi_arguments_size(const ward_body *given)
{
	return given->bytes != NULL ? given->size : given->type->size;
}

static inline void wardi_arguments_write(const ward_body *given, void *to, size_t size)
{
	if (given->bytes != NULL)
		memcpy(to, given->bytes, size);
	else
		memset(to, 0, size);
}

static inline bool wardi_arguments_given(const ward_body *given)
{
	return given->type != NULL || given->bytes != NULL || given->size != 0;
}

/* Of one that takes none. */
static inline ward_err wardi_arguments_none(const ward_body *given, const char *whom,
					    const char *field)
{
	const char *name = given->type != NULL ? given->type->name : NULL;

	if (!wardi_arguments_given(given))
		return WARD_OK;
	if (name == NULL)
		return ward_refused(WARD_EINVAL,
				    "%s takes no arguments, but got some, without a type: leave "
				    "%s out",
				    whom, field);
	return ward_refused(WARD_EINVAL,
			    "%s takes no arguments, but got a \"%s\": leave %s out, or declare "
			    "them where it is defined, by .args = &ward_type_%s",
			    whom, name, field, name);
}

static inline ward_err wardi_arguments_other(const ward_type *takes, const ward_body *given,
					     const char *whom, const char *field)
{
	const char *name = given->type->name != NULL ? given->type->name : "";

	if (strcmp(name, takes->name) == 0)
		return ward_refused(WARD_EINVAL,
				    "%s takes a \"%s\" of %u bytes, but got another type of "
				    "that name, of %u: two structs have that name",
				    whom, takes->name, takes->size, given->type->size);
	return ward_refused(WARD_EINVAL,
			    "%s takes arguments of type \"%s\", but got \"%s\": write "
			    "%s = WARD_ARGS(%s, ...)",
			    whom, takes->name, name, field, takes->name);
}

/* Whether `given` fits `takes` (NULL: takes nothing); a refusal names `whom`, and the field in
 * which the arguments are given. */
static inline ward_err wardi_arguments_fit(const ward_type *takes, const ward_body *given,
					   const char *whom, const char *field)
{
	if (takes == NULL)
		return wardi_arguments_none(given, whom, field);
	if (given->type == NULL && (takes->size > 0 || wardi_arguments_given(given)))
		return ward_refused(WARD_EINVAL,
				    "%s needs arguments: write %s = WARD_ARGS(%s, ...)", whom,
				    field, takes->name);
	if (given->type != NULL && !ward_type_same(takes, given->type))
		return wardi_arguments_other(takes, given, whom, field);
	if (given->bytes == NULL && given->size > 0 && wardi_fits(takes, "", given->size))
		return ward_refused(WARD_ESIZE, "%s: arguments of %zu bytes, at NULL", whom,
				    given->size);
	if (!wardi_fits(takes, given->bytes, given->size))
		return ward_refused(WARD_ESIZE,
				    "%s: arguments of %zu bytes are not a \"%s\", which has %u%s",
				    whom, given->size, takes->name, takes->size,
				    takes->size_max > takes->size ? " at least" : "");
	return WARD_OK;
}

/* The same, and whether they can be copied. */
static inline ward_err wardi_arguments_check(const ward_type *takes, const ward_body *given,
					     const char *whom, const char *field)
{
	ward_err err = wardi_arguments_fit(takes, given, whom, field);

	if (err == WARD_OK && takes != NULL && !wardi_copyable(takes))
		return ward_refused(WARD_EUNIQUE,
				    "%s: its arguments are of type \"%s\", which owns things and "
				    "has no clone to copy them with: declare it with "
				    "WARD_MESSAGE_CLONE",
				    whom, takes->name);
	return err;
}

/* Copies checked arguments to memory of malloc(); end the copy with wardi_arguments_drop(). Calls
 * the clone of `takes`, which the type of `given` may lack. */
static inline ward_err wardi_arguments_copy(const ward_type *takes, const ward_body *given,
					    ward_body *ret_copy)
{
	ward_body copy = {takes, NULL, 0};
	ward_err err = WARD_OK;
	void *bytes;

	*ret_copy = (ward_body){NULL, NULL, 0};
	if (given->type == NULL)
		return WARD_OK;
	copy.size = wardi_arguments_size(given);
	/* One byte at least: malloc(0) may be NULL. */
	bytes = malloc(copy.size + 1);
	if (bytes == NULL)
		return ward_refused(WARD_ENOMEM, "no memory for arguments of type \"%s\"",
				    takes->name);
	wardi_arguments_write(given, bytes, copy.size);
	if (takes->clone != NULL)
		err = wardi_clone(takes, bytes, given->bytes != NULL ? given->bytes : bytes);
	if (err != WARD_OK) {
		free(bytes);
		return err;
	}
	copy.bytes = bytes;
	*ret_copy = copy;
	return WARD_OK;
}

static inline void wardi_arguments_drop(ward_body *copy)
{
	void *bytes = (void *)(uintptr_t)copy->bytes; /* our own copy, so the const may go */

	if (bytes != NULL && copy->type->drop != NULL)
		copy->type->drop(bytes);
	free(bytes);
	*copy = (ward_body){NULL, NULL, 0};
}

#endif
