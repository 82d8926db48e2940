/* SPDX-License-Identifier: MIT
 *
 * test_store.c - the database: idempotent, and never trusted after damage.
 *
 * Goal: each fault that the sink survives has its own result, and no changed byte goes unnoticed.
 * Method: real files; a second connection for the lock, overwritten bytes for the damage.
 */
#include "../store.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "../digest.h"
#include "scratch.h"

static struct why why;

#define CHECK_STORE(call, wanted)                                                                  \
	do {                                                                                       \
		why.text[0] = '\0';                                                                \
		enum store_result got_ = (call);                                                   \
		if (got_ != (wanted))                                                              \
			fprintf(stderr, "%s\n", why.text);                                         \
		ward_assert_eq(got_, (wanted));                                                    \
	} while (0)

static struct store *open_store(void)
{
	struct store *store;
	CHECK_STORE(store_open(scratch_path("sink.db"), &store, &why), STORE_OK);
	return store;
}

static struct store_row line_row(uint32_t source, int64_t offset, const char *text)
{
	return (struct store_row){
		.table = STORE_LINES,
		.source = source,
		.offset = offset,
		.span = (int64_t)strlen(text) + 1,
		.ended = true,
		.digest = digest_bytes(DIGEST_START, text, strlen(text)),
		.fields = {{"text", 4}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {text, strlen(text)}},
	};
}

static void put(struct store *store, struct store_row row)
{
	CHECK_STORE(store_put(store, &row, &why), STORE_OK);
}

/* Puts `count` lines one behind the other. */
static void fill(struct store *store, uint32_t source, int count)
{
	int64_t offset = 0;
	for (int i = 0; i < count; i++) {
		char text[64];
		snprintf(text, sizeof(text), "line number %d of many", i);
		put(store, line_row(source, offset, text));
		offset += (int64_t)strlen(text) + 1;
	}
	CHECK_STORE(store_commit(store, &why), STORE_OK);
}

struct marks {
	struct store_mark all[8];
	size_t count;
};

static void note_mark(void *arg, const struct store_mark *mark)
{
	struct marks *marks = arg;
	marks->all[marks->count++] = *mark;
}

static struct marks check(struct store *store)
{
	struct marks marks = {.count = 0};
	CHECK_STORE(store_check(store, note_mark, &marks, &why), STORE_OK);
	return marks;
}

WARD_TEST(storing_twice_leaves_one_row)
{
	struct store *store = open_store();
	struct store_walk *walk;
	struct store_row row;

	put(store, line_row(1, 0, "one"));
	put(store, line_row(1, 0, "one"));
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	put(store, line_row(1, 0, "one"));
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	CHECK_STORE(store_walk_begin(store, 1, &walk, &why), STORE_OK);
	CHECK_STORE(store_walk_next(walk, &row, &why), STORE_OK);
	ward_assert_eq(row.fields[LINES_LINE].length, 3);
	ward_assert(memcmp(row.fields[LINES_LINE].bytes, "one", 3) == 0);
	CHECK_STORE(store_walk_next(walk, &row, &why), STORE_END);
	store_walk_end(walk);
	store_close(store);
}

WARD_TEST(a_line_that_grew_replaces_its_beginning_in_either_table)
{
	struct store *store = open_store();
	struct store_walk *walk;
	struct store_row row = line_row(1, 0, "2025-06-24 14");

	row.ended = false;
	row.span--;
	put(store, row);
	struct store_row bad = line_row(1, 0, "2025-06-24 14:99");
	bad.table = STORE_QUARANTINE;
	bad.fields[QUARANTINE_REASON] = (struct store_field){"no such time", 12};
	bad.fields[QUARANTINE_LINE] = (struct store_field){"2025-06-24 14:99", 16};
	put(store, bad);
	put(store, row); /* a late repetition of the short one must not bring it back */
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	CHECK_STORE(store_walk_begin(store, 0, &walk, &why), STORE_OK);
	CHECK_STORE(store_walk_next(walk, &row, &why), STORE_OK);
	ward_assert_eq(row.table, STORE_QUARANTINE);
	CHECK_STORE(store_walk_next(walk, &row, &why), STORE_END);
	store_walk_end(walk);
	store_close(store);
}

