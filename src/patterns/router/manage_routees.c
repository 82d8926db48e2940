/* SPDX-License-Identifier: MIT
 *
 * manage_routees.c - how routees join and leave: at the start, by message, by their end (S92).
 *
 *	            add                     remove, 100 ms              its mail, the pill
 *	  (nobody) -----> gets messages ---------------> leaving ------------------------> gone
 *	                        |                                                           ^
 *	                        +-----------------------------------------------------------+
 *	                                               its own end
 *
 * A routee that the pool did not spawn is forgotten as soon as it is removed. The router stops when
 * no routee is left, including those that are leaving: they still have mail to handle, and would be
 * stopped with the router.
 *
 * A path is a routee from the start to the end: no actor is watched for it, so it never leaves.
 *
 * Threads: in the router's callbacks.
 */
#include "patterns/router/manage_routees.h"

#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>

#include "patterns/router/roster.h"
#include "patterns/router/router.h"

enum { LEAVE_MS = 100 };

/* To the router itself: time to send the pill. */
struct leave {
	ward_ref routee;
};

/* What may come from other systems; the refs behind a ward_routees have no row. */
WARD_FIELDS(ward_add_routee, WARD_FIELD(REF, ward_add_routee, routee));
WARD_FIELDS(ward_remove_routee, WARD_FIELD(REF, ward_remove_routee, routee));
WARD_FIELDS(ward_adjust_pool, WARD_FIELD(INT, ward_adjust_pool, change));
static const ward_codec add_codec = {.version = 1, .fields = ward_fields_ward_add_routee};
static const ward_codec remove_codec = {.version = 1, .fields = ward_fields_ward_remove_routee};
static const ward_codec adjust_codec = {.version = 1, .fields = ward_fields_ward_adjust_pool};

