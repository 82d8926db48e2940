/* SPDX-License-Identifier: MIT
 *
 * test_file.c - the tree of sink.conf is the tree of ward-sink.
 *
 * Goal: the same actors at the same places, those with a bounded mailbox the same; so what is said
 * of one sink holds for the other.
 * Method: both are started, on threads, with standard input that does not end. That of the file
 * runs when its start is over; the other one is awaited until it is the same.
 */
#include <ward/config.h>
#include <ward/testkit.h>

#include "../failures.h"
#include "../host.h"
#include "../options.h"
#include "../prepare.h"
#include "scratch.h"

enum { ACTORS_MAX = 32, WAIT_MS = 30000 };

extern const ward_config_module ward_module;

/* The actors below /user, in order. */
struct crowd {
	size_t count;
	char all[ACTORS_MAX][WARD_EVENT_PATH + 8];
};

static void take(void *arg, const ward_actor_info *info)
{
	struct crowd *crowd = arg;
	const char *path = strstr(info->path, "/user/");
	if (path && crowd->count < ACTORS_MAX)
		snprintf(crowd->all[crowd->count++], sizeof(crowd->all[0]), "%s%s", path,
			 info->mailbox >= 0 ? " bounded" : "");
}

static int in_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

static struct crowd crowd_of(ward_kit *kit)
{
	struct crowd crowd = {0};
	ward_system_actors(ward_kit_system(kit), take, &crowd);
	qsort(crowd.all, crowd.count, sizeof(crowd.all[0]), in_order);
	return crowd;
}

/* Standard input that has nothing yet, and a folder for what is written. */
static void set_up(void)
{
	int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ward_assert_eq(pipe(ends), 0);
	ward_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	/* The view talks. */
	ward_assert_eq(dup2(null, STDOUT_FILENO), STDOUT_FILENO);
	scratch_path("");
	ward_assert_eq(chdir(scratch_folder), 0);
}

static struct crowd crowd_of_file(void)
{
	const ward_config_module *const modules[] = {&ward_module, NULL};
	ward_kit_options options = {.real_threads = true, .may_leave_mail = true};
	ward_config *config;
	ward_assert_err(ward_config_load(SINK_CONF, modules, NULL, &config), WARD_OK);
	ward_assert_err(ward_config_options(config, &options.system), WARD_OK);
	ward_kit *kit = ward_kit_start(&options);
	ward_assert_err(ward_config_spawn(config, ward_kit_system(kit)), WARD_OK);
	struct crowd crowd = crowd_of(kit);
	ward_kit_finish(kit);
	ward_config_close(config);
	return crowd;
}

struct comparison {
	ward_kit *kit;
	struct crowd wanted, got;
};

static bool is_the_same(void *arg)
{
	struct comparison *it = arg;
	it->got = crowd_of(it->kit);
	return memcmp(&it->got, &it->wanted, sizeof(it->got)) == 0;
}

WARD_TEST(the_tree_of_the_file_is_that_of_the_program)
{
	char *files[] = {(char *)"-", NULL};
	struct options options = {.db = "db/sink.db",
				  .parsers = 4,
				  .line_max = 1000,
				  .patience_s = 60,
				  .files = files,
				  .file_count = 1};
	struct comparison it = {0};
	struct sources sources;
	struct job job = {0};
	struct sink_args args = {.job = &job};
	struct why why;

	set_up();
	it.wanted = crowd_of_file();
	ward_assert(it.wanted.count >= 12);
	ward_assert(prepare(&job, &sources, &options, &why));
	it.kit = ward_kit_start(&(ward_kit_options){.real_threads = true,
						    .may_leave_mail = true,
						    .system.user_strategy = &top_strategy});
	ward_kit_spawn(it.kit, &ledger_behavior, .name = "ledger",
		       .args = {WARD_COPY(sink_args, &args)});
	if (!ward_kit_run_until(it.kit, WAIT_MS, is_the_same, &it))
		for (size_t i = 0; i < ACTORS_MAX; i++)
			fprintf(stderr, "%-40s %s\n", it.wanted.all[i], it.got.all[i]);
	ward_assert(is_the_same(&it));
	ward_kit_finish(it.kit);
	prepare_undo(&job);
}

WARD_TEST_MAIN
