/* SPDX-License-Identifier: MIT
 *
 * world.c - the plan of a run; see world.h.
 */
#include "world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ward/simulation.h>
#include <ward/testkit.h>

enum {
	LASTS_MS = 2500,     /* what passes, at most */
	LONG_LOCK_MS = 70000 /* at least; the sink is patient for a minute */
};

struct world world;

/* All that can strike, each with the number of calls among which it does. */
static const struct possible {
	enum spot spot;
	enum harm harm;
	uint32_t within;
} possible[] = {
	{AT_OPEN, HARM_LOCK, 3},     {AT_OPEN, HARM_LONG_LOCK, 2}, {AT_OPEN, HARM_WOUND, 4},
	{AT_OPEN, HARM_DISPLACE, 3}, {AT_OPEN, HARM_FULL, 3},      {AT_OPEN, HARM_FAIL, 3},
	{AT_CHECK, HARM_LOCK, 3},    {AT_CHECK, HARM_WOUND, 4},    {AT_CHECK, HARM_VANISH, 4},
	{AT_CHECK, HARM_FULL, 3},    {AT_CHECK, HARM_FAIL, 3},     {AT_NAME, HARM_LOCK, 6},
	{AT_NAME, HARM_WOUND, 9},    {AT_NAME, HARM_DISPLACE, 6},  {AT_NAME, HARM_FULL, 6},
	{AT_NAME, HARM_FAIL, 6},     {AT_PUT, HARM_LOCK, 90},      {AT_PUT, HARM_WOUND, 90},
	{AT_PUT, HARM_ROT, 90},      {AT_PUT, HARM_VANISH, 90},    {AT_PUT, HARM_DISPLACE, 90},
	{AT_PUT, HARM_FULL, 90},     {AT_PUT, HARM_FAIL, 90},      {AT_PUT, HARM_INTERRUPT, 90},
	{AT_PUT, HARM_SCREEN, 90},   {AT_COMMIT, HARM_LOCK, 6},    {AT_COMMIT, HARM_WOUND, 6},
	{AT_COMMIT, HARM_ROT, 6},    {AT_COMMIT, HARM_VANISH, 6},  {AT_COMMIT, HARM_DISPLACE, 6},
	{AT_COMMIT, HARM_FULL, 6},   {AT_COMMIT, HARM_FAIL, 6},    {AT_SQUEEZE, HARM_LOCK, 1},
	{AT_SQUEEZE, HARM_WOUND, 1}, {AT_RELAX, HARM_LOCK, 2},     {AT_RELAX, HARM_FAIL, 2},
	{AT_ASIDE, HARM_FAIL, 1},    {AT_INPUT, HARM_FAIL, 8},     {AT_SPOOL, HARM_FULL, 3},
	{AT_STDIN, HARM_FAIL, 2},    {AT_CHAOS, HARM_FAIL, 2},     {AT_LINE, HARM_LOSE, 60},
	{AT_STORED, HARM_LOSE, 4},

};
enum { POSSIBLE = sizeof(possible) / sizeof(possible[0]) };

static const char *const spots[] = {
	[AT_OPEN] = "open",   [AT_CHECK] = "check",     [AT_NAME] = "name_source",
	[AT_PUT] = "put",     [AT_COMMIT] = "commit",   [AT_SQUEEZE] = "squeeze",
	[AT_RELAX] = "relax", [AT_ASIDE] = "set_aside", [AT_INPUT] = "input",
	[AT_SPOOL] = "spool", [AT_STDIN] = "stdin",     [AT_CHAOS] = "saboteur",
	[AT_LINE] = "line",   [AT_STORED] = "stored",
};
_Static_assert(sizeof(spots) / sizeof(spots[0]) == SPOTS, "a text for each place");

static const char *const harms[] = {
	[HARM_NONE] = "nothing",
	[HARM_LOCK] = "lock",
	[HARM_LONG_LOCK] = "long lock",
	[HARM_WOUND] = "wound",
	[HARM_ROT] = "rot",
	[HARM_VANISH] = "vanish",
	[HARM_DISPLACE] = "displace",
	[HARM_FULL] = "full",
	[HARM_FAIL] = "fail",
	[HARM_LOSE] = "lose",
	[HARM_INTERRUPT] = "interrupt",
	[HARM_SCREEN] = "screen",
};
_Static_assert(sizeof(harms) / sizeof(harms[0]) == HARMS, "a text for each harm");

void world_begin(ward_system *system, uint64_t seed, struct tally *tally)
{
	world = (struct world){.system = system, .tally = tally, .dice = {seed}, .calm = true};
}

void world_plan(void)
{
	memset(world.calls, 0, sizeof(world.calls));
	memset(world.struck, 0, sizeof(world.struck));
	world.count = (uint32_t)dice_roll(&world.dice, STRIKES_MAX + 1);
	for (uint32_t i = 0; i < world.count; i++) {
		const struct possible *drawn = &possible[dice_roll(&world.dice, POSSIBLE)];
		struct hit *hit = &world.strikes[i];
		hit->spot = drawn->spot;
		hit->harm = drawn->harm;
		hit->nth = 1 + (uint32_t)dice_roll(&world.dice, drawn->within);
		hit->ms = (int64_t)dice_roll(&world.dice, LASTS_MS);
		if (hit->harm == HARM_LONG_LOCK)
			hit->ms += LONG_LOCK_MS;
	}
}

int64_t world_now(void)
{
	return ward_simulation_now_ns(world.system) / 1000000;
}

bool world_spool_is_full(void)
{
	return !world.calm && world_now() < world.spool_full_until;
}

bool world_has_struck(enum spot spot)
{
	return world.struck[spot] > 0;
}

/* What comes from elsewhere at the moment of a call. True: it did, and the call itself is well. */
static bool befall(enum harm harm)
{
	if (harm == HARM_INTERRUPT) {
		ward_assert_eq(kill(getpid(), SIGINT), 0);
	} else if (harm == HARM_SCREEN) {
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		ward_assert(fd >= 0);
		ward_assert_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
		close(fd);
	} else {
		return false;
	}
	return true;
}

/* In a run that is replayed one wants to know. */
static void tell(const struct hit *hit)
{
	if (getenv("WARD_REPLAY"))
		fprintf(stderr, "world, at %lld ms: %s, call %u: %s, %lld ms\n",
			(long long)world_now(), spots[hit->spot], hit->nth, harms[hit->harm],
			(long long)hit->ms);
}

const struct hit *world_strike(enum spot spot)
{
	if (world.calm)
		return NULL;
	uint32_t nth = ++world.calls[spot];
	for (uint32_t i = 0; i < world.count; i++) {
		const struct hit *hit = &world.strikes[i];
		if (hit->spot != spot || hit->nth != nth)
			continue;
		/* Of two that meet the same call one is enough. */
		world.struck[spot]++;
		world.tally->strikes[spot][hit->harm]++;
		tell(hit);
		return befall(hit->harm) ? NULL : hit;
	}
	return NULL;
}

bool world_possible(uint32_t index, enum spot *ret_spot, enum harm *ret_harm)
{
	if (index >= POSSIBLE)
		return false;
	*ret_spot = possible[index].spot;
	*ret_harm = possible[index].harm;
	return true;
}

const char *world_place_text(enum spot spot)
{
	return spots[spot];
}

const char *world_harm_text(enum harm harm)
{
	return harms[harm];
}
