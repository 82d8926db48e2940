/* SPDX-License-Identifier: MIT
 *
 * sim.c - the simulated system of a test: its memory, its events, its steps, its end.
 *
 * single-threaded.
 */
#include "kit/sim.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system.h"

enum {
	STEPS_MAX = 1000 * 1000, /* after so many without a pause it is taken for a loop */
	END_MS = 60 * 1000       /* of virtual time, for everything to stop */
};

/* ---- memory ------------------------------------------------------------------------------ */

static void *allocate(void *arg, size_t size)
{
	struct kit *kit = arg;
	if (++kit->allocations == kit->fail_allocation || kit->fail_all_allocations)
		return NULL;
	void *block = malloc(size);
	if (block == NULL)
		ward_test_fail(__FILE__, __LINE__, "no memory: %zu bytes", size);
	/* What nobody wrote must not look like zeros. */
	memset(block, 0xa5, size);
	kit->bytes += size;
	kit->blocks++;
	return block;
}

static void release(void *arg, void *block, size_t size)
{
	struct kit *kit = arg;
	ward_assert(kit->blocks > 0);
	ward_assert(kit->bytes >= size);
	memset(block, 0x5a, size);
	kit->bytes -= size;
	kit->blocks--;
	free(block);
}

void kit_fail_allocation(struct kit *kit, uint64_t nth)
{
	kit->fail_allocation = nth != 0 ? kit->allocations + nth : 0;
}

void kit_fail_all_allocations(struct kit *kit, bool fail)
{
	kit->fail_all_allocations = fail;
}

/* ---- events ------------------------------------------------------------------------------ */

static void hear(void *arg, const ward_event *event)
{
	struct kit *kit = arg;
	if (kit->events_count == kit->events_room) {
		kit->events_room = kit->events_room != 0 ? kit->events_room * 2 : 64;
		kit->events = realloc(kit->events, kit->events_room * sizeof(*event));
		if (kit->events == NULL)
			ward_test_fail(__FILE__, __LINE__, "no memory for events");
	}
	kit->events[kit->events_count++] = *event;
	if (kit->log != NULL)
		kit->log(kit->log_arg, event);
}

static bool matches(const ward_event *event, uint32_t kinds, const char *path_glob)
{
	return (event->kind & kinds) != 0 && fnmatch(path_glob, event->path, 0) == 0;
}

size_t kit_count(const struct kit *kit, uint32_t kinds, const char *path_glob)
{
	size_t count = 0;
	for (size_t i = 0; i < kit->events_count; i++)
		count += matches(&kit->events[i], kinds, path_glob);
	return count;
}

const ward_event *kit_event(const struct kit *kit, uint32_t kinds, const char *path_glob,
			    size_t number)
{
	for (size_t i = 0; i < kit->events_count; i++) {
		if (matches(&kit->events[i], kinds, path_glob) && number-- == 0)
			return &kit->events[i];
	}
	ward_test_fail(__FILE__, __LINE__, "no such event of kinds %u about %s", kinds, path_glob);
}

void kit_forget_events(struct kit *kit)
{
	kit->events_count = 0;
}

/* ---- start and end ----------------------------------------------------------------------- */

static void last_words(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s\n", text);
}

ward_err kit_try_start(struct kit *kit, const struct kit_options *options)
{
	static const struct kit_options none;
	if (options == NULL)
		options = &none;
	kit_script_reset();
	*kit = (struct kit){
		.allocator = {allocate, release, kit},
		.fail_allocation = options->fail_allocation,
		.log = options->log,
		.log_arg = options->log_arg,
	};
	static const ward_simulation simulation;
	const ward_options of_system = {
		.simulation = &simulation,
		.name = "sim",
		.actors_max = options->actors_max,
		.user_strategy = options->user_strategy,
		.allocator = &kit->allocator,
		.log = hear,
		.log_arg = kit,
		.log_kinds = WARD_EVENT_ALL,
		.fatal = last_words,
		.seed = options->seed != 0 ? options->seed : ward_test_seed(),
		.separate_allocations = !options->pooled,
	};
	ward_err err = ward_system_create(&of_system, &kit->system);
	if (err != WARD_OK) {
		ward_assert_eq(kit->blocks, 0);
		free(kit->events);
		kit->events = NULL;
	}
	return err;
}

void kit_start(struct kit *kit, const struct kit_options *options)
{
	ward_assert_ok(kit_try_start(kit, options));
}

