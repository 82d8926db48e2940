/* SPDX-License-Identifier: MIT
 *
 * neighbours_far.c - parents whose children live on another node, and fail.
 *
 * Each node has a parent with a stand-in for a guest on the next node. The parent tells its child
 * to work, or to fail; it decides at once or later, and notes when its child is suspended. A guest
 * that works while its stand-in waits for a decision, or beside another guest of the same stand-in,
 * is wrong.
 */
#include <ward/codec.h>
#include <ward/guests.h>
#include <ward/remote.h>

#include "neighbours.h"

enum { ACT = 1, DECIDE = 2, ACT_MS = 120, DECIDE_MS = 60 };

WARD_SIGNAL(act);
WARD_SIGNAL(last);
WARD_SIGNAL(decide_now);
struct job {
	uint64_t number;
	bool fails;
};
WARD_MESSAGE_FIELDS(job, 1, WARD_FIELD(UINT, job, number), WARD_FIELD(BOOL, job, fails));

static const ward_failure_class mistake = {.name = "mistake", .parent = &ward_exception};

/* Of the guests of one parent, which the parent and the guests share. */
struct far_family far_families[FAMILIES];

struct guest_args {
	int family; /* of the parent's node, and its incarnation */
};
WARD_MESSAGE_FIELDS(guest_args, 1, WARD_FIELD(INT, guest_args, family));

/* ---- the guest ----------------------------------------------------------------------------- */

struct guest {
	int at; /* the node where it runs */
	uint32_t incarnation;
};

static bool counts(const struct guest *me)
{
	return !books.nodes[me->at].gone && books.nodes[me->at].incarnation == me->incarnation;
}

static ward_result guest_init(ward_self *self, void *state, const void *args)
{
	const struct guest_args *given = args;
	struct guest *me = state;

	me->at = node_of_system(ward_self_system(self));
	me->incarnation = me->at < 0 ? 0 : books.nodes[me->at].incarnation;
	struct far_family *family = &far_families[given->family];

	if (ward_incarnation(self) > 1 || me->at < 0)
		return WARD_DONE;
	family->starts++;
	family->alive[me->at]++;
	int alive = 0;
	for (int i = 0; i < NODES; i++)
		alive += family->alive[i];
	if (alive > 1)
		wrong("two guests of the parent on %s live at a time",
		      books.nodes[given->family % NODES].name);
	return WARD_DONE;
}

static ward_result guest_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct guest_args *args = ward_args(self);
	const struct job *job = ward_match(msg, job);
	struct far_family *family = &far_families[args->family];
	const struct guest *me = state;

	if (job == NULL)
		return WARD_UNHANDLED;
	if (me->at < 0 || !counts(me))
		return WARD_DONE;
	family->jobs++;
	if (family->failed)
		wrong("the guest of the parent on %s works, although nobody has decided about it",
		      books.nodes[args->family % NODES].name);
	if (!job->fails)
		return WARD_DONE;
	family->failed = true;
	return ward_failed(self, &mistake, "job %llu", (unsigned long long)job->number);
}

/* Not at a restart: its default calls it, too. */
static ward_result guest_stop(ward_self *self, void *state)
{
	const struct guest_args *args = ward_args(self);
	const struct guest *me = state;

	if (ward_stop_reason(self, NULL) == WARD_END_RESTARTED || me->at < 0 || !counts(me))
		return WARD_DONE;
	far_families[args->family].alive[me->at]--;
	far_families[args->family].failed = false;
	return WARD_DONE;
}

static const ward_behavior guest = {
	.name = "guest",
	.state_size = sizeof(struct guest),
	.args = &ward_type_guest_args,
	.init = guest_init,
	.receive = guest_receive,
	.post_stop = guest_stop,
};

static const ward_props template = {.behavior = &guest, .args = WARD_ARGS(guest_args, .family = 0)};
const ward_kind far_kinds[] = {{"guest", &template}, {NULL, NULL}};

/* ---- its parent ---------------------------------------------------------------------------- */

