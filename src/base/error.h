/* SPDX-License-Identifier: MIT
 *
 * error.h - the detail behind a code: what, where, what to do. Each thread has one text.
 */
#ifndef WARDI_ERROR_H
#define WARDI_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include <ward/types.h>

/* Notes the text and returns the code: return wardi_error(WARD_EINVAL, "...", ...). */
__attribute__((format(printf, 2, 3))) ward_err wardi_error(ward_err err, const char *text, ...);
/* The same with a va_list. */
__attribute__((format(printf, 2, 0))) ward_err wardi_verror(ward_err err, const char *text,
							    va_list args);

/* Returns the text of an errno and its name: "Too many open files (EMFILE)". Valid on this thread
 * until its next call. */
const char *wardi_os_text(int error);

/* Returns why foreign code refused that noted no text: the errno that it left, or the code. */
const char *wardi_why_text(ward_err err, int error);

/* Returns the detail if it is about this code, else the text of the code. */
const char *wardi_refusal_words(ward_err err);

/* Returns how many texts were noted on this thread: a change shows that foreign code noted one. */
uint64_t wardi_errors(void);

/* Whether reserved words are all zero: an older library must refuse options that a newer program
 * sets. */
#define WARDI_ALL_ZERO(words) wardi_all_zero((words), sizeof(words) / sizeof(uintptr_t))
static inline bool wardi_all_zero(const uintptr_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			return false;
	return true;
}

#endif
