/* SPDX-License-Identifier: MIT
 *
 * error.c - the texts of the codes, and the detail of the last refused call on this thread.
 *
 * Threads: each has a detail of its own.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/text.h>

#include "base/assert.h"

static const char *const texts[] = {
	[WARD_OK] = "done",
	[WARD_EINVAL] = "an argument or an option is wrong",
	[WARD_ENOMEM] = "out of memory",
	[WARD_ENAME] = "not a valid actor name",
	[WARD_EEXIST] = "it exists already",
	[WARD_ENOENT] = "no such thing",
	[WARD_ESTOPPING] = "the actor or the system is stopping",
	[WARD_EDEAD] = "no such actor, or it has ended",
	[WARD_EFULL] = "the mailbox or the stash is full",
	[WARD_ESIZE] = "the size does not fit the type",
	[WARD_EUNIQUE] = "a copy is needed, but the type owns things and has no clone",
	[WARD_ELOCAL] = "the type cannot leave the process",
	[WARD_EFOREIGN] = "the ref belongs to another system",
	[WARD_ETIMEDOUT] = "the time is up",
	[WARD_ETYPE] = "the answer has another type than promised",
	[WARD_ELIMIT] = "a limit of the system is reached",
	[WARD_ETHREAD] = "not on this thread: it would wait for itself",
	[WARD_EFORKED] = "the process is a fork of the one that created the system",
	[WARD_ESYS] = "the operating system refused",
	[WARD_EOPEN] = "a circuit breaker is open",
	[WARD_EFAILED] = "the call has failed",
	[WARD_EUNREACHED] = "not connected, or the connection was lost",
};
_Static_assert(sizeof(texts) / sizeof(texts[0]) == WARD_EUNREACHED + 1, "one text for each code");

static _Thread_local char detail[512];
static _Thread_local char os_text[96];
static _Thread_local uint64_t notes; /* texts noted on this thread so far */
static _Thread_local ward_err noted; /* the code that the detail is about */

const char *ward_err_text(ward_err err)
{
	if ((unsigned)err >= sizeof(texts) / sizeof(texts[0]))
		return "not an error code of ward";
	return texts[err];
}

const char *ward_err_detail(void)
{
	return detail;
}

ward_err wardi_verror(ward_err err, const char *text, va_list args)
{
	char fresh[sizeof(detail)]; /* the old detail may be among the arguments */

	ward_text_vformat(fresh, sizeof(fresh), text, args);
	memcpy(detail, fresh, strlen(fresh) + 1);
	notes++;
	noted = err;
	return err;
}

ward_err wardi_error(ward_err err, const char *text, ...)
{
	va_list args;

	wardi_assert(err != WARD_OK);
	va_start(args, text);
	(void)wardi_verror(err, text, args);
	va_end(args);
	return err;
}

const char *wardi_os_text(int error)
{
	const char *name = strerrorname_np(error);

	if (error == 0)
		return "errno is 0, which is no error";
	if (name == NULL)
		snprintf(os_text, sizeof(os_text), "error %d", error);
	else
		snprintf(os_text, sizeof(os_text), "%s (%s)", strerrordesc_np(error), name);
	return os_text;
}

const char *wardi_why_text(ward_err err, int error)
{
	return err == WARD_ESYS && error != 0 ? wardi_os_text(error) : ward_err_text(err);
}

const char *wardi_refusal_words(ward_err err)
{
	return noted == err && detail[0] != '\0' ? detail : wardi_why_text(err, errno);
}

uint64_t wardi_errors(void)
{
	return notes;
}
