/* SPDX-License-Identifier: MIT
 *
 * links.c - the supervising actor of the Akka 0.x profile: its links, and its fault handler.
 *
 *	failure of a child --> unlinked?    stop
 *	                   --> not trapped? escalate: the parent decides
 *	                   --> temporary    stop; with the last one the supervisor, too
 *	                   --> permanent    restart, within the limit
 *
 * With all-for-one a restart means all children. Temporary children are stopped first; for a child
 * that is already stopping a restart has no effect.
 *
 * Threads: runs only in callbacks of its actor.
 */
#include "akka_zero/links.h"

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/system.h>

#include "akka_zero/akka_zero.h"
#include "akka_zero/stand_in.h"
#include "akka_zero/table_check.h"
#include "common/records.h"

WARD_FIELDS(ward_zero_linked, WARD_FIELD(REF, ward_zero_linked, who),
	    WARD_FIELD(ENUM, ward_zero_linked, err, .names = ward_err_names));
static const ward_codec linked_codec = {.version = 1, .fields = ward_fields_ward_zero_linked};
const ward_type ward_type_ward_zero_linked = {
	.name = "ward_zero_linked",
	.size = sizeof(struct ward_zero_linked),
	.flags = WARD_TYPE_FLAT,
	.codec = &linked_codec,
};

enum { SWEEP_MIN = 16 };

const ward_zero_strategy ward_zero_untrapped = {.fault_handler = {.decide = ward_zero_decide}};

/* ---- the links --------------------------------------------------------------------------- */

static bool is_alive(ward_self *self, ward_ref who)
{
	return ward_system_is_alive(ward_self_system(self), who);
}

struct wardi_zero_link *wardi_zero_link_of_child(const struct ward_zero_links *links,
						 ward_ref child)
{
	struct wardi_zero_link *link = links->first;

	while (link != NULL && !ward_ref_equal(link->child, child))
		link = link->next;
	return link;
}

/* Frees the links of children that have ended. */
static void sweep(ward_self *self, struct ward_zero_links *links)
{
	struct wardi_zero_link **at = &links->first, *link;

	while ((link = *at) != NULL) {
		if (is_alive(self, link->child)) {
			at = &link->next;
			continue;
		}
		*at = link->next;
		links->count--;
		ward_discard(self, link);
	}
	links->sweep_at = links->count * 2 > SWEEP_MIN ? links->count * 2 : SWEEP_MIN;
}

static bool has_begun(const struct ward_zero_links *links)
{
	return links->owner == links;
}

static ward_err not_begun(void)
{
	return ward_refused(WARD_EINVAL, "a link before ward_zero_init(): call it in init");
}

/* Spawns the child of a link, and adds the link, or does nothing. */
static ward_err spawn(ward_self *self, struct ward_zero_links *links, const ward_props *props,
		      struct wardi_zero_link **ret_link)
{
	struct wardi_zero_link *link;
	ward_err err;

	if (!has_begun(links))
		return not_begun();
	if (links->count >= links->sweep_at)
		sweep(self, links);
	link = wardi_record_make(self, sizeof *link);
	if (link == NULL)
		return WARD_ENOMEM;
	err = ward_try_spawn(self, props, &link->child);
	if (err != WARD_OK) {
		ward_discard(self, link);
		return err;
	}
	link->who = link->child;
	link->next = links->first;
	links->first = link;
	links->count++;
	*ret_link = link;
	return WARD_OK;
}

/* ---- the fault handler ------------------------------------------------------------------- */

static bool is_trapped(const ward_zero_strategy *strategy, const ward_failure *failure)
{
	for (int i = 0; i < WARD_ZERO_TRAPS_MAX && strategy->trap_exit[i] != NULL; i++)
		if (ward_failure_is(failure, strategy->trap_exit[i]))
			return true;
	return false;
}

/* Stops this child alone, whatever the scope: a STOP would apply to all children, a RESUME never
 * does, and a stop that is under way overrides it. */
static ward_directive bury(ward_self *self, const struct ward_zero_links *links, ward_ref child)
{
	if (links->scope == WARD_ONE_FOR_ONE)
		return WARD_STOP;
	ward_stop(self, child);
	return WARD_RESUME;
}

/* Whether no linked child is left. */
static bool is_deserted(ward_self *self, const struct ward_zero_links *links)
{
	for (const struct wardi_zero_link *at = links->first; at != NULL; at = at->next)
		if (!at->stopping && !at->unlinked && is_alive(self, at->child))
			return false;
	return true;
}

