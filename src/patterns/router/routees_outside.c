/* SPDX-License-Identifier: MIT
 *
 * routees_outside.c - lists the routees of a router for a thread outside.
 *
 * The length of the answer varies with the number of routees, so an inbox receives it: the answer
 * to a question has a fixed size.
 *
 * All calls may run at the same time.
 */
#include <string.h>

#include <ward/extend.h>
#include <ward/inbox.h>
#include <ward/router.h>
#include <ward/watch.h>

static ward_err take(const ward_msg *msg, ward_ref *refs, size_t max, size_t *ret_count)
{
	const struct ward_routees *routees = ward_match(msg, ward_routees);
	size_t count;

	if (routees == NULL)
		return ward_refused(WARD_EDEAD, "ward_system_routees: the router has ended");
	count = (size_t)routees->count;
	if (max > count)
		max = count;
	if (max > 0)
		memcpy(refs, ward_routees_refs(routees), max * sizeof *refs);
	*ret_count = count;
	return WARD_OK;
}

static ward_err ask(ward_inbox *inbox, ward_ref router, int64_t timeout_ms,
		    const ward_msg **ret_msg)
{
	ward_err err = ward_inbox_watch(inbox, router);

	if (err != WARD_OK)
		return err;
	ward_inbox_tell(inbox, router, ward_get_routees);
	do /* skips other messages: `router` may be another kind of actor */
		err = ward_inbox_receive(inbox, timeout_ms, ret_msg);
	while (err == WARD_OK && ward_match(*ret_msg, ward_routees) == NULL &&
	       ward_match(*ret_msg, ward_terminated) == NULL);
	if (err == WARD_ETIMEDOUT)
		return ward_refused(
			err, "ward_system_routees: no answer within %lld ms: is it a router?",
			(long long)timeout_ms);
	return err;
}

ward_err ward_system_routees(ward_system *system, ward_ref router, int64_t timeout_ms,
			     ward_ref *refs, size_t max, size_t *ret_count)
{
	const ward_msg *msg;
	ward_inbox *inbox;
	ward_err err;

	if (ret_count == NULL || (refs == NULL && max > 0))
		return ward_refused(WARD_EINVAL, "ward_system_routees: there is no room for the %s",
				    ret_count == NULL ? "count" : "refs");
	err = ward_inbox_create(system, NULL, &inbox);
	if (err != WARD_OK)
		return err;
	err = ask(inbox, router, timeout_ms, &msg);
	if (err == WARD_OK)
		err = take(msg, refs, max, ret_count);
	ward_inbox_destroy(inbox);
	return err;
}
