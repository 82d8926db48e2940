/* SPDX-License-Identifier: MIT
 *
 * far.c - a kit each of whose children lives elsewhere: in the system of a second kit.
 *
 *	near    /user/top/child            a stand-in, as the spawn asked for a child
 *	far     /system/guests/H/child   its guest, which the test knows as the child
 *	near    /system/guests/H/grand   the guest of the stand-in that child has for its child
 *
 * Both are joined by a loop without ticks: no time passes and nothing is lost. All spawns
 * of the program's actors are replaced. Those of the runtime are not: of services, and of a host
 * its guest.
 *
 * By bytes each spawn adds a kind to the guests of the other system, and the stand-in names it:
 * what starts a guest is then in messages with tables. Its arguments follow, by their own.
 *
 * What is published about a guest, and its stand-in does not publish, comes to the events of the
 * kit under the path and the ref of the stand-in. What the loop, the guests and the hosts publish
 * is left out.
 *
 * Threads: the simulation's own.
 */
#include "testkit/kit/far.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/association.h>
#include <ward/guests.h>
#include <ward/remote.h>
#include <ward/testkit/neighbours.h>

#include "testkit/check/elsewhere.h"
#include "testkit/check/shortage.h"
#include "testkit/far/alias.h"
#include "testkit/far/children.h"
#include "testkit/far/kinds.h"
#include "testkit/far/pairs.h"
#include "testkit/far/shown.h"
#include "testkit/far/switch.h"
#include "testkit/far/turns.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/move.h"
#include "testkit/kit/wire.h"
#include "testkit/loop/drive.h"

static const char *const names[2] = {"near@kit", "far@kit"};

/* One of the two systems. */
struct side {
	struct wardi_far *far;
	int index;
	const char *nodes[2]; /* the other one */
	ward_simulation simulation;
	struct wardi_far_kinds kinds; /* by bytes: what the guests here may start */
};

struct wardi_far {
	ward_kit *kits[2]; /* near, far */
	ward_loop *loop;
	bool records;     /* both systems run */
	uint64_t letters; /* dead ones of the mechanism, all of them quiet */
	bool by_bytes;
	struct side sides[2];
	struct wardi_far_turns turns;
	struct wardi_far_pairs pairs;
	struct wardi_far_alias *aliases;
	/* of the spawn under way */
	struct wardi_far_pair *stands_in; /* its number is in the name of the guest */
	struct wardi_far_pair *serves;
	ward_props as_asked; /* of the guest */
	char name[32];
	ward_props inner, outer;
	struct ward_remote remote;
};

/* ---- spawns ------------------------------------------------------------------------------- */

static const ward_props *instead(struct side *side, const ward_props *props)
{
	struct wardi_far *far = side->far;

	far->stands_in = wardi_far_pair_make(&far->pairs, props->name);
	snprintf(far->name, sizeof far->name, "~%u", far->stands_in->number);
	far->inner = *props;
	far->inner.args_given = false;
	far->inner.name = far->name;
	far->remote = (struct ward_remote){.nodes = side->nodes, .props = &far->inner};
	if (far->by_bytes &&
	    !wardi_far_kinds_describe(&far->sides[!side->index].kinds, props, &far->remote)) {
		far->stands_in = NULL;
		return props;
	}
	far->outer = ward_remote_props(&far->remote);
	far->outer.behavior =
		wardi_far_alias(&far->aliases, far->outer.behavior, props->behavior->name);
	far->outer.name = props->name;
	far->outer.mailbox = props->mailbox;
	return &far->outer;
}

/* The guest has the name that the spawn asked for: it is the only child of its host. */
static const ward_props *named_as_asked(struct wardi_far *far, const ward_props *props)
{
	far->serves = wardi_far_pair_of_name(&far->pairs, props->name);
	if (far->serves == NULL)
		return props;
	far->as_asked = *props;
	far->as_asked.name = far->serves->name;
	return &far->as_asked;
}

static const ward_props *replace(void *arg, ward_system *system, ward_ref who,
				 const ward_props *props)
{
	struct side *side = arg;

	side->far->stands_in = side->far->serves = NULL;
	switch (wardi_far_child(system, who, props)) {
	case WARDI_FAR_GUEST:
		return named_as_asked(side->far, props);
	case WARDI_FAR_ELSEWHERE:
		return instead(side, props);
	default:
		return props;
	}
}