WARD_TEST(a_place_is_never_in_both_tables)
{
	struct store *store = open_store();
	struct store_walk *walk;
	struct store_row row = line_row(1, 0, "poison?"), found;

	put(store, row);
	row.table = STORE_QUARANTINE;
	row.fields[QUARANTINE_LINE] = row.fields[LINES_LINE];
	put(store, row);
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	CHECK_STORE(store_walk_begin(store, 0, &walk, &why), STORE_OK);
	CHECK_STORE(store_walk_next(walk, &found, &why), STORE_OK);
	ward_assert_eq(found.table, STORE_LINES);
	CHECK_STORE(store_walk_next(walk, &found, &why), STORE_END);
	store_walk_end(walk);
	store_close(store);
}

WARD_TEST(marks_end_at_the_first_gap)
{
	struct store *store = open_store();
	put(store, line_row(1, 0, "one"));
	put(store, line_row(1, 8, "three"));
	struct store_row tail = line_row(2, 0, "tail");
	tail.ended = false;
	tail.span--;
	put(store, tail);
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	struct marks marks = check(store);
	ward_assert_eq(marks.count, 2);
	ward_assert_eq(marks.all[0].source, 1);
	ward_assert_eq(marks.all[0].end, 4);
	ward_assert_eq(marks.all[0].tail, -1);
	ward_assert_eq(marks.all[1].end, 4);
	ward_assert_eq(marks.all[1].tail, 0);
	put(store, line_row(1, 4, "two"));
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	marks = check(store);
	ward_assert_eq(marks.all[0].end, 14);
	store_close(store);
}

WARD_TEST(a_lock_held_elsewhere_is_told_and_passes)
{
	struct store *store = open_store();
	sqlite3 *other;
	ward_assert_eq(sqlite3_open(scratch_path("sink.db"), &other), SQLITE_OK);
	ward_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	struct store_row row = line_row(1, 0, "one");
	CHECK_STORE(store_put(store, &row, &why), STORE_LOCKED);
	store_close(store);
	CHECK_STORE(store_open(scratch_path("sink.db"), &store, &why), STORE_LOCKED);
	CHECK_STORE(store_open_to_read(scratch_path("sink.db"), &store, &why), STORE_OK);
	ward_assert_eq(check(store).count, 0);
	store_close(store);
	ward_assert_eq(sqlite3_close(other), SQLITE_OK);
	store = open_store();
	put(store, row);
	store_close(store);
}

WARD_TEST(no_room_is_told_and_room_helps)
{
	struct store *store = open_store();
	enum store_result result = STORE_OK;
	fill(store, 1, 10);
	CHECK_STORE(store_squeeze(store, &why), STORE_OK);
	for (int i = 0; i < 10000 && result == STORE_OK; i++) {
		struct store_row row = line_row(2, i * 100, "a line that finds no room any more");
		row.span = 100;
		result = store_put(store, &row, &why);
	}
	ward_assert_eq(result, STORE_FULL);
	store_rollback(store);
	CHECK_STORE(store_relax(store, &why), STORE_OK);
	fill(store, 2, 1000);
	struct marks marks = check(store);
	ward_assert_eq(marks.count, 2);
	store_close(store);
}

WARD_TEST(a_folder_that_is_gone_is_told_at_the_commit_and_at_the_open)
{
	struct store *store, *again;
	const char *path;
	ward_assert_eq(mkdir(scratch_path("db"), 0777), 0);
	path = scratch_path("db/sink.db");
	CHECK_STORE(store_open(path, &store, &why), STORE_OK);
	fill(store, 1, 100);
	ward_assert_eq(rename(scratch_path("db"), scratch_path("away")), 0);
	scratch_write("db", "a file", O_TRUNC);
	put(store, line_row(2, 0, "lost?"));
	CHECK_STORE(store_commit(store, &why), STORE_DISPLACED);
	store_close(store);
	CHECK_STORE(store_open(path, &again, &why), STORE_DISPLACED);
	ward_assert_eq(unlink(scratch_path("db")), 0);
	ward_assert_eq(rename(scratch_path("away"), scratch_path("db")), 0);
	CHECK_STORE(store_open(path, &store, &why), STORE_OK);
	struct marks marks = check(store);
	ward_assert_eq(marks.count, 2);
	store_close(store);
}

