/* SPDX-License-Identifier: MIT
 *
 * heard.h - why a function of the program refuses: a clone, a module's start. It may have noted a
 * text; else its code speaks, and with WARD_ESYS errno.
 *
 * single-threaded: texts and errno are the thread's own.
 */
#ifndef WARDI_HEARD_H
#define WARDI_HEARD_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ward/message.h>

struct wardi_heard {
	char text[512]; /* before the call, the detail; after it, room for a text */
};

/* Before the call. */
static inline void wardi_listen(struct wardi_heard *heard)
{
	snprintf(heard->text, sizeof heard->text, "%s", ward_err_detail());
	(void)!ward_refused(WARD_EINVAL, "%s", "");
	errno = 0;
}

/* After it, if it went well: the detail is as it was. */
static inline void wardi_heard_nothing(const struct wardi_heard *heard)
{
	(void)!ward_refused(WARD_EINVAL, "%s", heard->text);
}

/* After it, before anything else: why. It lives as long as `heard`, and the detail. */
static inline const char *wardi_heard(struct wardi_heard *heard, ward_err err, bool *ret_noted)
{
	int error = errno;

	*ret_noted = ward_err_detail()[0] != '\0';
	if (*ret_noted)
		return ward_err_detail();
	if (err != WARD_ESYS || error == 0 || strerrorname_np(error) == NULL)
		return ward_err_text(err);
	snprintf(heard->text, sizeof heard->text, "%s (%s)", strerrordesc_np(error),
		 strerrorname_np(error));
	return heard->text;
}

/* Calls the clone of a type that has one. Where that refuses, a text is noted. */
static inline ward_err wardi_clone(const ward_type *type, void *to, const void *from)
{
	struct wardi_heard heard;
	const char *why;
	bool noted;
	ward_err err;

	wardi_listen(&heard);
	err = type->clone(to, from);
	if (err == WARD_OK) {
		wardi_heard_nothing(&heard);
		return err;
	}
	why = wardi_heard(&heard, err, &noted);
	return noted ? err : ward_refused(err, "a \"%s\" could not be copied: %s", type->name, why);
}

#endif
