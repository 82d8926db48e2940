/* SPDX-License-Identifier: MIT
 *
 * loop.c - the calls of a test: nodes, connections, cuts, counters.
 */
#include <ward/testkit/neighbours.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ward/testkit/check.h>
#include <ward/testkit/runner.h>

#include "testkit/check/elsewhere.h"
#include "testkit/kit/living_kits.h"
#include "testkit/loop/drive.h"
#include "testkit/loop/frame.h"
#include "testkit/loop/keeper.h"
#include "testkit/loop/network.h"

enum {
	LOST_AFTER_MS = 1000,
	RETRY_MS = 100,
	MESSAGES_MAX = 1000,
	WINDOW_BYTES = 256 * 1024,
	PATIENCE_MS = 50 * 1000
};

/* ---- finding ------------------------------------------------------------------------------ */

static struct wardi_node *find_node(ward_loop *loop, const char *name)
{
	struct wardi_node *node = loop->nodes;

	while (node != NULL && strcmp(node->name, name) != 0)
		node = node->next;
	return node;
}

static struct wardi_node *node_of(ward_loop *loop, const char *name, struct wardi_location place)
{
	struct wardi_node *node = find_node(loop, name);

	if (node == NULL)
		ward_test_fail(place.file, place.line, "no node %s has joined the loop", name);
	return node;
}

/* Returns the end at node `at` of its pair with node `of`. */
static struct wardi_end *find_end(ward_loop *loop, const struct wardi_node *node,
				  const struct wardi_node *peer)
{
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		for (int i = 0; i < 2; i++)
			if (pair->ends[i].node == node && pair->ends[!i].node == peer)
				return &pair->ends[i];
	return NULL;
}

static struct wardi_end *end_of(ward_loop *loop, const char *at, const char *of,
				struct wardi_location place)
{
	struct wardi_end *end = find_end(loop, node_of(loop, at, place), node_of(loop, of, place));

	if (end == NULL)
		ward_test_fail(place.file, place.line, "%s and %s are not connected", at, of);
	return end;
}

/* ---- the loop ----------------------------------------------------------------------------- */

/* What is by value goes by bytes in a run with WARD_LOOP=bytes. */
static ward_loop_form form_of(const ward_loop_options *options)
{
	if (!wardi_testkit_loop_by_bytes())
		return options->form;
	printf("far: this case goes by bytes\n");
	return options->form != WARD_LOOP_BY_VALUE ? options->form : WARD_LOOP_BY_BYTES_SAME_REFS;
}

static void check_options(const ward_loop_options *options, struct wardi_location place)
{
	for (size_t i = 0; i < sizeof options->reserved / sizeof options->reserved[0]; i++)
		if (options->reserved[i] != 0)
			ward_test_fail(place.file, place.line,
				       "a reserved word of the loop's options is not zero");
}

ward_loop *ward_loop_start_at(const ward_loop_options *options, const char *file, int line)
{
	static const ward_loop_options defaults;
	ward_loop *loop;

	if (options == NULL)
		options = &defaults;
	check_options(options, (struct wardi_location){file, line});
	loop = calloc(1, sizeof *loop);
	ward_assert(loop != NULL);
	loop->options = *options;
	ward_loop_options *of = &loop->options;
	of->form = form_of(of);
	of->lost_after_ms = of->lost_after_ms > 0 ? of->lost_after_ms : LOST_AFTER_MS;
	of->retry_ms = of->retry_ms > 0 ? of->retry_ms : RETRY_MS;
	of->messages_max = of->messages_max != 0 ? of->messages_max : MESSAGES_MAX;
	of->window_bytes = of->window_bytes != 0 ? of->window_bytes : WINDOW_BYTES;
	of->seed = of->seed != 0 ? of->seed : ward_test_seed();
	loop->chance = wardi_chance(of->seed, WARDI_CHANCE_LOOP);
	pthread_mutex_init(&loop->mu, NULL);
	pthread_cond_init(&loop->changed, NULL);
	return loop;
}

static bool is_simulated(ward_system *system)
{
	return ward_simulation_others(system, NULL, NULL);
}

/* The kit of the node, if it has one, is not to be finished before the loop. The second system of a
 * kit is ended with its loop by that one. */
static void bind_kit(const struct wardi_node *node, bool bound)
{
	ward_kit *kit = node->loop->spared ? NULL : wardi_kit_of_system(node->system);

	if (kit != NULL)
		kit->node = bound ? node->name : NULL;
}

static void check_join(ward_loop *loop, ward_system *system, const char *name,
		       struct wardi_location place)
{
	const struct wardi_node *node = find_node(loop, name);

	if (ward_node_name_check(name) != WARD_OK)
		ward_test_fail(place.file, place.line, "the node cannot join: %s",
			       ward_err_detail());
	if (loop->nodes != NULL && is_simulated(system) != loop->simulated)
		ward_test_fail(place.file, place.line,
			       "%s cannot join: all systems of a loop are simulated, or none is",
			       name);
	if (node != NULL && node->system != NULL)
		ward_test_fail(place.file, place.line, "a node %s has joined the loop already",
			       name);
}