/* Overwrites the byte at a place of the main file. */
static void flip(off_t at)
{
	unsigned char byte;
	int fd = open(scratch_path("sink.db"), O_RDWR);
	ward_assert(fd >= 0);
	ward_assert_eq(pread(fd, &byte, 1, at), 1);
	byte ^= 0x55;
	ward_assert_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

/* Any single byte of a row, wherever it stands in a page, SQLite's trees or our text. */
WARD_TEST(a_changed_byte_in_use_is_found)
{
	struct store *store = open_store();
	struct stat status;
	fill(store, 1, 2000);
	struct marks before = check(store);
	store_close(store);
	ward_assert_eq(stat(scratch_path("sink.db"), &status), 0);
	int found = 0, tried = 0;
	for (off_t at = 4096; at < status.st_size; at += 397) {
		struct marks marks = {.count = 0};
		flip(at);
		enum store_result result = store_open(scratch_path("sink.db"), &store, &why);
		if (result == STORE_OK) {
			result = store_check(store, note_mark, &marks, &why);
			store_close(store);
		}
		tried++;
		if (result == STORE_DAMAGED)
			found++;
		else /* a byte that nobody uses: then what is there is all there */
			ward_assert(result == STORE_OK && marks.all[0].end == before.all[0].end);
		flip(at);
	}
	fprintf(stderr, "%d of %d bytes were in use\n", found, tried);
	ward_assert(found > tried / 2);
	store = open_store();
	ward_assert_eq(check(store).all[0].end, before.all[0].end);
	store_close(store);
}

WARD_TEST(a_damaged_database_is_set_aside_and_kept)
{
	struct store *store = open_store();
	fill(store, 1, 100);
	store_close(store);
	flip(3);
	CHECK_STORE(store_open(scratch_path("sink.db"), &store, &why), STORE_DAMAGED);
	ward_assert(store_set_aside(scratch_path("sink.db"), &why));
	ward_assert_part(why.text, "sink.db.damaged-1");
	ward_assert_eq(access(scratch_path("sink.db.damaged-1"), F_OK), 0);
	store = open_store();
	ward_assert_eq(check(store).count, 0);
	fill(store, 1, 10);
	store_close(store);
	flip(3);
	ward_assert(store_set_aside(scratch_path("sink.db"), &why));
	ward_assert_part(why.text, "sink.db.damaged-2");
}

WARD_TEST(files_of_others_are_refused)
{
	sqlite3 *other;
	ward_assert(store_is_ours(scratch_path("absent.db"), &why));
	scratch_write("letter", "Dear Sir or Madam, this is not a database\n", O_TRUNC);
	ward_assert(!store_is_ours(scratch_path("letter"), &why));
	ward_assert_part(why.text, "not a database of ward-sink");
	ward_assert_eq(mkdir(scratch_path("folder"), 0777), 0);
	ward_assert(!store_is_ours(scratch_path("folder"), &why));
	ward_assert_part(why.text, "not a regular file");
	ward_assert_eq(sqlite3_open(scratch_path("other.db"), &other), SQLITE_OK);
	ward_assert_eq(sqlite3_exec(other, "CREATE TABLE lines (x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	ward_assert(!store_is_ours(scratch_path("other.db"), &why));
	store_close(open_store());
	ward_assert(store_is_ours(scratch_path("sink.db"), &why));
}

WARD_TEST(broken_text_is_stored_as_it_is)
{
	static const char junk[] = "\xff\xfe\0\x80 junk";
	struct store *store = open_store();
	struct store_walk *walk;
	struct store_row row = line_row(1, 0, "");
	row.fields[LINES_LINE] = (struct store_field){junk, sizeof(junk) - 1};
	put(store, row);
	CHECK_STORE(store_commit(store, &why), STORE_OK);
	CHECK_STORE(store_walk_begin(store, 0, &walk, &why), STORE_OK);
	CHECK_STORE(store_walk_next(walk, &row, &why), STORE_OK);
	ward_assert_eq(row.fields[LINES_LINE].length, sizeof(junk) - 1);
	ward_assert(memcmp(row.fields[LINES_LINE].bytes, junk, sizeof(junk) - 1) == 0);
	store_walk_end(walk);
	store_close(store);
}

WARD_TEST_MAIN
