/* SPDX-License-Identifier: MIT
 *
 * sim.h - a simulated system for a test: one thread, a stepped clock, an order drawn from a seed.
 *
 *	struct kit kit;
 *	kit_start(&kit, &(struct kit_options){.user_strategy = &all_for_one});
 *	kit_spawn(&kit, &a);			a scripted actor, see script.h
 *	kit_break(&kit, a.ref, &ward_exception);
 *	kit_run(&kit);
 *	CHECK_JOURNAL_OF("a", "init;pre_start;break;pre_restart;post_stop;"
 *			      "init;post_restart;pre_start");
 *	kit_finish(&kit);
 *
 * Between two calls of kit_step(), kit_run() or kit_advance() nothing moves, so a test may look at
 * any moment of a story. kit_finish() fails the case unless everything is gone: actors, timers,
 * descriptors, memory, the payload of each word that was sent.
 *
 * One kit at a time in a process; all on one thread.
 */
#ifndef KIT_SIM_H
#define KIT_SIM_H

#include <ward/testkit.h>
#include <ward/ward.h>

#include "kit/script.h"

struct kit_options {
	uint64_t seed;                      /* 0: ward_test_seed() */
	const ward_strategy *user_strategy; /* for the actors at the top */
	uint32_t actors_max;
	uint64_t fail_allocation; /* the n-th, from 1, finds no memory; 0: none does */
	bool pooled;              /* blocks from slabs, as in a program; else each by itself */
	/* Hears each event where it happens, besides the kit. */
	void (*log)(void *arg, const ward_event *event);
	void *log_arg;
};

struct kit {
	ward_system *system;
	ward_allocator allocator;
	/* what it has given out, and how often it was asked */
	uint64_t bytes;
	uint64_t blocks;
	uint64_t allocations;
	uint64_t fail_allocation;
	bool fail_all_allocations;
	/* all events so far, and who else wants them */
	void (*log)(void *arg, const ward_event *event);
	void *log_arg;
	ward_event *events;
	size_t events_count;
	size_t events_room;
};

/* Options of NULL: none. */
void kit_start(struct kit *kit, const struct kit_options *options);
/* The same for failing allocations: answers what ward_system_create() would. */
ward_err kit_try_start(struct kit *kit, const struct kit_options *options);
/* Ends the system, and checks that nothing is left of it. */
void kit_finish(struct kit *kit);
/* From now on the n-th allocation finds no memory; 0: each finds some. */
void kit_fail_allocation(struct kit *kit, uint64_t nth);
/* No allocation finds memory until this is taken back. */
void kit_fail_all_allocations(struct kit *kit, bool fail);

/* ---- moving ------------------------------------------------------------------------------ */

/* One turn of one actor, drawn by the seed. False: nobody has anything to do. */
bool kit_step(struct kit *kit);
/* Until nobody has anything to do; the clock stands still. */
void kit_run(struct kit *kit);
/* Lets that much time pass, with all that happens meanwhile. */
void kit_advance(struct kit *kit, int64_t ms);
/* Steps until the actor is in that state ("failed", "restarting", ...); fails if it never is. */
void kit_step_until(struct kit *kit, ward_ref who, const char *state);

/* ---- looking ----------------------------------------------------------------------------- */

/* "gone", or the state as ward_system_actors() tells it. */
const char *kit_state(struct kit *kit, ward_ref who);
/* False: it is gone. */
bool kit_info(struct kit *kit, ward_ref who, ward_actor_info *ret_info);
ward_stats kit_stats(struct kit *kit);
/* The number of events of these kinds about a path that matches the glob (as in a shell; "*" also
 * matches slashes). Paths begin "sim/user/". */
size_t kit_count(const struct kit *kit, uint32_t kinds, const char *path_glob);
/* The n-th of them, from 0. Fails if there is none. Borrowed until the next event. */
const ward_event *kit_event(const struct kit *kit, uint32_t kinds, const char *path_glob,
			    size_t number);
void kit_forget_events(struct kit *kit);

/* ---- acting from outside ----------------------------------------------------------------- */

/* Spawns the scripted actor at the top and lets it start; the ref is in the script. */
void kit_spawn(struct kit *kit, struct kit_script *script);
/* Spawns any actor at the top. */
ward_ref kit_spawn_props(struct kit *kit, const ward_props *props);
/* Sends a word, see script.h: one to note, one to fail by, one that makes a call. */
void kit_say(struct kit *kit, ward_ref to, const char *text);
void kit_break(struct kit *kit, ward_ref to, const ward_failure_class *failure_class);
/* Breaks siblings, one after the other. True: all have failed, and their parent has not had a turn
 * since the first did. Whether it comes to that is up to the seed. */
bool kit_break_at_once(struct kit *kit, const ward_ref *siblings, size_t count);
void kit_do(struct kit *kit, ward_ref to, kit_call *call, void *arg);

#endif