static void join(ward_loop *loop, ward_system *system, const char *name, bool main,
		 struct wardi_location place)
{
	struct wardi_node *node = find_node(loop, name);

	check_join(loop, system, name, place);
	if (loop->nodes == NULL)
		loop->simulated = is_simulated(system);
	if (node == NULL) {
		node = calloc(1, sizeof *node);
		ward_assert(node != NULL);
		strcpy(node->name, name);
		node->loop = loop;
		wardi_loop_lock(loop);
		node->next = loop->nodes;
		loop->nodes = node;
		wardi_loop_unlock(loop);
	} else {
		loop->stats.returns++;
	}
	wardi_loop_lock(loop);
	node->system = system;
	node->main = main;
	node->back_ns = INT64_MAX;
	node->guests = ward_nobody();
	wardi_loop_unlock(loop);
	bind_kit(node, true);
	if (loop->simulated)
		wardi_drive_join(node);
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		for (int i = 0; i < 2; i++)
			if (pair->ends[i].node == node)
				wardi_keeper_start(&pair->ends[i], place);
}

void ward_loop_join_at(ward_loop *loop, ward_system *system, const char *name, const char *file,
		       int line)
{
	join(loop, system, name, false, (struct wardi_location){file, line});
}

void ward_loop_join_main_at(ward_loop *loop, ward_system *system, const char *name,
			    const char *file, int line)
{
	join(loop, system, name, true, (struct wardi_location){file, line});
}

