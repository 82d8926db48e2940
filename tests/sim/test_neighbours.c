/* SPDX-License-Identifier: MIT
 *
 * test_neighbours.c - three systems over a loop that is cut, reset, late, and whose nodes crash.
 *
 * Method: actors of all three tell, ask, watch and link each other at random (neighbours.c), while
 * faults strike the connections. Then they come to rest, and what each has open must be with an
 * actor that lives. Then two nodes are gone for ever, and nothing may be open with them. A seed in
 * which no connection was lost does not count. In every second seed only bytes cross.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <ward/guests.h>

#include "neighbours.h"

static const char *const names[NODES] = {"middle", "left", "right"};

/* Of all runs, in memory that their processes share. */
struct totals {
	_Atomic uint64_t runs, by_bytes, counting, cuts, resets, crashes, lost, told, notices,
		exits, answers, unanswered, starts, jobs, failures, unreached;
};

static void add(_Atomic uint64_t *total, uint64_t more)
{
	atomic_fetch_add_explicit(total, more, memory_order_relaxed);
}

static bool nothing_wrong(void *arg)
{
	(void)arg;
	return books.wrong[0] == '\0';
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static int node_of(const char *name)
{
	int node = 0;

	while (strcmp(names[node], name) != 0)
		node++;
	return node;
}

static ward_kit_options quiet_kit(const char *name)
{
	return (ward_kit_options){.system.name = name,
				  .may_leave_mail = true,
				  .keeps_no_events = true,
				  .event_kinds = WARD_EVENT_FAILURE};
}

int node_of_system(const ward_system *system)
{
	for (int i = 0; i < NODES; i++)
		if (!books.nodes[i].gone && ward_kit_system(books.nodes[i].kit) == system)
			return i;
	return -1;
}

static void take_guests(int node)
{
	ward_ref guests;

	ward_assert_ok(ward_guests_start(ward_kit_system(books.nodes[node].kit),
					 &(ward_guests_options){.kinds = far_kinds}, &guests));
	ward_loop_guests(books.loop, names[node], guests);
}

static void start_node(int node)
{
	const ward_kit_options options = quiet_kit(names[node]);

	books.nodes[node].gone = false;

	books.nodes[node].kit = ward_kit_start(&options);
	ward_loop_join(books.loop, ward_kit_system(books.nodes[node].kit), names[node]);
	take_guests(node);
}

static void forget_lives(int node)
{
	for (int i = 0; i < books.lives_count; i++)
		if (books.lives[i].node == node)
			books.lives[i].ended = true;
	for (int i = 0; i < FAMILIES; i++) {
		if (far_families[i].alive[node] > 0)
			far_families[i].failed = false;
		far_families[i].alive[node] = 0;
	}
}

static void crashed(void *arg, ward_loop *loop, const char *name)
{
	int node = node_of(name);

	(void)arg, (void)loop;
	for (int i = 0; i < NODES; i++)
		if (!books.nodes[i].gone)
			note_places(i);
	books.nodes[node].gone = true;
	forget_lives(node);
	ward_kit_finish(books.nodes[node].kit);
}

static void comes_back(void *arg, ward_loop *loop, const char *name)
{
	int node = node_of(name);

	(void)arg, (void)loop;
	books.nodes[node].incarnation++;
	start_node(node);
	populate(node);
	populate_far(node);
}

/* ---- rest ------------------------------------------------------------------------------------ */

static bool all_are_there(void *arg)
{
	(void)arg;
	for (int i = 0; i < NODES; i++)
		if (books.nodes[i].gone ||
		    !ward_loop_is_open(books.loop, names[i], names[(i + 1) % NODES]))
			return false;
	return true;
}

/* What is open must be with an actor that lives. */
static void check_bonds(const char *when)
{
	for (int i = 0; i < books.lives_count; i++) {
		if (books.lives[i].ended)
			continue;
		if (books.lives[i].questions > 0)
			wrong("%s: %d has open questions", when, i);
		for (int k = 0; k < books.lives_count; k++)
			if (books.lives[k].ended &&
			    (bond(i, k)->watched || (bond(i, k)->linked && !bond(i, k)->unsure)))
				wrong("%s: %d has got no %s of %d", when, i,
				      bond(i, k)->watched ? "notice" : "exit", k);
	}
}

static void lose_for_ever(const char *name)
{
	int node = node_of(name);

	ward_loop_kill(books.loop, name);
	books.nodes[node].gone = true;
	forget_lives(node);
	ward_kit_finish(books.nodes[node].kit);
}

static void check_wrong(void)
{
	if (books.wrong[0] != '\0')
		ward_test_fail(__FILE__, __LINE__, "%s", books.wrong);
}

/* ---- the runs ------------------------------------------------------------------------------- */

static void count(struct totals *totals)
{
	ward_loop_stats stats = ward_loop_read_stats(books.loop);

	add(&totals->runs, 1);
	add(&totals->by_bytes, books.by_bytes);
	add(&totals->counting, stats.closed > 0);
	add(&totals->cuts, stats.cuts);
	add(&totals->resets, stats.resets);
	add(&totals->crashes, stats.returns);
	add(&totals->lost, stats.closed);
	add(&totals->told, books.told);
	add(&totals->notices, books.notices);
	add(&totals->exits, books.exits);
	add(&totals->answers, books.answers);
	add(&totals->unanswered, books.unanswered);
	for (int i = 0; i < FAMILIES; i++) {
		add(&totals->starts, far_families[i].starts);
		add(&totals->jobs, far_families[i].jobs);
		add(&totals->failures, far_families[i].failures);
		add(&totals->unreached, far_families[i].unreached);
	}
}

static void start_all(ward_kit *kit)
{
	memset(bond(0, 0), 0, sizeof(struct bond) * LIVES_MAX * (size_t)books.lives_count);
	memset(&books, 0, sizeof books);
	memset(far_families, 0, sizeof far_families);
	for (int i = 0; i < NODES; i++)
		books.nodes[i] = (struct node){.name = names[i], .gone = true};
	books.kit = kit;
	books.by_bytes = ward_test_seed() % 2 == 1;
	books.loop = ward_loop_start(&(ward_loop_options){
		.form = books.by_bytes ? WARD_LOOP_BY_BYTES : WARD_LOOP_BY_VALUE,
		.latency_ms = 2,
		.jitter_ms = 10,
		.lost_after_ms = LOST_AFTER_MS,
		.crashed = crashed,
		.comes_back = comes_back});
	books.nodes[0] = (struct node){.name = names[0], .kit = kit};
	ward_loop_join_main(books.loop, ward_kit_system(kit), names[0]);
	take_guests(0);
	for (int i = 1; i < NODES; i++)
		start_node(i);
	for (int i = 0; i < NODES; i++)
		ward_loop_connect(books.loop, names[i], names[(i + 1) % NODES]);
	for (int i = 0; i < NODES; i++)
		if (!books.nodes[i].gone && books.nodes[i].incarnation == 0)
			populate(i), populate_far(i);
}

static void run(ward_kit *kit, void *arg)
{
	ward_simulation_invariant(kit, nothing_wrong, NULL, "nothing is wrong");
	start_all(kit);
	ward_kit_advance(kit, 3 * WARD_SECOND);
	ward_simulation_faults_end(kit);
	ward_simulation_eventually(kit, 10 * WARD_SECOND, all_are_there, NULL, "all are connected");
	books.quiet = true;
	ward_kit_advance(kit, 8 * WARD_SECOND);
	last_jobs();
	ward_kit_advance(kit, WARD_SECOND);
	check_last_jobs();
	check_bonds("at rest");
	check_wrong();
	count(arg);
	lose_for_ever("left");
	lose_for_ever("right");
	ward_kit_advance(kit, 2 * LOST_AFTER_MS);
	check_bonds("for ever");
	check_wrong();
	ward_loop_finish(books.loop);
	ward_simulation_note(kit, books.told * 1000 + books.notices);
}

static void simulate(ward_simulation_test test)
{
	struct totals *totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ward_assert(totals != MAP_FAILED);
	test.run = run;
	test.arg = totals;
	test.kit.may_leave_mail = true;
	test.kit.system.name = "middle";
	test.kit.keeps_no_events = true;
	ward_simulate_check(&test);
	printf("# %" PRIu64 " of %" PRIu64 " seeds with a lost connection, %" PRIu64
	       " by bytes; %" PRIu64 " cuts, %" PRIu64 " resets, %" PRIu64
	       " restarts of nodes, %" PRIu64 " ends of connections lost\n",
	       totals->counting, totals->runs, totals->by_bytes, totals->cuts, totals->resets,
	       totals->crashes, totals->lost);
	printf("# %" PRIu64 " messages, %" PRIu64 " notices, %" PRIu64 " exits, %" PRIu64
	       " answers, %" PRIu64 " questions without one\n",
	       totals->told, totals->notices, totals->exits, totals->answers, totals->unanswered);
	printf("# %" PRIu64 " far children started, %" PRIu64 " jobs, %" PRIu64
	       " failures, %" PRIu64 " of stand-ins whose node was unreached\n",
	       totals->starts, totals->jobs, totals->failures, totals->unreached);
	munmap(totals, sizeof *totals);
}

WARD_TEST(neighbours_of_whom_nobody_fails)
{
	simulate((ward_simulation_test){.name = "neighbours_of_whom_nobody_fails", .seeds = 20});
}

WARD_TEST(neighbours_that_are_cut_off_and_crash)
{
	simulate((ward_simulation_test){.name = "neighbours_that_are_cut_off_and_crash",
					.faults = {.reset = 3,
						   .cut = 3,
						   .cut_one_way = 3,
						   .late = 3,
						   .crash = 2,
						   .delay_ms = 1500,
						   .horizon = 1500}});
}

WARD_TEST_MAIN
