/* SPDX-License-Identifier: MIT
 *
 * kit.c - starts a system for a test, and ends it with nothing left.
 *
 *	finish: run until idle, look for unread mail
 *	        terminate, wait for the end
 *	        free what was registered on the kit: probes, ...
 *	        compare the counters with what the allocator gave out
 *	        destroy; now all memory must be back, and all descriptors
 *	        free the kit, and only then fail the test for the first complaint
 */
#include "testkit/kit/kit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/testkit/runner.h>

#include "testkit/check/shortage.h"
#include "testkit/check/text.h"
#include "testkit/kit/far.h"
#include "testkit/kit/living_kits.h"
#include "testkit/kit/move.h"

/* A little less than the runner's limit for a case, so that the kit reports first. */
enum { PATIENCE_MS = 50 * 1000 };

struct wardi_kit_excuse {
	struct wardi_kit_excuse *next;
	ward_ref who;
};

struct wardi_kit_end {
	struct wardi_kit_end *next;
	void (*fn)(void *arg);
	void *arg;
};

__attribute__((noreturn)) static void fail(const ward_kit *kit, struct wardi_location place,
					   const char *text)
{
	fflush(stderr);
	ward_kit_print_tree(kit, STDERR_FILENO);
	ward_test_fail(place.file, place.line, "%s", text);
}

void wardi_kit_fail(const ward_kit *kit, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fail(kit, kit->place, text);
}