static void spawned(void *arg, ward_system *system, ward_ref child)
{
	struct side *side = arg;
	struct wardi_far *far = side->far;
	char path[WARD_EVENT_PATH];

	if (ward_ref_is_nobody(child))
		return;
	ward_system_path(system, child, path, sizeof path);
	if (far->stands_in != NULL) {
		wardi_far_pair_stands_in(&far->pairs, far->stands_in, child, path);
		wardi_far_turns_stand_in(&far->turns, child);
	}
	if (far->serves != NULL)
		wardi_far_pair_has_guest(&far->pairs, far->serves, child, side->index, path);
}

/* ---- events ------------------------------------------------------------------------------- */

/* What the stand-in publishes, too, is not repeated. */
static const uint32_t of_guests = WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED |
				  WARD_EVENT_HOOK_FAILURE | WARD_EVENT_NOTE | WARD_EVENT_SUPPRESSED;

/* The sender of a dead letter, too, has the path and the ref of its stand-in, and one of the other
 * system its path there. */
static void name_sender(const struct wardi_far *far, ward_event *event)
{
	const struct wardi_far_pair *pair = wardi_far_pair_of_ref(&far->pairs, event->sender);
	bool near = ward_ref_place(event->sender) == ward_place(far->kits[0]->system);

	if (pair != NULL) {
		memcpy(event->sender_path, pair->path, sizeof event->sender_path);
		event->sender = pair->stand_in;
	} else if (near && event->sender_path[0] != '\0') {
		ward_system_path(far->kits[0]->system, event->sender, event->sender_path,
				 sizeof event->sender_path);
	}
}

/* By its stand-in; one whose path is no longer known has none. */
static void name_subject(const struct wardi_far *far, const struct wardi_far_pair *pair,
			 ward_event *event)
{
	ward_system *here = far->kits[0]->system, *there = far->kits[1]->system;
	bool near = ward_ref_place(pair->stand_in) == ward_place(here);

	bool passed_on = ward_ref_equal(event->subject, pair->guest);

	event->subject = pair->stand_in;
	if (!passed_on && strncmp(event->path, "?#", 2) == 0)
		ward_system_path(near ? here : there, pair->stand_in, event->path,
				 sizeof event->path);
	if (passed_on || strncmp(event->path, "?#", 2) != 0)
		memcpy(event->path, pair->path, sizeof event->path);
}

/* Whether the dead letter is a quiet one of the mechanism: an order that comes too late, or the
 * answer to a question of a stand-in, which has no others than its own. */
static bool is_of_mechanism(const struct wardi_far *far, const ward_event *event)
{
	const struct wardi_far_pair *pair;

	if (event->kind != WARD_EVENT_SUPPRESSED)
		return false;
	pair = event->reason == WARD_REASON_STALE
		       ? wardi_far_pair_of_ref(&far->pairs, event->subject)
		       : NULL;
	return wardi_far_is_order(event->message_type) ||
	       (pair != NULL && ward_ref_equal(pair->stand_in, event->subject));
}

/* Of the second system nothing is the test's but what hosts have as guests. */
static bool is_left_out(const char *path, bool near)
{
	return near ? wardi_far_is_mechanism(path) : wardi_far_is_service(path);
}

static void pass_on(struct wardi_far *far, const ward_event *event, bool near)
{
	struct wardi_kit_events *events = &far->kits[0]->events;
	const struct wardi_far_pair *pair = wardi_far_pair_of_ref(&far->pairs, event->subject);
	ward_event known = *event;

	if (is_of_mechanism(far, event)) {
		far->letters++;
		return;
	}
	name_sender(far, &known);
	if (pair != NULL) {
		if (ward_ref_equal(pair->guest, event->subject) && (event->kind & of_guests) == 0)
			return;
		name_subject(far, pair, &known);
	} else if (wardi_far_pair_of_path(&far->pairs, event->path) != NULL) {
		wardi_far_known_path(&far->pairs, event->path, known.path);
	} else if (is_left_out(event->path, near)) {
		return;
	}
	wardi_kit_hear(events, &known);
}

static void hear(void *arg, const ward_event *event)
{
	ward_kit *kit = arg;

	wardi_shortage_heard(event); /* of a guest, too, whose failure is left out below */
	if (kit->far == NULL || kit->far->kits[1] == NULL)
		wardi_kit_hear(&kit->events, event);
	else if (kit->far->records)
		pass_on(kit->far, event, true);
}

static void hear_far(void *arg, const ward_event *event)
{
	struct wardi_far *far = arg;

	if (far->records)
		pass_on(far, event, false);
}