#define MANAGEMENT(name_, size_, codec_)                                                           \
	{                                                                                          \
		name_, (size_), 0, 0, 0, NULL, NULL, NULL, NULL, (codec_),                         \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

const ward_type ward_type_ward_get_routees = MANAGEMENT("ward_get_routees", 0, NULL);
const ward_type ward_type_ward_add_routee =
	MANAGEMENT("ward_add_routee", sizeof(struct ward_add_routee), &add_codec);
const ward_type ward_type_ward_remove_routee =
	MANAGEMENT("ward_remove_routee", sizeof(struct ward_remove_routee), &remove_codec);
const ward_type ward_type_ward_adjust_pool =
	MANAGEMENT("ward_adjust_pool", sizeof(struct ward_adjust_pool), &adjust_codec);
const ward_type ward_type_ward_routees = {
	.name = "ward_routees", .size = sizeof(struct ward_routees), .size_max = UINT32_MAX};

static const ward_type ward_type_leave =
	MANAGEMENT("ward.router_leave", sizeof(struct leave), NULL);

/* ---- joining ----------------------------------------------------------------------------- */

bool wardi_router_join(struct wardi_router *router, ward_self *self, ward_ref routee)
{
	struct wardi_roster *roster = router->roster;
	size_t at = wardi_roster_find(roster, routee);

	if (at < roster->count)
		return true;
	if (at < roster->all) { /* it was leaving */
		ward_timer_cancel(self, routee.uid);
		wardi_roster_recall(roster, at);
		return true;
	}
	if (ward_ref_equal(routee, ward_self_ref(self)))
		return ward_refused(WARD_EINVAL, "a router cannot be its own routee") == WARD_OK;
	if (!wardi_roster_reserve(roster))
		return ward_refused(WARD_ENOMEM, "no memory for another routee") == WARD_OK;
	if (ward_try_watch(self, routee) != WARD_OK)
		return false;
	wardi_roster_add(roster, (struct wardi_routee){.ref = routee});
	return true;
}

bool wardi_router_join_path(struct wardi_router *router, const char *path)
{
	struct wardi_roster *roster = router->roster;

	for (size_t i = 0; i < roster->count; i++)
		if (roster->at[i].path != NULL && strcmp(roster->at[i].path, path) == 0)
			return true;
	if (!wardi_roster_reserve(roster))
		return ward_refused(WARD_ENOMEM, "no memory for another path") == WARD_OK;
	wardi_roster_add(roster, (struct wardi_routee){.path = path});
	return true;
}

static bool make_one(struct wardi_router *router, ward_self *self)
{
	ward_ref routee;

	if (!wardi_roster_reserve(router->roster))
		return ward_refused(WARD_ENOMEM, "no memory for another routee") == WARD_OK;
	if (ward_try_spawn(self, &router->args->routee, &routee) != WARD_OK)
		return false;
	if (ward_try_watch(self, routee) != WARD_OK) {
		ward_stop(self, routee);
		return false;
	}
	wardi_roster_add(router->roster, (struct wardi_routee){.ref = routee, .made = true});
	return true;
}

bool wardi_router_grow(struct wardi_router *router, ward_self *self, size_t by)
{
	for (; by > 0; by--)
		if (!make_one(router, self))
			return false;
	return true;
}

/* ---- leaving ----------------------------------------------------------------------------- */

void wardi_router_dismiss(ward_self *self, ward_ref routee)
{
	ward_tell(self, routee, ward_poison_pill);
}

static void stop_if_empty(const struct wardi_router *router, ward_self *self)
{
	if (router->roster->all == 0 && router->args->resizer == NULL)
		ward_stop_self(self);
}

static void let_go(struct wardi_router *router, ward_self *self, size_t at)
{
	struct wardi_roster *roster = router->roster;
	ward_ref routee = roster->at[at].ref;

	if (!roster->at[at].made) {
		ward_unwatch(self, routee);
		wardi_roster_remove(roster, at);
		stop_if_empty(router, self);
		return;
	}
	wardi_roster_retire(roster, at);
	/* Messages that others send just now arrive before the pill. Without memory for the timer
	 * the pill is sent at once. */
	if (ward_try_timer_start(self, &(ward_timer){.key = routee.uid, .after_ms = LEAVE_MS},
				 WARD_BODY(leave, .routee = routee)) != WARD_OK)
		wardi_router_dismiss(self, routee);
}

void wardi_router_shrink(struct wardi_router *router, ward_self *self, size_t by)
{
	for (; by > 0 && router->roster->count > 0; by--)
		let_go(router, self, router->roster->count - 1);
}

static void gone(struct wardi_router *router, ward_self *self, ward_ref routee)
{
	size_t at = wardi_roster_find(router->roster, routee);

	if (at == router->roster->all)
		return; /* left over from a first start that failed */
	ward_timer_cancel(self, routee.uid);
	wardi_roster_remove(router->roster, at);
	stop_if_empty(router, self);
}

/* ---- by message -------------------------------------------------------------------------- */

struct ward_routees *wardi_router_list(const struct wardi_roster *roster, ward_self *self)
{
	size_t size = sizeof(struct ward_routees) + roster->count * sizeof(ward_ref);
	struct ward_routees *list = ward_make_body(self, &ward_type_ward_routees, size);
	ward_ref *refs;

	if (list == NULL)
		return NULL;
	refs = (ward_ref *)(void *)(list + 1);
	for (size_t i = 0; i < roster->count; i++)
		if (roster->at[i].path == NULL)
			refs[list->count++] = roster->at[i].ref;
	list->paths_count = roster->count - list->count;
	return list;
}

static ward_result tell_routees(const struct wardi_router *router, ward_self *self, ward_ref to)
{
	struct ward_routees *list = wardi_router_list(router->roster, self);

	if (list == NULL)
		return WARD_UNHANDLED;
	ward_give_body(self, to, &ward_type_ward_routees, list);
	return WARD_DONE;
}

static ward_result remove_routee(struct wardi_router *router, ward_self *self, ward_ref routee)
{
	size_t at = wardi_roster_find(router->roster, routee);

	if (at >= router->roster->count)
		return WARD_UNHANDLED;
	let_go(router, self, at);
	return WARD_DONE;
}

static ward_result adjust(struct wardi_router *router, ward_self *self, int32_t change)
{
	if (!router->pool)
		return WARD_UNHANDLED;
	if (change > 0 && router->roster->count + (size_t)change > WARD_ROUTEES_MAX)
		return WARD_UNHANDLED;
	if (change >= 0)
		return wardi_router_grow(router, self, (size_t)change) ? WARD_DONE : WARD_UNHANDLED;
	wardi_router_shrink(router, self, (size_t) - (int64_t)change);
	return WARD_DONE;
}

bool wardi_router_manage(struct wardi_router *router, ward_self *self, const ward_msg *msg,
			 ward_result *ret_result)
{
	const struct ward_terminated *end;
	const struct ward_add_routee *add;
	const struct ward_remove_routee *removal;
	const struct ward_adjust_pool *adjustment;
	const struct leave *leave;

	*ret_result = WARD_DONE;
	if ((end = ward_match(msg, ward_terminated)) != NULL)
		gone(router, self, end->who);
	else if ((leave = ward_match(msg, leave)) != NULL)
		wardi_router_dismiss(self, leave->routee);
	else if (ward_match(msg, ward_get_routees) != NULL)
		*ret_result = tell_routees(router, self, ward_msg_sender(msg));
	else if ((add = ward_match(msg, ward_add_routee)) != NULL)
		*ret_result =
			wardi_router_join(router, self, add->routee) ? WARD_DONE : WARD_UNHANDLED;
	else if ((removal = ward_match(msg, ward_remove_routee)) != NULL)
		*ret_result = remove_routee(router, self, removal->routee);
	else if ((adjustment = ward_match(msg, ward_adjust_pool)) != NULL)
		*ret_result = adjust(router, self, adjustment->change);
	else
		return false;
	return true;
}