void wardi_kit_fail_at(const ward_kit *kit, struct wardi_location place, const char *format, ...)
{
	char text[WARDI_REPORT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fail(kit, place, text);
}

void wardi_kit_complain(ward_kit *kit, const char *format, ...)
{
	va_list args;

	if (kit->complaint[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(kit->complaint, sizeof kit->complaint, format, args);
	va_end(args);
}

void wardi_kit_at_end(ward_kit *kit, void (*fn)(void *arg), void *arg)
{
	struct wardi_kit_end *end = malloc(sizeof *end);

	ward_assert(end != NULL);
	*end = (struct wardi_kit_end){kit->ends, fn, arg};
	kit->ends = end;
}

void wardi_kit_excuse(ward_kit *kit, ward_ref who)
{
	struct wardi_kit_excuse *excuse = malloc(sizeof *excuse);

	ward_assert(excuse != NULL);
	*excuse = (struct wardi_kit_excuse){kit->excuses, who};
	kit->excuses = excuse;
}

void ward_kit_on_cut(ward_kit *kit, void (*fn)(void *arg), void *arg)
{
	kit->on_cut = fn;
	kit->on_cut_arg = arg;
}

/* ---- the start --------------------------------------------------------------------------- */

static void last_words(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s\n", text);
	fflush(stderr);
}

static void check_options(const ward_kit_options *options, struct wardi_location place)
{
	if (options->real_threads && options->simulation != NULL)
		ward_test_fail(place.file, place.line,
			       "a kit is simulated or on threads: real_threads and simulation "
			       "are both set");
	for (size_t i = 0; i < sizeof options->reserved / sizeof options->reserved[0]; i++) {
		if (options->reserved[i] != 0)
			ward_test_fail(place.file, place.line,
				       "a reserved word of the kit's options is not zero");
	}
}

static ward_kit *make_kit(const ward_kit_options *options)
{
	ward_kit *kit = calloc(1, sizeof *kit);

	ward_assert(kit != NULL);
	kit->real_threads = options->real_threads;
	kit->may_leave_mail = options->may_leave_mail;
	kit->patience_ms = options->patience_ms > 0 ? options->patience_ms : PATIENCE_MS;
	kit->seed = options->seed != 0 ? options->seed : ward_test_seed();
	wardi_kit_memory_init(&kit->memory, options->fail_allocation);
	kit->memory.simulated = !options->real_threads;
	wardi_kit_events_init(&kit->events, !options->keeps_no_events, options->log,
			      options->log_arg);
	return kit;
}

/* Frees the kit, then fails the test if there is a complaint: last, since the failure may jump. */
static void free_kit(ward_kit *kit)
{
	char complaint[sizeof kit->complaint];
	const struct wardi_location place = kit->place;

	memcpy(complaint, kit->complaint, sizeof complaint);
	wardi_kit_events_finish(&kit->events);
	for (struct wardi_kit_excuse *excuse; (excuse = kit->excuses) != NULL; free(excuse))
		kit->excuses = excuse->next;
	free(kit);
	if (complaint[0] != '\0')
		ward_test_fail(place.file, place.line, "%s", complaint);
}

/* Returns the options of the system: the test's, and those that the kit needs. */
static ward_options system_options(ward_kit *kit, const ward_kit_options *options)
{
	static const ward_simulation plain;
	ward_options system = options->system;

	if (system.name == NULL)
		system.name = "sim";
	if (options->real_threads)
		system.simulation = NULL;
	else
		system.simulation = options->simulation != NULL ? options->simulation : &plain;
	system.allocator = &kit->memory.allocator;
	system.log = options->keeps_no_events && options->log == NULL ? NULL : wardi_kit_hear;
	system.log_arg = &kit->events;
	if (system.log != NULL && wardi_kit_far.wanted(options)) {
		system.log = wardi_kit_far.hear;
		system.log_arg = kit;
	}
	if (wardi_kit_far.wanted(options) && system.actors_max != 0)
		system.actors_max += WARDI_KIT_FAR_ACTORS;
	if (wardi_kit_far.wanted(options) && options->simulation == NULL)
		system.simulation = wardi_kit_far.turns(kit);
	/* Tests count dead letters: log each of them, unless the test sets a limit. */
	if (system.dead_letters_logged == 0) {
		system.dead_letters_logged = WARD_DEAD_LETTERS_ALL;
		system.dead_letters_at_shutdown = true;
	}
	system.log_kinds = options->event_kinds != 0 ? options->event_kinds : WARD_EVENT_ALL;
	system.fatal = last_words;
	system.fatal_arg = NULL;
	system.seed = kit->seed;
	system.separate_allocations = !options->pooled;
	return system;
}

static void check_memory_is_back(ward_kit *kit)
{
	uint64_t blocks = ward_kit_blocks(kit);

	if (blocks > 0)
		wardi_kit_complain(kit, "%" PRIu64 " blocks of memory are left, %" PRIu64 " bytes",
				   blocks, ward_kit_bytes(kit));
}

ward_err ward_kit_try_start_at(const ward_kit_options *options, ward_kit **ret_kit,
			       const char *file, int line)
{
	static const ward_kit_options defaults;

	if (options == NULL)
		options = &defaults;
	check_options(options, (struct wardi_location){file, line});
	ward_kit *kit = make_kit(options);
	wardi_kit_at(kit, file, line);
	kit->started = kit->place;
	const ward_options system = system_options(kit, options);
	wardi_kit_enter(kit);
	ward_err err = ward_system_create(&system, &kit->system);
	if (err != WARD_OK) {
		wardi_shortage_told(err == WARD_ENOMEM);
		check_memory_is_back(kit);
		wardi_kit_leave(kit);
		if (kit->far != NULL)
			wardi_kit_far.forget(kit);
		free_kit(kit);
		return err;
	}
	wardi_kit_show(kit);
	wardi_kit_far.start(kit, options);
	*ret_kit = kit;
	return WARD_OK;
}

ward_kit *ward_kit_start_at(const ward_kit_options *options, const char *file, int line)
{
	ward_kit *kit = NULL;
	ward_err err = ward_kit_try_start_at(options, &kit, file, line);

	if (err != WARD_OK)
		ward_test_fail(file, line, "the start was refused: %s: %s", wardi_code_name(err),
			       ward_err_detail());
	return kit;
}

ward_ref wardi_kit_spawn(ward_kit *kit, const ward_props *props)
{
	ward_ref ref = ward_nobody();
	ward_err err = ward_system_spawn(kit->system, props, &ref);

	if (err != WARD_OK)
		ward_test_fail(kit->place.file, kit->place.line, "a spawn was refused: %s: %s",
			       wardi_code_name(err), ward_err_detail());
	return ref;
}

ward_ref ward_kit_spawn_at(ward_kit *kit, const ward_props *props, const char *file, int line)
{
	wardi_kit_at(kit, file, line);
	return wardi_kit_spawn(kit, props);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* A list of actors for a message, cut when it is full. */
struct list {
	size_t count;
	char text[512];
};

static void add_to_list(struct list *list, const ward_actor_info *info)
{
	size_t length = strlen(list->text);

	snprintf(list->text + length, sizeof list->text - length, "%s%s (%s)",
		 list->count > 0 ? ", " : "", info->path, info->state);
	list->count++;
}

static void list_mail(void *arg, const ward_actor_info *info)
{
	if (info->has_mail)
		add_to_list(arg, info);
}

static void list_all(void *arg, const ward_actor_info *info)
{
	add_to_list(arg, info);
}

static void check_mail(ward_kit *kit)
{
	struct list list = {0};

	ward_system_actors(kit->system, list_mail, &list);
	if (list.count == 0)
		return;
	ward_kit_print_tree(kit, STDERR_FILENO);
	wardi_kit_complain(kit, "%zu actor%s mail unread: %s; if that is meant, set may_leave_mail",
			   list.count, list.count == 1 ? " leaves" : "s leave", list.text);
}

/* The actors left suspended, and why. All actors below a failed one are suspended, so the failed
 * ones are named. */
struct left {
	const ward_kit *kit;
	struct list failed, suspended;
	bool excused; /* an actor has failed, and the test knows */
};

static bool is_excused(const ward_kit *kit, ward_ref who)
{
	const struct wardi_kit_excuse *excuse = kit->excuses;

	while (excuse != NULL && !ward_ref_equal(excuse->who, who))
		excuse = excuse->next;
	return excuse != NULL;
}

static void add_left(struct list *list, const ward_actor_info *info, const char *why)
{
	size_t length = strlen(list->text);

	snprintf(list->text + length, sizeof list->text - length, "%s%s is left suspended (%s: %s)",
		 list->count++ > 0 ? ", " : "", info->path, info->state, why);
}

static void list_left(void *arg, const ward_actor_info *info)
{
	struct left *left = arg;

	if (strstr(info->state, "failed") != NULL) {
		if (is_excused(left->kit, info->ref))
			left->excused = true;
		else
			add_left(&left->failed, info, "waits for its parent's decision");
	} else if (info->suspended > 0 && strncmp(info->state, "stop", 4) != 0) {
		add_left(&left->suspended, info, "nobody has failed above it");
	}
}

/* Complains last: a probe may have a more exact complaint. */
static void check_left(ward_kit *kit, const struct left *left)
{
	const struct list *list = &left->failed;

	if (list->count == 0 && !left->excused)
		list = &left->suspended;
	if (list->count > 0 && !kit->told)
		wardi_kit_complain(kit, "%s; if that is meant, set may_leave_mail", list->text);
}

static void wait_for_end(const ward_kit *kit)
{
	struct list list = {0};

	ward_system_shutdown(kit->system, NULL);
	ward_err err = ward_system_wait(kit->system, kit->patience_ms);
	if (err == WARD_OK)
		return;
	ward_system_actors(kit->system, list_all, &list);
	wardi_kit_fail(kit, "the system does not end (%s): %zu actor%s left: %s",
		       ward_err_text(err), list.count, list.count == 1 ? " is" : "s are",
		       list.text);
}

static void run_ends(ward_kit *kit)
{
	while (kit->ends != NULL) {
		struct wardi_kit_end *end = kit->ends;
		kit->ends = end->next;
		end->fn(end->arg);
		free(end);
	}
}

/* On threads a worker may still be freeing the last actor. */
static bool is_even(void *arg)
{
	ward_kit *kit = arg;
	ward_stats stats = ward_kit_stats(kit);

	return stats.actors == 0 && stats.timers == 0 && stats.fds == 0 && stats.payloads == 0 &&
	       stats.memory_bytes == ward_kit_bytes(kit) &&
	       stats.memory_blocks == ward_kit_blocks(kit);
}

static void check_stats(ward_kit *kit)
{
	if (kit->real_threads ? wardi_kit_run_until(kit, kit->patience_ms, is_even, kit)
			      : is_even(kit))
		return;
	ward_stats stats = ward_kit_stats(kit);
	wardi_kit_complain(
		kit,
		"when the system has ended, there are %" PRIu64 " actors, %" PRIu64
		" timers, %" PRIu64 " descriptors, %" PRIu64
		" payloads that were not dropped; its memory is %" PRIu64 " bytes in %" PRIu64
		" blocks, the allocator has given out %" PRIu64 " in %" PRIu64,
		stats.actors, stats.timers, stats.fds, stats.payloads, stats.memory_bytes,
		stats.memory_blocks, ward_kit_bytes(kit), ward_kit_blocks(kit));
}

static void note_shortages(ward_kit *kit)
{
	ward_stats stats = ward_kit_stats(kit);

	wardi_shortage_told(stats.shortages + stats.events_lost);
}

void ward_kit_finish_at(ward_kit *kit, const char *file, int line)
{
	struct left left = {.kit = kit};
	bool excused;

	wardi_kit_at(kit, file, line);
	if (kit->node != NULL)
		ward_test_fail(file, line,
			       "the system of this kit is still the node %s of a loop: call "
			       "ward_loop_finish() before ward_kit_finish()",
			       kit->node);
	ward_kit_fail_allocation(kit, 0);
	ward_kit_fail_all_allocations(kit, false);
	if (!kit->may_leave_mail) {
		wardi_kit_settle(kit);
		check_mail(kit);
		ward_system_actors(kit->system, list_left, &left);
	}
	wait_for_end(kit);
	run_ends(kit);
	check_left(kit, &left);
	if (kit->far != NULL)
		wardi_kit_far.finish(kit);
	excused = kit->complaint[0] != '\0';
	check_stats(kit);
	note_shortages(kit);
	wardi_kit_hide(kit);
	ward_err err = ward_system_destroy(kit->system, kit->patience_ms);
	if (err != WARD_OK)
		ward_test_fail(file, line, "the system cannot be destroyed: %s: %s",
			       wardi_code_name(err), ward_err_detail());
	check_memory_is_back(kit);
	wardi_kit_leave(kit);
	if (kit->far != NULL)
		wardi_kit_far.forget(kit);
	/* Leftovers may be a consequence of a shortage; a leak never is. */
	if (!excused && kit->complaint[0] != '\0')
		wardi_shortage_excuses_nothing();
	free_kit(kit);
}
