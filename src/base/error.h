/* SPDX-License-Identifier: MIT
 *
 * error.h - the detail behind a code: what, where, what to do. One text for each thread.
 */
#ifndef WARDI_ERROR_H
#define WARDI_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include <ward/types.h>

/* Notes the text and gives the code: return wardi_error(WARD_EINVAL, "...", ...). */
__attribute__((format(printf, 2, 3))) ward_err wardi_error(ward_err err, const char *text, ...);
/* The same with a list of arguments. */
__attribute__((format(printf, 2, 0))) ward_err wardi_verror(ward_err err, const char *text,
							    va_list args);

/* The words of an errno, and its name: "Too many open files (EMFILE)". The thread's own, until the
 * next one. */
const char *wardi_os_text(int error);

/* Why somebody else's code refused that noted no text: the errno that it left, or the code. */
const char *wardi_why_text(ward_err err, int error);

/* The detail if it is about this code, else what is known without it. */
const char *wardi_refusal_words(ward_err err);

/* How many texts were noted on this thread: tells whether somebody else's code noted one. */
uint64_t wardi_errors(void);

/* Whether an array of words that must be zero is: what a newer program sets, an older library must
 * refuse. */
#define WARDI_ALL_ZERO(words) wardi_all_zero((words), sizeof(words) / sizeof(uintptr_t))
static inline bool wardi_all_zero(const uintptr_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			return false;
	return true;
}

#endif