void ward_loop_guests_at(ward_loop *loop, const char *name, ward_ref guests, const char *file,
			 int line)
{
	struct wardi_node *node = node_of(loop, name, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	node->guests = guests;
	wardi_loop_unlock(loop);
}

/* ---- connections -------------------------------------------------------------------------- */

static void init_end(struct wardi_end *end, struct wardi_pair *pair, struct wardi_node *node)
{
	end->loop = node->loop;
	end->pair = pair;
	end->node = node;
	end->first = end == &pair->ends[0];
	wardi_queue_init(&end->transit);
	wardi_queue_init(&end->inbox);
}

void ward_loop_connect_at(ward_loop *loop, const char *left, const char *right, const char *file,
			  int line)
{
	const struct wardi_location place = {file, line};
	struct wardi_node *nodes[2] = {node_of(loop, left, place), node_of(loop, right, place)};
	struct wardi_pair *pair;

	if (nodes[0] == nodes[1])
		ward_test_fail(file, line, "%s cannot be connected with itself", left);
	if (find_end(loop, nodes[0], nodes[1]) != NULL)
		ward_test_fail(file, line, "%s and %s are connected already", left, right);
	pair = calloc(1, sizeof *pair);
	ward_assert(pair != NULL);
	for (int i = 0; i < 2; i++)
		init_end(&pair->ends[i], pair, nodes[i]);
	wardi_loop_lock(loop);
	pair->next = loop->pairs;
	loop->pairs = pair;
	wardi_loop_unlock(loop);
	for (int i = 1; i >= 0; i--) /* the second has to be there when the first asks */
		if (nodes[i]->system != NULL)
			wardi_keeper_start(&pair->ends[i], place);
}

bool ward_loop_is_open_at(ward_loop *loop, const char *left, const char *right, const char *file,
			  int line)
{
	struct wardi_end *end = end_of(loop, left, right, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	bool open = end->open && wardi_loop_peer(end)->open;
	wardi_loop_unlock(loop);
	return open;
}

uint64_t ward_loop_life_at(ward_loop *loop, const char *at, const char *of, const char *file,
			   int line)
{
	struct wardi_end *end = end_of(loop, at, of, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	uint64_t life = end->life;
	wardi_loop_unlock(loop);
	return life;
}

static bool await_on_threads(struct wardi_end *end, int64_t timeout_ms)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += timeout_ms / 1000 + 1;
	wardi_loop_lock(end->loop);
	while (!(end->open && wardi_loop_peer(end)->open) && err == 0)
		err = pthread_cond_timedwait(&end->loop->changed, &end->loop->mu, &until);
	wardi_loop_unlock(end->loop);
	return err == 0;
}

bool ward_loop_await_at(ward_loop *loop, const char *left, const char *right, int64_t timeout_ms,
			const char *file, int line)
{
	struct wardi_end *end = end_of(loop, left, right, (struct wardi_location){file, line});
	int64_t until_ns = loop->now_ns + timeout_ms * WARD_NS_PER_MS;

	if (!loop->simulated)
		return await_on_threads(end, timeout_ms);
	while (!ward_loop_is_open(loop, left, right)) {
		ward_system *system = end->node->system;
		int64_t local_ns = until_ns - end->node->base_ns;

		if (system == NULL ||
		    (!ward_simulation_step(system) && !ward_simulation_advance(system, local_ns)))
			return ward_loop_is_open(loop, left, right);
	}
	return true;
}

ward_ref ward_loop_ref_at(ward_loop *loop, const char *at, const char *of, ward_ref who,
			  const char *file, int line)
{
	struct wardi_end *end = end_of(loop, at, of, (struct wardi_location){file, line});

	if (wardi_loop_same_refs(loop))
		return who;
	wardi_loop_lock(loop);
	ward_ref ref =
		end->open ? ward_ref_at(end->place, ward_ref_kind_of(who), ward_ref_number(who))
			  : ward_nobody();
	wardi_loop_unlock(loop);
	return ref;
}

/* ---- faults by calls ---------------------------------------------------------------------- */

void ward_loop_cut_one_way_at(ward_loop *loop, const char *from, const char *to, const char *file,
			      int line)
{
	struct wardi_end *end = end_of(loop, to, from, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	wardi_network_cut_locked(end, INT64_MAX);
	loop->stats.cuts++;
	wardi_loop_unlock(loop);
}

void ward_loop_cut_at(ward_loop *loop, const char *left, const char *right, const char *file,
		      int line)
{
	struct wardi_end *end = end_of(loop, left, right, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	wardi_network_cut_locked(end, INT64_MAX);
	wardi_network_cut_locked(wardi_loop_peer(end), INT64_MAX);
	loop->stats.cuts++;
	wardi_loop_unlock(loop);
}

void ward_loop_heal_at(ward_loop *loop, const char *left, const char *right, const char *file,
		       int line)
{
	struct wardi_end *end = end_of(loop, left, right, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	end->cut_until_ns = wardi_loop_peer(end)->cut_until_ns = 0;
	wardi_loop_unlock(loop);
}

void ward_loop_reset_at(ward_loop *loop, const char *left, const char *right, const char *file,
			int line)
{
	struct wardi_end *end = end_of(loop, left, right, (struct wardi_location){file, line});

	wardi_loop_lock(loop);
	wardi_network_reset_locked(end->pair, 0);
	wardi_loop_unlock(loop);
}

void ward_loop_kill_at(ward_loop *loop, const char *name, const char *file, int line)
{
	struct wardi_node *node = node_of(loop, name, (struct wardi_location){file, line});

	bind_kit(node, false);
	if (loop->simulated)
		wardi_drive_leave(node);
	wardi_loop_lock(loop);
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		for (int i = 0; i < 2; i++)
			if (pair->ends[i].node == node) {
				pair->ends[i].keeper = pair->ends[i].last_keeper = ward_nobody();
				wardi_network_forget_locked(&pair->ends[i]);
			}
	node->system = NULL;
	node->crashing = false;
	loop->stats.crashes++;
	wardi_loop_unlock(loop);
}

ward_loop_stats ward_loop_read_stats(ward_loop *loop)
{
	wardi_loop_lock(loop);
	ward_loop_stats stats = loop->stats;
	wardi_loop_unlock(loop);
	return stats;
}

/* ---- the end ------------------------------------------------------------------------------ */

static void stop_keeper(struct wardi_end *end, struct wardi_location place)
{
	wardi_loop_lock(end->loop);
	ward_system *system = end->node->system;
	ward_ref who = end->last_keeper;
	wardi_loop_unlock(end->loop);
	if (system == NULL || ward_ref_is_nobody(who))
		return;
	ward_system_stop(system, who);
	ward_err err = ward_system_wait_for(system, who, PATIENCE_MS);
	if (err != WARD_OK)
		ward_test_fail(place.file, place.line,
			       "the end of a connection at %s does not end: %s", end->node->name,
			       ward_err_text(err));
}

static void free_queue(struct wardi_queue *queue)
{
	struct wardi_frame *frame;

	while ((frame = wardi_queue_pop(queue)) != NULL)
		wardi_frame_free(frame);
}

static void free_pair(struct wardi_pair *pair)
{
	for (int i = 0; i < 2; i++) {
		free_queue(&pair->ends[i].transit);
		free_queue(&pair->ends[i].inbox);
	}
	free(pair);
}

void ward_loop_finish_at(ward_loop *loop, const char *file, int line)
{
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		for (int i = 0; i < 2; i++)
			stop_keeper(&pair->ends[i], (struct wardi_location){file, line});
	for (struct wardi_node *node = loop->nodes; node != NULL; node = node->next) {
		bind_kit(node, false);
		wardi_drive_leave(node);
	}
	for (struct wardi_pair *pair; (pair = loop->pairs) != NULL;) {
		loop->pairs = pair->next;
		free_pair(pair);
	}
	for (struct wardi_node *node; (node = loop->nodes) != NULL;) {
		loop->nodes = node->next;
		free(node);
	}
	pthread_cond_destroy(&loop->changed);
	pthread_mutex_destroy(&loop->mu);
	free(loop);
}