/* The supervisor ends with its last temporary actor. */
static ward_directive stop_and_maybe_end(ward_self *self, struct ward_zero_links *links,
					 ward_directive unless_last)
{
	links->deserted = is_deserted(self, links);
	if (!links->deserted || links->starting)
		return unless_last;
	ward_stop_self(self);
	return WARD_STOP;
}

void wardi_zero_starting(struct ward_zero_links *links)
{
	links->starting = true;
}

/* If no child is left, ends by a message behind the requests that wait, so that these are
 * answered. */
void wardi_zero_all_started(ward_self *self, struct ward_zero_links *links)
{
	links->starting = false;
	if (links->deserted && is_deserted(self, links) &&
	    ward_try_tell(self, ward_self_ref(self), ward_poison_pill) != WARD_OK)
		ward_stop_self(self);
}

static ward_directive restart_all(ward_self *self, struct ward_zero_links *links)
{
	bool stopped = false;

	for (struct wardi_zero_link *at = links->first; at != NULL; at = at->next) {
		if (at->life != WARD_ZERO_TEMPORARY || at->stopping || at->unlinked)
			continue;
		ward_stop(self, at->child);
		at->stopping = stopped = true;
	}
	return stopped ? stop_and_maybe_end(self, links, WARD_RESTART) : WARD_RESTART;
}

static ward_directive handle(ward_self *self, struct ward_zero_links *links,
			     struct wardi_zero_link *link)
{
	if (links->scope == WARD_ALL_FOR_ONE)
		return restart_all(self, links);
	if (link == NULL || link->life == WARD_ZERO_PERMANENT)
		return WARD_RESTART;
	link->stopping = true;
	return stop_and_maybe_end(self, links, WARD_STOP);
}

ward_directive ward_zero_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct ward_zero_links *links = ward_state(self);
	ward_directive directive = WARD_UNDECIDED;
	struct wardi_zero_link *link;

	if (links == NULL || !has_begun(links))
		ward_fail(self, &ward_misuse,
			  "a child failed (%s), and there is no fault handler: "
			  "ward_zero_init() was not called",
			  ward_failure_text(failure));
	if (links->look_first != NULL)
		directive = links->look_first(self, child, failure);
	if (directive != WARD_UNDECIDED)
		return directive;
	link = wardi_zero_link_of_child(links, child);
	if (link != NULL && link->unlinked)
		return bury(self, links, child);
	if (!is_trapped(links->strategy, failure))
		return WARD_ESCALATE;
	return handle(self, links, link);
}

/* ---- the calls --------------------------------------------------------------------------- */

static ward_err begin(ward_self *self, struct ward_zero_links *links,
		      const ward_strategy *fault_handler)
{
	ward_err err = ward_try_child_strategy_set(self, fault_handler);

	if (err != WARD_OK)
		return err;
	links->owner = links;
	links->scope = fault_handler->scope;
	links->sweep_at = SWEEP_MIN;
	return WARD_OK;
}

ward_err ward_try_zero_init(ward_self *self, struct ward_zero_links *links,
			    const ward_zero_strategy *strategy)
{
	ward_err err;

	if (links == NULL || links != ward_state(self))
		return ward_refused(WARD_EINVAL, "the links are not the first member of the state: "
						 "the fault handler looks for them there");
	err = wardi_zero_check_strategy(strategy);
	if (strategy == NULL || strategy->fault_handler.decide == NULL)
		strategy = &ward_zero_untrapped;
	if (err == WARD_OK && !has_begun(links))
		err = begin(self, links, &strategy->fault_handler);
	if (err == WARD_OK)
		links->strategy = strategy;
	return err;
}

ward_err ward_try_zero_spawn_link(ward_self *self, struct ward_zero_links *links,
				  const ward_behavior *behavior, ward_ref *ret_who)
{
	const ward_zero_component component = {.props = {.behavior = behavior}};

	return ward_try_zero_start_link(self, links, &component, ret_who);
}

ward_err ward_try_zero_start_link(ward_self *self, struct ward_zero_links *links,
				  const ward_zero_component *component, ward_ref *ret_who)
{
	struct wardi_zero_link *link;
	ward_props props;
	ward_err err = wardi_zero_check_component(component);

	if (err != WARD_OK)
		return err;
	props = wardi_zero_props(component);
	err = spawn(self, links, &props, &link);
	if (err != WARD_OK)
		return err;
	link->life = component->life;
	if (ret_who != NULL)
		*ret_who = link->who;
	return WARD_OK;
}