void kit_finish(struct kit *kit)
{
	kit_fail_allocation(kit, 0);
	kit_fail_all_allocations(kit, false);
	ward_system_terminate(kit->system);
	ward_assert_ok(ward_system_wait(kit->system, END_MS));
	ward_stats stats = kit_stats(kit);
	ward_assert_eq(stats.actors, 0);
	ward_assert_eq(stats.timers, 0);
	ward_assert_eq(stats.fds, 0);
	ward_assert_eq(stats.memory_bytes, kit->bytes);
	ward_assert_eq(stats.memory_blocks, kit->blocks);
	ward_assert_ok(ward_system_destroy(kit->system, END_MS));
	ward_assert_eq(kit->bytes, 0);
	ward_assert_eq(kit->blocks, 0);
	ward_assert_eq(kit_words_left(), 0);
	free(kit->events);
	*kit = (struct kit){0};
}

/* ---- moving ------------------------------------------------------------------------------ */

bool kit_step(struct kit *kit)
{
	return ward_simulation_step(kit->system);
}

void kit_run(struct kit *kit)
{
	for (int steps = 0; kit_step(kit); steps++) {
		if (steps == STEPS_MAX)
			ward_test_fail(__FILE__, __LINE__, "not idle after %d steps", STEPS_MAX);
	}
}

void kit_advance(struct kit *kit, int64_t ms)
{
	int64_t until_ns = ward_simulation_now_ns(kit->system) + ms * 1000 * 1000;
	do
		kit_run(kit);
	while (ward_simulation_advance(kit->system, until_ns));
}

void kit_step_until(struct kit *kit, ward_ref who, const char *state)
{
	while (strcmp(kit_state(kit, who), state) != 0) {
		if (!kit_step(kit))
			ward_test_fail(__FILE__, __LINE__, "%s is never \"%s\", it ends \"%s\"",
				       kit_name(who), state, kit_state(kit, who));
	}
}

/* ---- looking ----------------------------------------------------------------------------- */

struct look {
	ward_ref who;
	ward_actor_info *info;
	bool found;
};

static void look_at(void *arg, const ward_actor_info *info)
{
	struct look *look = arg;
	if (!ward_ref_equal(look->who, info->ref))
		return;
	*look->info = *info;
	look->found = true;
}

bool kit_info(struct kit *kit, ward_ref who, ward_actor_info *ret_info)
{
	struct look look = {who, ret_info, false};
	ward_system_actors(kit->system, look_at, &look);
	return look.found;
}

const char *kit_state(struct kit *kit, ward_ref who)
{
	ward_actor_info info;
	return kit_info(kit, who, &info) ? info.state : "gone";
}

ward_stats kit_stats(struct kit *kit)
{
	ward_stats stats;
	ward_system_stats(kit->system, &stats);
	return stats;
}

/* ---- acting from outside ----------------------------------------------------------------- */

ward_ref kit_spawn_props(struct kit *kit, const ward_props *props)
{
	ward_ref ref = ward_nobody();
	ward_assert_ok(ward_system_spawn(kit->system, props, &ref));
	ward_assert(!ward_ref_is_nobody(ref));
	return ref;
}

void kit_spawn(struct kit *kit, struct kit_script *script)
{
	script->ref = kit_spawn_props(kit, kit_script_props(script));
	kit_name_add(script->ref, script->name);
	kit_run(kit);
}

static void send(struct kit *kit, ward_ref to, struct kit_word word)
{
	ward_system_send(kit->system, to, &kit_type_word, &word, sizeof(word));
}

void kit_say(struct kit *kit, ward_ref to, const char *text)
{
	send(kit, to, kit_word(text, &(struct kit_word){0}));
}

void kit_break(struct kit *kit, ward_ref to, const ward_failure_class *failure_class)
{
	send(kit, to, kit_word("break", &(struct kit_word){.breaks = failure_class}));
}

bool kit_break_at_once(struct kit *kit, const ward_ref *siblings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		kit_break(kit, siblings[i], &ward_exception);
		if (i == 0)
			kit_step_until(kit, siblings[i], "failed");
		else if (!kit_step(kit) || strcmp(kit_state(kit, siblings[i]), "failed") != 0)
			return false;
	}
	return true;
}

void kit_do(struct kit *kit, ward_ref to, kit_call *call, void *arg)
{
	send(kit, to, kit_word("", &(struct kit_word){.call = call, .arg = arg}));
}
