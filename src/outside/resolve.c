/* SPDX-License-Identifier: MIT
 *
 * resolve.c - a thread outside asks which actor has a path.
 *
 * Threads: all functions may run at the same time.
 */
#include <string.h>

#include "actor/select_far.h"
#include "actor/selection.h"
#include "actor/selection_path.h"
#include "base/error.h"
#include "base/text.h"
#include "cell/caller.h"
#include "common/uncancelled.h"
#include "outside/outside.h"

struct question {
	struct wardi_selection *it;
	struct ward_msg *msg;
};

static void ask(ward_system *system, ward_ref asker, void *arg)
{
	struct question *question = arg;

	(void)system;
	wardi_selection_load(question->it, question->msg, asker);
	wardi_selection_start(NULL, question->it);
}

/* Whether the first name of the path is that of a guardian. */
static bool begins_below_root(const char *path)
{
	static const char *const guardians[] = {"user", "system"};

	path += strspn(path, "/");
	for (size_t i = 0; i < sizeof guardians / sizeof guardians[0]; i++) {
		size_t length = strlen(guardians[i]);

		if (strncmp(path, guardians[i], length) == 0 &&
		    (path[length] == '/' || path[length] == '\0'))
			return true;
	}
	return false;
}

static ward_err answered(ward_system *system, const char *path, struct ward_msg *answer,
			 ward_ref *ret_ref)
{
	struct ward_identity identity = *(const struct ward_identity *)wardi_msg_bytes(answer);

	wardi_msg_destroy(wardi_outside_source(system), answer);
	if (!identity.found)
		return wardi_error(WARD_ENOENT, "ward_system_resolve: nobody is at \"%.*s\"%s",
				   WARD_TEXT_FIT(path, 180),
				   begins_below_root(path) ? ""
							   : "; a path begins below the root: "
							     "\"/user/NAME\"");
	*ret_ref = identity.who;
	return WARD_OK;
}

ward_err ward_system_resolve(ward_system *system, const char *path, int64_t timeout_ms,
			     ward_ref *ret_ref)
{
	WARDI_UNCANCELLED;
	static const struct ward_identify body = {0};
	struct question question;
	struct ward_msg *answer;
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (path == NULL || ret_ref == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_resolve: no %s",
				   path == NULL ? "path to look at" : "room for the ref");
	if (wardi_path_is_far(path))
		return wardi_error(
			WARD_EINVAL,
			"ward_system_resolve: \"%.*s\" is on another node, and only "
			"paths of this system are resolved: ward_system_select_send() "
			"sends there, and an actor asks there by ward_select_tell() with "
			"ward_identify",
			WARD_TEXT_FIT(path, 180));
	if (!wardi_path_is_one(path))
		return wardi_error(WARD_EINVAL,
				   "ward_system_resolve: \"%.*s\" goes up again out of what a "
				   "pattern matches: \"..\" stands directly behind the pattern",
				   WARD_TEXT_FIT(path, 180));
	if (timeout_ms <= 0)
		return wardi_error(WARD_EINVAL,
				   "ward_system_resolve: the timeout is %lld ms: it must be above "
				   "0",
				   (long long)timeout_ms);
	question.it = wardi_selection_make(system, ward_nobody(), path);
	question.msg = question.it == NULL
			       ? NULL
			       : wardi_msg_make(wardi_outside_source(system),
						&ward_type_ward_identify, &body, sizeof body);
	if (question.msg == NULL) {
		wardi_selection_free(question.it);
		return wardi_no_memory(system, "ward_system_resolve: no memory");
	}
	err = wardi_outside_ask(system, &ward_type_ward_identify, timeout_ms, ask, &question,
				&answer);
	if (err == WARD_OK)
		return answered(system, path, answer, ret_ref);
	if (err == WARD_ETIMEDOUT)
		return wardi_error(err, "nobody at \"%.*s\" answered within %lld ms",
				   WARD_TEXT_FIT(path, 180), (long long)timeout_ms);
	return wardi_error(err, "the system went down before anybody at \"%.*s\" answered",
			   WARD_TEXT_FIT(path, 180));
}