/* ---- turns ------------------------------------------------------------------------------- */

static size_t choose(void *arg, ward_system *system, size_t count)
{
	struct side *side = arg;

	return wardi_far_turns_choose(&side->far->turns, system, count);
}

static bool urgent(void *arg, ward_system *system)
{
	return wardi_far_turns_urgent(arg, system);
}

static struct wardi_far *make(ward_kit *kit)
{
	struct wardi_far *far = calloc(1, sizeof *far);

	ward_assert(far != NULL);
	for (int i = 0; i < 2; i++)
		far->sides[i] = (struct side){
			.far = far,
			.index = i,
			.nodes = {names[!i], NULL},
			.simulation = {.choose = choose, .arg = &far->sides[i]},
		};
	far->kits[0] = kit;
	kit->far = far;
	wardi_far_turns_begin(&far->turns, kit->seed);
	return far;
}

static const ward_simulation *turns(ward_kit *kit)
{
	return &make(kit)->sides[0].simulation;
}

static bool settle(ward_kit *kit)
{
	const struct wardi_far *far = kit->far;
	bool any = false;

	while (far->loop != NULL && wardi_drive_is_urgent(far->loop))
		any = ward_simulation_step(kit->system) || any;
	return any;
}

/* ---- life --------------------------------------------------------------------------------- */

static ward_kit *start_second(struct wardi_far *far, const ward_kit_options *options)
{
	ward_kit_options second = {
		.seed = far->kits[0]->seed,
		.simulation = options->simulation == NULL ? &far->sides[1].simulation : NULL,
		.system = options->system,
		.log = options->keeps_no_events && options->log == NULL ? NULL : hear_far,
		.log_arg = far,
		.keeps_no_events = true,
		.pooled = options->pooled,
		.may_leave_mail = options->may_leave_mail,
		.patience_ms = options->patience_ms,
		.near_children = true,
	};

	second.system.name = "far";
	second.system.signals = (ward_signals)0;
	second.system.deadline_ms = 0;
	second.system.phases = NULL;
	second.system.actors_max = 0;
	return ward_kit_start_at(&second, far->kits[0]->place.file, far->kits[0]->place.line);
}

static void join(struct wardi_far *far, int index)
{
	ward_system *system = ward_kit_system(far->kits[index]);
	struct side *side = &far->sides[index];
	ward_ref guests;

	ward_loop_join_main(far->loop, system, names[index]);
	guests = wardi_far_kinds_guests(&side->kinds, system);
	ward_loop_guests(far->loop, names[index], guests);
	ward_assert(ward_simulation_spawns(
		system, &(ward_spawns){.replace = replace, .spawned = spawned, .arg = side}));
}

static void start_both(ward_kit *kit, const ward_kit_options *options)
{
	struct wardi_far *far = kit->far != NULL ? kit->far : make(kit);
	bool before = wardi_shortage_spare(true); /* a shortage is that of the program */

	far->by_bytes = wardi_testkit_far_by_bytes();
	far->kits[1] = start_second(far, options);
	far->kits[1]->memory.leader = &kit->memory; /* a shortage strikes both */
	far->loop = ward_loop_start(&(ward_loop_options){
		.form = far->by_bytes ? WARD_LOOP_BY_BYTES_SAME_REFS : WARD_LOOP_BY_VALUE,
		.lost_after_ms = WARD_FOREVER});
	wardi_drive_spare(far->loop);
	join(far, 0);
	join(far, 1);
	ward_loop_connect(far->loop, names[0], names[1]);
	ward_assert(ward_loop_await(far->loop, names[0], names[1], 1000));
	if (options->simulation == NULL)
		wardi_drive_first(far->loop, urgent, &far->turns);
	wardi_kit_run(kit);
	(void)wardi_shortage_spare(before);
	far->records = true;
}

static void start(ward_kit *kit, const ward_kit_options *options)
{
	if (wardi_far_wanted(options))
		start_both(kit, options);
	else if (wardi_far_awaited(options))
		wardi_far_await_child(kit->system);
}

static void finish(ward_kit *kit)
{
	struct wardi_far *far = kit->far;
	bool before = wardi_shortage_spare(true);

	far->records = false;
	wardi_drive_first(far->loop, NULL, NULL);
	ward_loop_finish(far->loop);
	(void)wardi_shortage_spare(before);
	far->loop = NULL;
	ward_kit_finish_at(far->kits[1], kit->place.file, kit->place.line);
	far->kits[1] = NULL;
}

