/* SPDX-License-Identifier: MIT
 *
 * refusal.h - why a function of the program refuses: a clone, a module's start. The text is the one
 * that it noted (ward_refused()), else the text of its code, or of errno with WARD_ESYS.
 *
 * Threads: texts and errno are the thread's own.
 */
#ifndef WARDI_REFUSAL_H
#define WARDI_REFUSAL_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/message.h>

struct wardi_refusal {
	char text[512]; /* before the call, the detail; after it, room for a text */
};

/* Call before the function of the program. */
static inline void wardi_refusal_begin(struct wardi_refusal *refusal)
{
	snprintf(refusal->text, sizeof refusal->text, "%s", ward_err_detail());
	(void)!ward_refused(WARD_EINVAL, "%s", "");
	errno = 0;
}

/* Call after a success: restores the detail. */
static inline void wardi_refusal_none(const struct wardi_refusal *refusal)
{
	(void)!ward_refused(WARD_EINVAL, "%s", refusal->text);
}

/* Call right after a refusal: returns the reason. The text is in `refusal` or is the detail. */
static inline const char *wardi_refusal_text(struct wardi_refusal *refusal, ward_err err,
					     bool *ret_noted)
{
	int error = errno;

	*ret_noted = ward_err_detail()[0] != '\0';
	if (*ret_noted)
		return ward_err_detail();
	if (err != WARD_ESYS || error == 0 || strerrorname_np(error) == NULL)
		return ward_err_text(err);
	snprintf(refusal->text, sizeof refusal->text, "%s (%s)", strerrordesc_np(error),
		 strerrorname_np(error));
	return refusal->text;
}

/* Calls the clone of a type that has one. Notes a text if it refuses. */
static inline ward_err wardi_clone(const ward_type *type, void *to, const void *from)
{
	struct wardi_refusal refusal;
	const char *why;
	bool noted;
	ward_err err;

	wardi_refusal_begin(&refusal);
	err = type->clone(to, from);
	if (err == WARD_OK) {
		wardi_refusal_none(&refusal);
		return err;
	}
	why = wardi_refusal_text(&refusal, err, &noted);
	return noted ? err : ward_refused(err, "a \"%s\" could not be copied: %s", type->name, why);
}

#endif
