/* SPDX-License-Identifier: MIT
 *
 * neighbours.c - actors that tell, ask, watch and link whom they know, near and far, and stop
 * themselves now and then.
 */
#include "neighbours.h"

#include <ward/codec.h>
#include <ward/extend.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ACT = 1, ACT_MS = 60, ASK_MS = 300, QUESTIONS_MAX = 4 };

WARD_SIGNAL(act);
WARD_SIGNAL(what);
struct said {
	uint64_t number;
	int from, to;
};
WARD_MESSAGE_FIELDS(said, 1, WARD_FIELD(UINT, said, number), WARD_FIELD(INT, said, from),
		    WARD_FIELD(INT, said, to));
struct thing {
	int from;
};
WARD_MESSAGE_FIELDS(thing, 1, WARD_FIELD(INT, thing, from));

struct books books;
static struct bond bonds[LIVES_MAX][LIVES_MAX];

struct bond *bond(int from, int to)
{
	return &bonds[from][to];
}

void wrong(const char *format, ...)
{
	va_list args;

	if (books.wrong[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(books.wrong, sizeof books.wrong, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", books.wrong); /* shown in a replay */
}

bool is_of_a_node(int life)
{
	const struct life *it = &books.lives[life];
	const struct node *node = &books.nodes[it->node];

	return !node->gone && node->incarnation == it->incarnation;
}

/* ---- refs ---------------------------------------------------------------------------------- */

static const struct place *find_place(uint32_t place)
{
	for (int i = books.places_count - 1; i >= 0; i--)
		if (books.places[i].place == place)
			return &books.places[i];
	return NULL;
}

static void note_place(uint32_t place, int node)
{
	if (place == 0 || find_place(place) != NULL)
		return;
	ward_assert(books.places_count < PLACES_MAX);
	books.places[books.places_count++] =
		(struct place){place, node, books.nodes[node].incarnation};
}

void note_places(int node)
{
	const ward_system *system = ward_kit_system(books.nodes[node].kit);

	for (int i = 0; books.by_bytes && i < NODES; i++)
		if (i != node)
			note_place(ward_node_place(system, books.nodes[i].name), i);
}

/* A connection may have been opened and lost since the last look. */
static void note_lost_place(int node, uint32_t place)
{
	char name[WARD_NODE_NAME];

	if (!books.by_bytes || !ward_node_name(ward_kit_system(books.nodes[node].kit), place, name))
		return;
	for (int i = 0; i < NODES; i++)
		if (i != node && strcmp(books.nodes[i].name, name) == 0)
			note_place(place, i);
}

ward_ref ref_at(int node, int life)
{
	const struct life *it = &books.lives[life];
	const struct place *place;
	ward_ref ref;

	if (!books.by_bytes || it->node == node)
		return it->ref;
	note_places(node);
	ref = ward_loop_ref(books.loop, books.nodes[node].name, books.nodes[it->node].name,
			    it->ref);
	place = find_place(ward_ref_place(ref));
	/* The connection may be that of an earlier incarnation of the other node. */
	return place != NULL && place->incarnation == it->incarnation ? ref : ward_nobody();
}

static bool is_at(const struct life *life, const struct place *place, ward_ref ref)
{
	return life->node == place->node && life->incarnation == place->incarnation &&
	       ward_ref_number(life->ref) == ward_ref_number(ref);
}

int life_of(int node, ward_ref ref)
{
	const struct place *place;

	note_places(node);
	note_lost_place(node, ward_ref_place(ref));
	place = find_place(ward_ref_place(ref));
	for (int i = books.lives_count - 1; i >= 0; i--)
		if (place == NULL ? ward_ref_equal(books.lives[i].ref, ref)
				  : is_at(&books.lives[i], place, ref))
			return i;
	return -1;
}

/* ---- what a peer does ---------------------------------------------------------------------- */

struct peer {
	int node;
	int life; /* its number */
	uint64_t tags;
};

struct peer_args {
	int node;
};
WARD_MESSAGE(peer_args);

static void say(ward_self *self, struct peer *me, int to)
{
	const struct life *other = &books.lives[to];
	const char *node = books.nodes[other->node].name;
	bool far = other->node != books.lives[me->life].node;
	bool open = !far || ward_node_place(ward_self_system(self), node) != 0;
	ward_err err =
		ward_try_tell(self, ref_at(me->node, to), said,
			      .number = ++bond(me->life, to)->sent, .from = me->life, .to = to);

	if (err == WARD_OK && !open)
		wrong("a message to %s, which is not connected, was not refused", node);
	books.told++;
}

/* The same actor by a ref of this place. */
static ward_ref ref_by(uint32_t place, int to)
{
	return ward_ref_at(place, WARD_REF_ACTOR, ward_ref_number(books.lives[to].ref));
}

static void watch(ward_self *self, struct peer *me, int to)
{
	struct bond *it = bond(me->life, to);

	ward_ref ref = ref_at(me->node, to);

	if (it->watched && ward_random(self) % 3 == 0) {
		ward_unwatch(self, ref_by(it->watched_at, to));
		it->watched = false;
	} else if (!it->watched && ward_try_watch(self, ref) == WARD_OK) {
		it->watched = true;
		it->watched_at = ward_ref_place(ref);
		books.watches++;
	}
}

/* The number of the latest connection of their nodes, at the end of the first; 1 if it is one
 * node. */
static uint64_t connection_of(int from, int to)
{
	const char *here = books.nodes[books.lives[from].node].name;
	const char *there = books.nodes[books.lives[to].node].name;

	return here == there ? 1 : ward_loop_life(books.loop, here, there);
}

/* Within a node it is over for both, at once. Across, a link of the other one may cross it. */
static void unlinked(int from, int to)
{
	struct bond *it = bond(from, to), *back = bond(to, from);

	it->linked = it->unsure = false;
	if (books.lives[from].node != books.lives[to].node) {
		back->unsure = true;
		return;
	}
	back->linked = false;
	it->may_end = back->may_end = 0;
}

/* Whether that connection is over at the end of an actor. */
static bool is_over(ward_self *self, int from, int to, uint64_t connection)
{
	const char *there = books.nodes[books.lives[to].node].name;
	bool is_open = ward_node_place(ward_self_system(self), there) != 0;

	return connection + is_open <= connection_of(from, to);
}

static void link(ward_self *self, struct peer *me, int to)
{
	struct bond *it = bond(me->life, to);

	ward_ref ref = ref_at(me->node, to);

	if (it->linked && ward_random(self) % 3 == 0) {
		ward_unlink(self, ref_by(it->linked_at, to));
		unlinked(me->life, to);
	} else if ((!it->linked || it->linked_at == ward_ref_place(ref)) &&
		   ward_try_link(self, ref) == WARD_OK) {
		it->linked = true;
		it->linked_at = ward_ref_place(ref);
		bond(to, me->life)->may_end = connection_of(me->life, to);
		books.links++;
	}
}

static void ask(ward_self *self, struct peer *me, int to)
{
	const ward_question question = {.to = ref_at(me->node, to),
					.timeout_ms =
						ward_random(self) % 2 == 0 ? ASK_MS : WARD_FOREVER,
					.tag = me->tags + 1};

	if (books.lives[me->life].questions >= QUESTIONS_MAX ||
	    ward_try_ask_send(self, &question, &ward_type_what, NULL, 0) != WARD_OK)
		return;
	me->tags++;
	books.lives[me->life].questions++;
	books.questions++;
}

/* Mostly the latest: they are alive. */
static int choose(ward_self *self)
{
	uint64_t count = (uint64_t)books.lives_count;
	uint64_t last = ward_random(self) % 5 == 0 ? count : NODES * PEERS + 2;

	return (int)(count - 1 - ward_random(self) % (last < count ? last : count));
}

static ward_result act_once(ward_self *self, struct peer *me)
{
	int to = choose(self);

	if (books.quiet || !is_of_a_node(me->life))
		return WARD_DONE;
	ward_after(self, ACT, 1 + (int64_t)(ward_random(self) % ACT_MS), act);
	if (to == me->life)
		return WARD_DONE;
	switch (ward_random(self) % 16) {
	case 0:
		return books.lives_count < LIVES_MAX ? ward_stop_self(self) : WARD_DONE;
	case 1:
	case 2:
	case 3:
		link(self, me, to);
		return WARD_DONE;
	case 4:
	case 5:
	case 6:
	case 7:
		watch(self, me, to);
		return WARD_DONE;
	case 8:
	case 9:
		ask(self, me, to);
		return WARD_DONE;
	default:
		for (uint64_t n = ward_random(self) % 4 + 1; n > 0; n--)
			say(self, me, to);
		return WARD_DONE;
	}
}

/* ---- what it notices ----------------------------------------------------------------------- */

static void on_said(const struct peer *me, const struct said *said)
{
	struct bond *it = bond(me->life, said->from);

	if (said->to != me->life)
		wrong("%d got a message for %d", me->life, said->to);
	if (said->number <= it->received)
		wrong("%d got message %llu of %d after %llu", me->life,
		      (unsigned long long)said->number, said->from,
		      (unsigned long long)it->received);
	it->received = said->number;
}

static void on_terminated(const struct peer *me, const struct ward_terminated *gone)
{
	int who = life_of(me->node, gone->who);

	books.notices++;
	if (who < 0)
		wrong("%d got a notice about nobody", me->life);
	else if (!bond(me->life, who)->watched)
		wrong("%d got a notice about %d, which it does not watch", me->life, who);
	else if (!books.lives[who].ended && gone->end != WARD_END_UNREACHED)
		wrong("%d got a notice about %d, which lives: %s", me->life, who,
		      ward_end_text(gone->end));
	else
		bond(me->life, who)->watched = false;
}

/* Each link has one exit: one that was made by either of them, or by both. That of the end of a
 * connection is not for what the other one has done through a later one. */
static void on_exited(ward_self *self, const struct peer *me, const struct ward_exited *gone)
{
	bool is_unreached = gone->reason.kind == WARD_EXIT_UNREACHED;
	int who = life_of(me->node, gone->who);

	books.exits++;
	if (who < 0) {
		wrong("%d got an exit of nobody", me->life);
		return;
	}
	struct bond *it = bond(me->life, who);

	bool may_end =
		it->may_end != 0 && (!is_unreached || is_over(self, me->life, who, it->may_end));

	if (!it->linked && !may_end)
		wrong("%d got an exit of %d, with which it has no link", me->life, who);
	if (!books.lives[who].ended && !is_unreached)
		wrong("%d got an exit of %d, which lives", me->life, who);
	if (it->linked_at == ward_ref_place(gone->who)) /* not of an earlier connection */
		it->linked = it->unsure = false;
	if (may_end)
		it->may_end = 0;
}

static void on_answer(const struct peer *me, bool answered)
{
	if (books.lives[me->life].questions-- == 0)
		wrong("%d got an end of a question that it did not ask", me->life);
	books.answers += answered;
	books.unanswered += !answered;
}

/* ---- the actor ----------------------------------------------------------------------------- */

static ward_result peer_start(ward_self *self, void *state)
{
	const struct peer_args *args = ward_args(self);
	struct peer *me = state;

	if (books.lives_count == LIVES_MAX)
		return ward_stop_self(self);
	me->node = args->node;
	me->life = books.lives_count++;
	books.lives[me->life] = (struct life){.ref = ward_self_ref(self),
					      .node = args->node,
					      .incarnation = books.nodes[args->node].incarnation};
	ward_trap_exit(self, true);
	ward_after(self, ACT, 1 + (int64_t)(ward_random(self) % ACT_MS), act);
	return WARD_DONE;
}

static ward_result peer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct said *said = ward_match(msg, said);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	struct peer *me = state;

	if (!is_of_a_node(me->life)) /* it has crashed, and is only tidied up */
		return WARD_DONE;
	if (ward_ask_tag(self) != 0)
		on_answer(me, ward_match(msg, thing) != NULL);
	else if (ward_match(msg, act))
		return act_once(self, me);
	else if (said != NULL)
		on_said(me, said);
	else if (gone != NULL)
		on_terminated(me, gone);
	else if (exited != NULL)
		on_exited(self, me, exited);
	else if (ward_match(msg, what))
		ward_reply(self, msg, thing, .from = me->life);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static ward_result peer_stop(ward_self *self, void *state)
{
	const struct peer *me = state;

	(void)self;
	books.lives[me->life].ended = true;
	return WARD_DONE;
}

static const ward_behavior peer = {
	.name = "peer",
	.state_size = sizeof(struct peer),
	.args = &ward_type_peer_args,
	.pre_start = peer_start,
	.receive = peer_receive,
	.post_stop = peer_stop,
};

/* ---- who replaces them ---------------------------------------------------------------------- */

static void start_peer(ward_self *self)
{
	const struct peer_args *args = ward_args(self);

	ward_watch(self, ward_spawn(self, &peer, .args = WARD_ARGS(peer_args, .node = args->node)));
}

static ward_result host_start(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < PEERS; i++)
		start_peer(self);
	return WARD_DONE;
}

static ward_result host_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	if (!books.quiet)
		start_peer(self);
	return WARD_DONE;
}

static const ward_behavior host = {
	.name = "host",
	.args = &ward_type_peer_args,
	.pre_start = host_start,
	.receive = host_receive,
};

void populate(int node)
{
	(void)ward_kit_spawn(books.nodes[node].kit, &host, .name = "host",
			     .args = WARD_ARGS(peer_args, .node = node));
}