struct parent {
	ward_ref child, undecided;
	uint64_t jobs;
};

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct parent *me = ward_state(self);
	const struct guest_args *args = ward_args(self);
	struct far_family *family = &far_families[args->family];

	if (!ward_failure_class_is(ward_failure_class_of(failure), &mistake)) {
		family->unreached++;
		return WARD_RESTART;
	}
	family->failures++;
	if (ward_random(self) % 2 == 0) {
		me->undecided = child;
		ward_after(self, DECIDE, 1 + (int64_t)(ward_random(self) % DECIDE_MS), decide_now);
		return WARD_LATER;
	}
	family->failed = false;
	return ward_random(self) % 2 == 0 ? WARD_RESTART : WARD_RESUME;
}
static const ward_strategy strategy = {.decide = decide, .quiet = true};

static void decided(struct parent *me, struct far_family *family)
{
	me->undecided = ward_nobody();
	family->failed = false;
}

static ward_result parent_start(ward_self *self, void *state)
{
	const struct guest_args *args = ward_args(self);
	const char *const nodes[] = {books.nodes[(args->family % NODES + 1) % NODES].name,
				     books.nodes[(args->family % NODES + 2) % NODES].name, NULL};
	const ward_props of_guest = {.behavior = &guest,
				     .args = WARD_ARGS(guest_args, .family = args->family)};
	static const ward_failure_class *const classes[] = {&mistake, NULL};
	const struct ward_remote by_bytes = {.nodes = nodes,
					     .kind = "guest",
					     .args = of_guest.args,
					     .failure_classes = classes,
					     .start_timeout_ms = 500};
	const struct ward_remote by_value = {
		.nodes = nodes, .props = &of_guest, .start_timeout_ms = 500};
	struct parent *me = state;
	ward_props props = ward_remote_props(books.by_bytes ? &by_bytes : &by_value);

	props.name = "child";
	me->child = ward_spawn_props(self, &props);
	ward_after(self, ACT, ACT_MS, act);
	return WARD_DONE;
}

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct guest_args *args = ward_args(self);
	struct far_family *family = &far_families[args->family];
	struct parent *me = state;

	if (ward_match(msg, decide_now)) {
		decided(me, family);
		(void)!ward_decide(self, me->child,
				   ward_random(self) % 2 == 0 ? WARD_RESTART : WARD_RESUME);
		return WARD_DONE;
	}
	if (ward_match(msg, last)) {
		family->jobs_before = family->jobs;
		ward_tell(self, me->child, job, .number = ++me->jobs);
	}
	if (!ward_match(msg, act))
		return WARD_DONE;
	for (int i = 0; i < 3 && !books.quiet; i++)
		ward_tell(self, me->child, job, .number = ++me->jobs,
			  .fails = ward_random(self) % 6 == 0);
	if (!books.quiet)
		ward_after(self, ACT, 1 + (int64_t)(ward_random(self) % ACT_MS), act);
	return WARD_DONE;
}

static const ward_behavior parent = {
	.name = "parent",
	.state_size = sizeof(struct parent),
	.args = &ward_type_guest_args,
	.child_strategy = &strategy,
	.pre_start = parent_start,
	.receive = parent_receive,
};

static struct far_family *far_family_of(int node)
{
	return &far_families[node + NODES * (int)books.nodes[node].incarnation];
}

void populate_far(int node)
{
	int family = node + NODES * (int)books.nodes[node].incarnation;

	if (family < FAMILIES)
		far_families[family].parent =
			ward_kit_spawn(books.nodes[node].kit, &parent, .name = "parent",
				       .args = WARD_ARGS(guest_args, .family = family));
}

void last_jobs(void)
{
	for (int i = 0; i < NODES; i++)
		ward_kit_tell(books.nodes[i].kit, far_family_of(i)->parent, last);
}

void check_last_jobs(void)
{
	for (int i = 0; i < NODES; i++)
		if (far_family_of(i)->jobs == far_family_of(i)->jobs_before)
			wrong("the parent on %s has no child that works any more",
			      books.nodes[i].name);
}