/* Returns the link of a child that is linked, or may be linked again. */
static struct wardi_zero_link *known(ward_self *self, const struct ward_zero_links *links,
				     ward_ref who)
{
	struct wardi_zero_link *link = links->first;

	while (link != NULL && !(ward_ref_equal(link->who, who) && is_alive(self, link->child) &&
				 (!link->unlinked || ward_ref_equal(link->child, who))))
		link = link->next;
	return link;
}

/* Links a child that was unlinked. */
static ward_err link_again(ward_self *self, struct wardi_zero_link *link, ward_zero_life life)
{
	ward_err err = ward_try_tell(self, ward_self_ref(self), ward_zero_linked, .who = link->who);

	if (err != WARD_OK)
		return err;
	link->unlinked = false;
	link->life = life;
	return WARD_OK;
}

/* Sends the link to the orphanage. If that is refused, removes the link again, which is the newest.
 * If the orphanage has ended, the stand-in reports that. */
static ward_err route(ward_self *self, struct ward_zero_links *links, struct wardi_zero_link *link)
{
	ward_err err = ward_try_tell(self, link->orphanage, wardi_zero_route, .who = link->who,
				     .stand_in = link->child);

	if (err == WARD_OK || err == WARD_EDEAD)
		return WARD_OK;
	ward_stop(self, link->child);
	links->first = link->next;
	links->count--;
	ward_discard(self, link);
	return err;
}

ward_err ward_try_zero_link(ward_self *self, struct ward_zero_links *links, ward_ref orphanage,
			    ward_ref who, ward_zero_life life)
{
	const struct wardi_zero_stand_in args = {
		.link = {.host = orphanage, .guest = who, .is_ready = true}};
	const ward_props props = {.behavior = &wardi_zero_stand_in,
				  .args = {&wardi_type_zero_stand_in, &args, sizeof args}};
	struct wardi_zero_link *link = known(self, links, who);
	ward_err err;

	if (ward_ref_is_nobody(who))
		return ward_refused(WARD_EINVAL, "a link to nobody");
	if (ward_ref_equal(who, ward_self_ref(self)))
		return ward_refused(WARD_EINVAL, "an actor cannot link to itself: it could not "
						 "decide about its own failure");
	if (link != NULL && link->unlinked)
		return link_again(self, link, life);
	if (link != NULL)
		return ward_refused(WARD_EEXIST, "the actor is already linked to this one");
	if (ward_ref_is_nobody(orphanage))
		return ward_refused(WARD_EINVAL, "a link to an actor without its orphanage");
	err = spawn(self, links, &props, &link);
	if (err != WARD_OK)
		return err;
	link->who = who;
	link->orphanage = orphanage;
	link->life = life;
	return route(self, links, link);
}

/* The orphanage is notified first, so that it ignores the end of the stand-in. */
static ward_err let_go(ward_self *self, const struct wardi_zero_link *link)
{
	ward_err err =
		ward_try_tell(self, link->orphanage, wardi_zero_let_go, .stand_in = link->child);

	if (err == WARD_OK)
		ward_stop(self, link->child);
	return err;
}

ward_err ward_zero_unlink(ward_self *self, struct ward_zero_links *links, ward_ref who)
{
	struct wardi_zero_link *link = known(self, links, who);
	ward_err err = WARD_OK;

	if (link == NULL || link->unlinked)
		return ward_refused(WARD_ENOENT, "the actor is not linked to this one");
	if (!ward_ref_equal(link->child, who))
		err = let_go(self, link);
	else if (links->scope == WARD_ALL_FOR_ONE)
		return ward_refused(WARD_EINVAL, "the actor is a child, and all-for-one means all "
						 "children: it cannot be unlinked");
	if (err == WARD_OK)
		link->unlinked = true;
	return err;
}

bool ward_zero_is_linked(ward_self *self, const struct ward_zero_links *links, ward_ref who,
			 ward_ref *ret_child)
{
	const struct wardi_zero_link *link = known(self, links, who);

	if (link == NULL || link->unlinked)
		return false;
	if (ret_child != NULL)
		*ret_child = link->child;
	return true;
}
