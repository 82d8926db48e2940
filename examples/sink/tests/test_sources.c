/* SPDX-License-Identifier: MIT
 *
 * test_sources.c - the memory of inputs: what is the same file, and what only looks like it.
 */
#include "../sources.h"

#include <sys/stat.h>

#include "scratch.h"

static struct why why;
static struct sources sources;

static void open_memory(void)
{
	if (!sources_open(&sources, scratch_path("memory"), &why))
		ward_test_fail(__FILE__, __LINE__, "%s", why.text);
}

static void save_and_open_again(void)
{
	ward_assert(sources_save(&sources, &why));
	sources_close(&sources);
	open_memory();
}

static void add(const char *name)
{
	if (!sources_add_file(&sources, scratch_path(name), &why))
		ward_test_fail(__FILE__, __LINE__, "%s", why.text);
}

WARD_TEST(files_are_remembered_with_name_inode_and_offset)
{
	scratch_write("a log\n%", "hello\n", 0);
	open_memory();
	add("a log\n%");
	sources.all[0].end = 6;
	sources.all[0].lines = 1;
	sources.all[0].verified = true;
	save_and_open_again();
	ward_assert_eq(sources.count, 1);
	ward_assert_str(sources.all[0].name, scratch_path("a log\n%"));
	ward_assert_eq(sources.all[0].end, 6);
	ward_assert_eq(sources.all[0].lines, 1);
	ward_assert(sources.all[0].verified);
	sources_close(&sources);
}

WARD_TEST(a_rotated_file_is_the_same_and_its_successor_is_new)
{
	scratch_write("log", "first\n", 0);
	open_memory();
	add("log");
	sources.all[0].end = 6;
	save_and_open_again();
	ward_assert_eq(rename(scratch_path("log"), scratch_path("log.1")), 0);
	scratch_write("log", "first\n", 0);
	add("log");
	add("log.1");
	ward_assert_eq(sources.count, 2);
	ward_assert_str(sources.all[0].name, scratch_path("log.1"));
	ward_assert_str(sources.all[1].name, scratch_path("log"));
	ward_assert_eq(sources.all[1].id, 2);
	ward_assert_eq(sources.all[1].end, 0);
	sources_close(&sources);
}

WARD_TEST(a_file_that_grew_is_the_same)
{
	scratch_write("log", "first\n", 0);
	open_memory();
	add("log");
	sources.all[0].end = 6;
	save_and_open_again();
	scratch_write("log", "second\n", O_APPEND);
	add("log");
	ward_assert_eq(sources.count, 1);
	ward_assert_eq(sources.all[0].limit, 13);
	sources_close(&sources);
}

WARD_TEST(a_file_that_was_rewritten_is_new)
{
	scratch_write("cut", "first\nsecond\n", 0);
	scratch_write("other", "first\n", 0);
	open_memory();
	add("cut");
	add("other");
	sources.all[0].end = 13;
	sources.all[1].end = 6;
	save_and_open_again();
	scratch_write("cut", "first\n", O_TRUNC);
	scratch_write("other", "FIRST\nand more\n", O_TRUNC);
	add("cut");
	add("other");
	ward_assert_eq(sources.count, 4);
	sources_close(&sources);
}

WARD_TEST(what_is_not_named_again_is_opened_as_far_as_it_matters)
{
	scratch_write("done", "first\n", 0);
	scratch_write("interrupted", "first\nsecond\n", 0);
	scratch_write("gone", "first\n", 0);
	open_memory();
	add("done");
	add("interrupted");
	add("gone");
	sources.all[0].end = 6;
	sources.all[0].verified = true;
	save_and_open_again();
	scratch_write("done", "later\n", O_APPEND);
	ward_assert_eq(unlink(scratch_path("gone")), 0);
	sources_reopen(&sources);
	ward_assert(sources.all[0].fd >= 0);
	ward_assert_eq(sources.all[0].limit, 6);
	ward_assert(sources.all[1].fd >= 0);
	ward_assert_eq(sources.all[1].limit, 13);
	ward_assert_eq(sources.all[2].fd, -1);
	sources_close(&sources);
}

WARD_TEST(spools_stay_until_they_are_released)
{
	open_memory();
	int index = sources_add_spool(&sources, &why);
	ward_assert_eq(index, 0);
	ward_assert(!sources.all[0].complete);
	ward_assert_eq(write(sources.all[0].fd, "line\n", 5), 5);
	save_and_open_again();
	sources_reopen(&sources);
	ward_assert(sources.all[0].fd >= 0);
	ward_assert(sources.all[0].complete);
	ward_assert_eq(sources.all[0].limit, 5);
	sources_release(&sources, &sources.all[0]); /* not verified */
	ward_assert_eq(access(scratch_path("memory/spool-1"), F_OK), 0);
	sources.all[0].verified = true;
	sources_release(&sources, &sources.all[0]);
	ward_assert_eq(access(scratch_path("memory/spool-1"), F_OK), -1);
	save_and_open_again();
	sources_reopen(&sources);
	ward_assert_eq(sources.all[0].fd, -1);
	ward_assert_eq(sources_add_spool(&sources, &why), 1);
	ward_assert_eq(sources.all[1].id, 2);
	sources_close(&sources);
}

WARD_TEST(what_cannot_be_read_is_refused_with_a_text)
{
	open_memory();
	ward_assert(!sources_add_file(&sources, scratch_path("absent"), &why));
	ward_assert_part(why.text, "absent: cannot be opened: No such file");
	ward_assert(!sources_add_file(&sources, scratch_path("memory"), &why));
	ward_assert_part(why.text, "is a directory");
	ward_assert_eq(mkfifo(scratch_path("fifo"), 0666), 0);
	ward_assert(!sources_add_file(&sources, scratch_path("fifo"), &why));
	ward_assert_part(why.text, "not a regular file");
	ward_assert_eq(sources.count, 0);
	sources_close(&sources);
}

WARD_TEST(a_second_sink_is_refused)
{
	struct sources second;
	open_memory();
	ward_assert(!sources_open(&second, scratch_path("memory"), &why));
	ward_assert_part(why.text, "another ward-sink");
	sources_close(&sources);
	ward_assert(sources_open(&second, scratch_path("memory"), &why));
	sources_close(&second);
}

WARD_TEST(a_damaged_memory_is_refused_with_its_line)
{
	static const char *const damaged[] = {
		"",
		"nonsense\n",
		"ward-sink sources 1\n1 0 5\n",
		"ward-sink sources 1\n1 0 5 6 ff 6 1 1 /a\n1 0 5 6 ff 6 1 1 /b\n",
		"ward-sink sources 1\n1 0 5 6 ff -6 1 1 /a\n",
		"ward-sink sources 1\n1 0 5 6 ff 6 1 1 /a%0\n"};
	open_memory();
	sources_close(&sources);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		scratch_write("memory/sources", damaged[i], O_TRUNC);
		ward_assert(!sources_open(&sources, scratch_path("memory"), &why));
		ward_assert_part(why.text, "is damaged");
	}
}

WARD_TEST_MAIN