static void forget(ward_kit *kit)
{
	struct wardi_far *far = kit->far;

	wardi_far_pairs_finish(&far->pairs);
	wardi_far_aliases_free(far->aliases);
	wardi_far_turns_finish(&far->turns);
	wardi_far_kinds_finish(&far->sides[0].kinds);
	wardi_far_kinds_finish(&far->sides[1].kinds);
	free(far);
	kit->far = NULL;
}

static ward_ref guest(ward_kit **kit, ward_ref who)
{
	const struct wardi_far *far = (*kit)->far;
	const struct wardi_far_pair *pair = wardi_far_pair_of_ref(&far->pairs, who);

	if (pair == NULL || !ward_ref_equal(pair->stand_in, who) ||
	    ward_ref_is_nobody(pair->guest)) {
		*kit = far->kits[ward_ref_place(who) == ward_place(ward_kit_system(far->kits[1]))];
		return who;
	}
	*kit = far->kits[pair->guest_side];
	return pair->guest;
}

static void info(const ward_kit *kit, ward_actor_info *info)
{
	const struct wardi_far_pair *pair = wardi_far_pair_of_ref(&kit->far->pairs, info->ref);
	ward_actor_info guest;

	if (pair == NULL)
		return;
	memcpy(info->path, pair->path, sizeof info->path);
	if (!ward_ref_equal(pair->stand_in, info->ref) || ward_ref_is_nobody(pair->guest) ||
	    ward_system_actor(kit->far->kits[pair->guest_side]->system, pair->guest, &guest) !=
		    WARD_OK)
		return;
	info->state = wardi_far_state(info->state, guest.state);
	info->has_mail = info->has_mail || guest.has_mail;
	if (info->suspended < guest.suspended)
		info->suspended = guest.suspended;
}

static bool path(const ward_kit *kit, ward_ref who, char to[WARD_EVENT_PATH])
{
	const struct wardi_far_pair *pair = wardi_far_pair_of_ref(&kit->far->pairs, who);

	if (pair != NULL)
		memcpy(to, pair->path, sizeof pair->path);
	return pair != NULL;
}

static ward_ref known(const ward_kit *kit, ward_ref who)
{
	const struct wardi_far_pair *pair = wardi_far_pair_of_ref(&kit->far->pairs, who);

	return pair != NULL ? pair->stand_in : who;
}

/* ---- counters ----------------------------------------------------------------------------- */

struct tally {
	uint64_t actors;
	bool near;
};

/* Not what the loop, the guests and the hosts have; of a stand-in and its guest one. */
static void count_actor(void *arg, const ward_actor_info *info)
{
	const char *below = wardi_far_below_host(info->path), *at = strchr(info->path, '/');
	struct tally *tally = arg;

	if (below != NULL)
		tally->actors += *below == '/' && strchr(below + 1, '/') != NULL;
	else if (at == NULL ||
		 (strcmp(at, "/system/guests") != 0 && !wardi_path_is_wire(info->path)))
		tally->actors += tally->near;
}

static void add_stats(const ward_kit *kit, ward_stats *stats)
{
	struct wardi_far *far = kit->far;
	struct tally near = {.near = true}, beyond = {0};
	ward_stats other;

	if (stats->actors == 0) /* the system has ended, and the other one follows */
		return;
	ward_system_actors(far->kits[0]->system, count_actor, &near);
	ward_system_actors(far->kits[1]->system, count_actor, &beyond);
	ward_system_stats(far->kits[1]->system, &other);
	stats->actors = near.actors + beyond.actors;
	stats->dead_letters += other.dead_letters - far->letters;
	stats->unhandled += other.unhandled;
	stats->timers += other.timers;
	stats->fds += other.fds;
	stats->shortages += other.shortages;
}

static ward_kit *other(const ward_kit *kit)
{
	return kit->far->kits[1];
}

static bool is_spared(const char *path, const ward_type *type)
{
	return wardi_far_is_mechanism(path) || (type != NULL && wardi_far_is_order(type->name));
}

const struct wardi_kit_far wardi_kit_far = {
	.wanted = wardi_far_wanted,
	.turns = turns,
	.start = start,
	.settle = settle,
	.finish = finish,
	.forget = forget,
	.hear = hear,
	.guest = guest,
	.info = info,
	.path = path,
	.known = known,
	.add_stats = add_stats,
	.other = other,
	.is_spared = is_spared,
};
