/* SPDX-License-Identifier: MIT
 *
 * test_kit.c - that the kit sees what it is there to see.
 *
 * Method: with KIT_SAMPLES set, this program registers samples that are wrong, each in its own way;
 * the cases run it again with one of them and read the TAP that it prints.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/sim.h"

/* ---- samples ----------------------------------------------------------------------------- */

static void sample_unequal(void)
{
	KIT_SEEDS(5)
	CHECK_EQ(kit_seed() % 3, kit_seed());
}

static void sample_text(void)
{
	CHECK_STR("this", "that");
}

static void sample_code(void)
{
	CHECK_OK(WARD_EINVAL);
}

static void sample_crash(void)
{
	raise(SIGKILL);
}

static void sample_hang(void)
{
	for (;;)
		pause();
}

static void sample_never_seen(void)
{
	CHECK_SEEN(0);
}

static void *keep(void *arg, size_t size)
{
	struct kit *kit = arg;
	kit->bytes += size;
	return malloc(size);
}

/* As a library would look that keeps memory: the kit's books say that some is out. */
static void sample_memory(void)
{
	struct kit kit;
	kit_start(&kit, NULL);
	free(keep(&kit, 8));
	kit_finish(&kit);
}

/* As a library would look that loses a message. */
static void sample_word(void)
{
	struct kit kit;
	kit_start(&kit, NULL);
	struct kit_word lost = kit_word("lost", &(struct kit_word){0});
	free(lost.text);
	kit_finish(&kit);
}

static void sample_fine(void)
{
	printf("a line\n");
	struct kit kit;
	kit_start(&kit, NULL);
	kit_finish(&kit);
}

static const char *const no_clauses[] = {NULL}, *const clauses[] = {"S1", "S2", NULL};
static struct kit_case samples[] = {
	{"unequal", clauses, sample_unequal, NULL},
	{"text", no_clauses, sample_text, NULL},
	{"code", no_clauses, sample_code, NULL},
	{"crash", no_clauses, sample_crash, NULL},
	{"hang", no_clauses, sample_hang, NULL},
	{"never_seen", no_clauses, sample_never_seen, NULL},
	{"memory", no_clauses, sample_memory, NULL},
	{"word", no_clauses, sample_word, NULL},
	{"fine", clauses, sample_fine, NULL},
};

__attribute__((constructor)) static void register_samples(void)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		if (getenv("KIT_SAMPLES") != NULL)
			kit_register(&samples[i]);
	}
}

/* ---- running them ------------------------------------------------------------------------ */

/* Runs this program with these arguments; gives its exit status, and what it printed. */
static int run_sample(const char *arguments, char *text, size_t max)
{
	char self[1024], command[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	CHECK(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof(command), "KIT_SAMPLES=1 KIT_TIMEOUT_S=1 '%s' %s 2>&1", self,
		 arguments);
	FILE *output = popen(command, "r");
	CHECK(output != NULL);
	text[fread(text, 1, max - 1, output)] = '\0';
	int status = pclose(output);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check_fails(const char *sample, const char *part)
{
	char text[16384], line[64];
	CHECK_EQ(run_sample(sample, text, sizeof(text)), 1);
	snprintf(line, sizeof(line), "not ok 1 - %s", sample);
	CHECK_PART(text, "1..1\n");
	CHECK_PART(text, line);
	CHECK_PART(text, part);
	CHECK_PART(text, "# replay: ");
}

WARD_TEST(failed_checks_fail_the_case_and_print_both_values)
{
	check_fails("unequal", "got 0, wanted 3");
	check_fails("text", "wanted \"that\"");
	check_fails("code", "an argument or an option is wrong");
	check_fails("never_seen", "does not hold");
}

WARD_TEST(failed_case_names_the_seed_to_replay_it_with)
{
	check_fails("unequal", "KIT_SEED=3 ");
	check_fails("unequal", "not ok 1 - unequal [S1 S2]\n");
	char text[16384];
	CHECK_EQ(run_sample("--here unequal", text, sizeof(text)), 128 + SIGABRT);
	setenv("KIT_SEED", "2", 1);
	CHECK_EQ(run_sample("unequal", text, sizeof(text)), 0);
	setenv("KIT_SEED", "7", 1);
	check_fails("unequal", "got 1, wanted 7");
}

WARD_TEST(crash_and_hang_fail_the_case_only)
{
	check_fails("crash", "signal 9");
	check_fails("hang", "not done after 1 s");
	char text[16384];
	CHECK_EQ(run_sample("crash fine", text, sizeof(text)), 1);
	CHECK_PART(text, "not ok 1 - crash\n");
	CHECK_PART(text, "\n# a line\nok 2 - fine [S1 S2]\n");
}

WARD_TEST(what_a_system_leaves_behind_fails_the_case)
{
	check_fails("memory", "memory_bytes == kit->bytes");
	check_fails("word", "kit_words_left() == 0");
}

WARD_TEST(cases_are_listed_and_chosen_by_name)
{
	char text[16384];
	CHECK_EQ(run_sample("--list", text, sizeof(text)), 0);
	CHECK_PART(text, "unequal [S1 S2]\ntext\n");
	CHECK_EQ(run_sample("fine", text, sizeof(text)), 0);
	CHECK_STR(text, "1..1\n# a line\nok 1 - fine [S1 S2]\n");
	CHECK_EQ(run_sample("nonsense", text, sizeof(text)), 2);
	CHECK_PART(text, "no case \"nonsense\"");
}
