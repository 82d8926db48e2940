/* SPDX-License-Identifier: MIT
 *
 * unstarted.c - a child of a listener that does not start its stream is noted.
 *
 * Nobody reads such a connection, and no limit of time ends it: its client waits without a word. A
 * look comes some time after a connection. If more streams are not started than have come since,
 * an older one is among them.
 */
#include "net/listener/unstarted.h"

enum { LOOK_MS = 5 * WARD_SECOND };

static const ward_type look_type = {
	.name = "ward.listener_unstarted",
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};

static uint64_t unstarted(const struct wardi_listener *me)
{
	return wardi_tally_read(&me->tally->unstarted) - (me->accepting != NULL);
}

void wardi_listener_look_back(ward_self *self, struct wardi_listener *me)
{
	ward_timer look = {.key = (uint64_t)(uintptr_t)&me->looks, .after_ms = LOOK_MS};

	if (me->looks || me->forgotten || unstarted(me) == 0)
		return;
	me->seen = me->accepted;
	/* Without memory the next connection begins a look. */
	me->looks = ward_try_timer_start(self, &look, &look_type, NULL, 0) == WARD_OK;
}

bool wardi_listener_looked(ward_self *self, struct wardi_listener *me, const ward_msg *msg)
{
	const char *child = me->args->child.behavior->name;

	if (ward_msg_body(msg, &look_type) == NULL)
		return false;
	me->looks = false;
	if (unstarted(me) > me->accepted - me->seen) {
		me->forgotten = true;
		ward_note(self, WARD_LEVEL_WARNING,
			  "%s: nobody reads %llu connections, the first for %d s: \"%s\" has not "
			  "called ward_stream_start(), which its init does with its arguments",
			  me->address, (unsigned long long)unstarted(me),
			  (int)(LOOK_MS / WARD_SECOND), child != NULL ? child : "");
	}
	wardi_listener_look_back(self, me);
	return true;
}
