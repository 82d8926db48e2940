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

#include "testkit/far/alias.h"
#include "testkit/far/kinds.h"
#include "testkit/far/shown.h"
#include "testkit/far/switch.h"
#include "testkit/far/turns.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/move.h"
#include "testkit/loop/drive.h"

enum { STAND_IN, GUEST };
enum { LISTS = 256 };

static const char *const names[2] = {"near@kit", "far@kit"};

/* A stand-in, and its guest. */
struct pair {
	struct pair *next;
	struct pair *next_of[2]; /* in the list of its stand-in, and of its guest */
	unsigned number;
	ward_ref stand_in, guest;
	int guest_side;
	char *name;                       /* that the spawn asked for; or NULL */
	char path[WARD_EVENT_PATH];       /* of the stand-in, as the test knows it */
	char guest_path[WARD_EVENT_PATH]; /* ""; not yet */
};

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
	bool records; /* both systems run */
	bool by_bytes;
	struct side sides[2];
	struct wardi_far_turns turns;
	struct pair *pairs;
	struct pair *by_ref[2][LISTS];
	struct wardi_far_alias *aliases;
	unsigned count;
	/* of the spawn under way */
	struct pair *stands_in; /* its number is in the name of the guest */
	struct pair *serves;
	ward_props as_asked; /* of the guest */
	char name[32];
	ward_props inner, outer;
	struct ward_remote remote;
};

/* ---- paths -------------------------------------------------------------------------------- */

static struct pair *pair_of_path(const struct wardi_far *far, const char *path)
{
	struct pair *pair = wardi_far_below_host(path) != NULL ? far->pairs : NULL;

	for (; pair != NULL; pair = pair->next) {
		size_t length = strlen(pair->guest_path);

		if (length > 0 && strncmp(path, pair->guest_path, length) == 0 &&
		    (path[length] == '\0' || path[length] == '/'))
			return pair;
	}
	return NULL;
}

/* Writes the path by which the test knows an actor. */
static void known_path(const struct wardi_far *far, const char *path, char to[WARD_EVENT_PATH])
{
	const struct pair *pair = pair_of_path(far, path);

	if (pair == NULL)
		snprintf(to, WARD_EVENT_PATH, "%s", path);
	else if (snprintf(to, WARD_EVENT_PATH, "%s%s", pair->path,
			  path + strlen(pair->guest_path)) >= WARD_EVENT_PATH)
		to[0] = '\0';
}

/* ---- spawns ------------------------------------------------------------------------------- */

static struct pair *make_pair(struct wardi_far *far)
{
	struct pair *pair = calloc(1, sizeof *pair);

	ward_assert(pair != NULL);
	if (far->count == 0)
		printf("far: this case has a child elsewhere\n");
	pair->number = ++far->count;
	pair->next = far->pairs;
	far->pairs = pair;
	return pair;
}

static struct pair *pair_of_number(const struct wardi_far *far, const char *name)
{
	const char *mark = name == NULL ? NULL : strrchr(name, '~');
	struct pair *pair = mark == NULL ? NULL : far->pairs;

	while (pair != NULL && pair->number != strtoul(mark + 1, NULL, 10))
		pair = pair->next;
	return pair;
}

/* A copy is needed for each start, so arguments that have none stay here. */
static bool is_copyable(const ward_props *props)
{
	const ward_type *type = props->args.type;

	return type == NULL || type->drop == NULL || type->clone != NULL;
}

static const ward_props *instead(struct side *side, const ward_props *props)
{
	struct wardi_far *far = side->far;

	far->stands_in = make_pair(far);
	snprintf(far->name, sizeof far->name, "~%u", far->stands_in->number);
	if (props->name != NULL)
		ward_assert((far->stands_in->name = strdup(props->name)) != NULL);
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
	far->serves = pair_of_number(far, props->name);
	if (far->serves == NULL)
		return props;
	far->as_asked = *props;
	far->as_asked.name = far->serves->name;
	return &far->as_asked;
}

