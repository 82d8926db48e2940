/* SPDX-License-Identifier: MIT
 *
 * drive.c - several simulated systems on one thread and one clock.
 *
 * Whichever system a call moves, its function `others` runs first, before each turn and each move
 * of the clock:
 *
 *	a node has to crash, or to come back	that
 *	frames are due				they arrive
 *	actors of several systems are ready	a system is drawn, by their number, for one turn
 *	nobody is ready				the earliest event of all: all clocks go there
 *
 * A system whose clock has jumped ahead by itself waits until the others have come to its time.
 */
#include "testkit/loop/drive.h"

#include <ward/testkit/check.h>

#include "testkit/loop/network.h"

static int64_t time_of(const struct wardi_node *node)
{
	return ward_simulation_now_ns(node->system) + node->base_ns;
}

/* ---- crashes ------------------------------------------------------------------------------ */

/* Not a node whose own call is moving: it only sends nothing more until another one moves. */
static bool crash(ward_loop *loop, const struct wardi_node *caller)
{
	for (struct wardi_node *node = loop->nodes; node != NULL; node = node->next) {
		if (!node->crashing || node == caller)
			continue;
		ward_loop_kill(loop, node->name);
		loop->options.crashed(loop->options.arg, loop, node->name);
		return true;
	}
	return false;
}

static bool come_back(ward_loop *loop)
{
	for (struct wardi_node *node = loop->nodes; node != NULL; node = node->next) {
		if (node->system != NULL || node->back_ns > loop->now_ns)
			continue;
		node->back_ns = INT64_MAX;
		loop->options.comes_back(loop->options.arg, loop, node->name);
		return true;
	}
	return false;
}

/* ---- turns -------------------------------------------------------------------------------- */

static size_t ready(const struct wardi_node *node)
{
	return node->system != NULL ? ward_simulation_count(node->system) : 0;
}

/* Returns a system with an actor that must not wait. NULL: there is none. */
static struct wardi_node *urgent_node(ward_loop *loop)
{
	struct wardi_node *node = loop->urgent != NULL ? loop->nodes : NULL;

	while (node != NULL && (ready(node) == 0 || !loop->urgent(loop->urgent_arg, node->system)))
		node = node->next;
	return node;
}

/* Runs a turn of an actor of another system, if one is urgent, or the draw says so. */
static bool step_another(ward_loop *loop, const struct wardi_node *caller)
{
	struct wardi_node *node = urgent_node(loop);
	size_t others = 0, drawn;

	if (node != NULL)
		return node != caller && ward_simulation_step(node->system);
	for (node = loop->nodes; node != NULL; node = node->next)
		others += node != caller ? ready(node) : 0;
	if (others == 0)
		return false;
	drawn = (size_t)wardi_chance_below(&loop->chance, others + ready(caller));
	for (node = loop->nodes; node != NULL; node = node->next) {
		if (node == caller || ready(node) == 0)
			continue;
		if (drawn < ready(node))
			return ward_simulation_step(node->system);
		drawn -= ready(node);
	}
	return false;
}

/* ---- time --------------------------------------------------------------------------------- */

static int64_t next_of(const struct wardi_node *node)
{
	int64_t next_ns;

	if (node->system == NULL)
		return node->back_ns;
	next_ns = ward_simulation_next_ns(node->system);
	return next_ns == INT64_MAX ? next_ns : next_ns + node->base_ns;
}

static int64_t earliest(ward_loop *loop, const struct wardi_node *caller)
{
	int64_t at_ns = wardi_network_next_ns(loop);

	for (const struct wardi_node *node = loop->nodes; node != NULL; node = node->next)
		if (node != caller && next_of(node) < at_ns)
			at_ns = next_of(node);
	return at_ns;
}

/* Whether descriptors have something for another system. */
static bool poll_another(ward_loop *loop, const struct wardi_node *caller)
{
	for (struct wardi_node *node = loop->nodes; node != NULL; node = node->next)
		if (node != caller && node->system != NULL && ward_simulation_step(node->system))
			return true;
	return false;
}

/* Moves the clocks, but not that of `but` (or NULL), and does what is due by then. */
static void advance_all(ward_loop *loop, const struct wardi_node *but, int64_t to_ns)
{
	loop->now_ns = to_ns > loop->now_ns ? to_ns : loop->now_ns;
	for (struct wardi_node *node = loop->nodes; node != NULL; node = node->next)
		if (node != but && node->system != NULL && time_of(node) <= to_ns)
			(void)ward_simulation_advance(node->system, to_ns - node->base_ns);
}

static bool advance_together(ward_loop *loop, struct wardi_node *caller, int64_t until_ns)
{
	int64_t at_ns = earliest(loop, caller);

	if (at_ns <= until_ns && at_ns != INT64_MAX) {
		advance_all(loop, NULL, at_ns);
		return true;
	}
	if (until_ns != INT64_MAX && until_ns > loop->now_ns)
		advance_all(loop, caller, until_ns);
	return false;
}

static bool move(ward_loop *loop, struct wardi_node *caller, int64_t until_ns)
{
	if (crash(loop, caller) || come_back(loop) || wardi_network_deliver(loop))
		return true;
	if (step_another(loop, caller))
		return true;
	if (ready(caller) > 0 && until_ns <= loop->now_ns)
		return false;
	return poll_another(loop, caller) || advance_together(loop, caller, until_ns);
}

static bool others(void *arg, int64_t until_ns)
{
	struct wardi_node *node = arg;
	ward_loop *loop = node->loop;

	if (loop->moving)
		return false;
	loop->moving = true;
	bool moved = move(loop, node, until_ns == INT64_MAX ? until_ns : until_ns + node->base_ns);
	loop->moving = false;
	return moved;
}

void wardi_drive_join(struct wardi_node *node)
{
	node->base_ns = node->loop->now_ns - ward_simulation_now_ns(node->system);
	(void)ward_simulation_others(node->system, others, node);
}

void wardi_drive_leave(struct wardi_node *node)
{
	if (node->system != NULL)
		(void)ward_simulation_others(node->system, NULL, NULL);
}

void wardi_drive_first(ward_loop *loop, bool (*urgent)(void *arg, ward_system *system), void *arg)
{
	loop->urgent = urgent;
	loop->urgent_arg = arg;
}

void wardi_drive_spare(ward_loop *loop)
{
	loop->spared = true;
}

bool wardi_drive_is_urgent(ward_loop *loop)
{
	return loop->urgent != NULL && (wardi_network_is_due(loop) || urgent_node(loop) != NULL);
}