/* What a pattern starts for itself: a program has no props of it, so it is never elsewhere. */
static bool is_own_of_pattern(const ward_behavior *behavior)
{
	static const char *const own[] = {"ward_request", "ward_zero_stand_in"};

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (strcmp(behavior->name, own[i]) == 0)
			return true;
	return false;
}

static const ward_props *replace(void *arg, ward_system *system, ward_ref who,
				 const ward_props *props)
{
	struct side *side = arg;
	char path[WARD_EVENT_PATH];
	const char *below;

	side->far->stands_in = side->far->serves = NULL;
	if (props == NULL || props->behavior == NULL || props->behavior->name == NULL ||
	    is_own_of_pattern(props->behavior))
		return props;
	ward_system_path(system, who, path, sizeof path);
	below = wardi_far_below_host(path);
	if (below != NULL && *below == '\0')
		return named_as_asked(side->far, props);
	if (below == NULL && wardi_far_is_service(path))
		return props;
	return is_copyable(props) ? instead(side, props) : props;
}

static struct pair **list_of(struct wardi_far *far, int which, ward_ref who)
{
	return &far->by_ref[which][ward_ref_number(who) % LISTS];
}

static void enter(struct wardi_far *far, struct pair *pair, int which, ward_ref who)
{
	struct pair **list = list_of(far, which, who);

	pair->next_of[which] = *list;
	*list = pair;
}

/* The pair is no longer in the list of its guest. */
static void leave(struct wardi_far *far, struct pair *pair)
{
	struct pair **at = list_of(far, GUEST, pair->guest);

	while (*at != NULL && *at != pair)
		at = &(*at)->next_of[GUEST];
	if (*at != NULL)
		*at = pair->next_of[GUEST];
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
		far->stands_in->stand_in = child;
		enter(far, far->stands_in, STAND_IN, child);
		wardi_far_turns_stand_in(&far->turns, child);
		known_path(far, path, far->stands_in->path);
	}
	if (far->serves != NULL) {
		leave(far, far->serves); /* a start after the first has another guest */
		far->serves->guest = child;
		enter(far, far->serves, GUEST, child);
		far->serves->guest_side = side->index;
		memcpy(far->serves->guest_path, path, sizeof path);
	}
}

/* ---- events ------------------------------------------------------------------------------- */

/* What the stand-in publishes, too, is not repeated. */
static const uint32_t of_guests = WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED |
				  WARD_EVENT_HOOK_FAILURE | WARD_EVENT_NOTE | WARD_EVENT_SUPPRESSED;

/* Finds the pair of an actor that is, or was, a stand-in or a guest. */
static const struct pair *pair_of_ref(const struct wardi_far *far, ward_ref who)
{
	size_t list = ward_ref_number(who) % LISTS;
	const struct pair *pair = far->by_ref[STAND_IN][list];

	if (ward_ref_is_nobody(who))
		return NULL;
	while (pair != NULL && !ward_ref_equal(pair->stand_in, who))
		pair = pair->next_of[STAND_IN];
	if (pair != NULL)
		return pair;
	pair = far->by_ref[GUEST][list];
	while (pair != NULL && !ward_ref_equal(pair->guest, who))
		pair = pair->next_of[GUEST];
	return pair;
}

/* The sender of a dead letter, too, has the path and the ref of its stand-in, and one of the other
 * system its path there. */
static void name_sender(const struct wardi_far *far, ward_event *event)
{
	const struct pair *pair = pair_of_ref(far, event->sender);
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
static void name_subject(const struct wardi_far *far, const struct pair *pair, ward_event *event)
{
	ward_system *here = far->kits[0]->system, *there = far->kits[1]->system;
	bool near = ward_ref_place(pair->stand_in) == ward_place(here);

	event->subject = pair->stand_in;
	if (strncmp(event->path, "?#", 2) == 0)
		ward_system_path(near ? here : there, pair->stand_in, event->path,
				 sizeof event->path);
	if (strncmp(event->path, "?#", 2) != 0)
		memcpy(event->path, pair->path, sizeof event->path);
}

static void pass_on(struct wardi_far *far, const ward_event *event)
{
	struct wardi_kit_events *events = &far->kits[0]->events;
	const struct pair *pair = pair_of_ref(far, event->subject);
	ward_event known = *event;

	name_sender(far, &known);
	if (pair != NULL) {
		if (ward_ref_equal(pair->guest, event->subject) && (event->kind & of_guests) == 0)
			return;
		name_subject(far, pair, &known);
	} else if (pair_of_path(far, event->path) != NULL) {
		known_path(far, event->path, known.path);
	} else if (wardi_far_is_service(event->path)) {
		return;
	}
	wardi_kit_hear(events, &known);
}

static void hear(void *arg, const ward_event *event)
{
	ward_kit *kit = arg;

	if (kit->far == NULL || kit->far->kits[1] == NULL)
		wardi_kit_hear(&kit->events, event);
	else if (kit->far->records)
		pass_on(kit->far, event);
}

static void hear_far(void *arg, const ward_event *event)
{
	struct wardi_far *far = arg;

	if (far->records)
		pass_on(far, event);
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
		.log = hear_far,
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

static void start(ward_kit *kit, const ward_kit_options *options)
{
	struct wardi_far *far = kit->far != NULL ? kit->far : make(kit);

	far->by_bytes = wardi_far_by_bytes();
	far->kits[1] = start_second(far, options);
	far->kits[1]->memory.leader = &kit->memory; /* a shortage strikes both */
	far->loop = ward_loop_start(&(ward_loop_options){
		.form = far->by_bytes ? WARD_LOOP_BY_BYTES_SAME_REFS : WARD_LOOP_BY_VALUE,
		.lost_after_ms = WARD_FOREVER});
	join(far, 0);
	join(far, 1);
	ward_loop_connect(far->loop, names[0], names[1]);
	ward_assert(ward_loop_await(far->loop, names[0], names[1], 1000));
	if (options->simulation == NULL)
		wardi_drive_first(far->loop, urgent, &far->turns);
	wardi_kit_run(kit);
	far->records = true;
}

static void finish(ward_kit *kit)
{
	struct wardi_far *far = kit->far;

	far->records = false;
	wardi_drive_first(far->loop, NULL, NULL);
	ward_loop_finish(far->loop);
	far->loop = NULL;
	ward_kit_finish_at(far->kits[1], kit->place.file, kit->place.line);
	far->kits[1] = NULL;
}

static void forget(ward_kit *kit)
{
	struct wardi_far *far = kit->far;

	for (struct pair *pair; (pair = far->pairs) != NULL; free(pair)) {
		far->pairs = pair->next;
		free(pair->name);
	}
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
	const struct pair *pair = pair_of_ref(far, who);

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
	const struct pair *pair = pair_of_ref(kit->far, info->ref);
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
}

static bool path(const ward_kit *kit, ward_ref who, char to[WARD_EVENT_PATH])
{
	const struct pair *pair = pair_of_ref(kit->far, who);

	if (pair != NULL)
		memcpy(to, pair->path, sizeof pair->path);
	return pair != NULL;
}

static ward_ref known(const ward_kit *kit, ward_ref who)
{
	const struct pair *pair = pair_of_ref(kit->far, who);

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
		 (strcmp(at, "/system/guests") != 0 && strncmp(at, "/system/loop-", 13) != 0))
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
	stats->dead_letters += other.dead_letters;
	stats->unhandled += other.unhandled;
	stats->timers += other.timers;
	stats->shortages += other.shortages;
}

static ward_kit *other(const ward_kit *kit)
{
	return kit->far->kits[1];
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
};
