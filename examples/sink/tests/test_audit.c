/* SPDX-License-Identifier: MIT
 *
 * test_audit.c - the last word: what is lost, doubled or changed is counted as just that.
 */
#include "../audit.h"

#include "../digest.h"
#include "../store_inside.h"
#include "scratch.h"

static const char text[] = "one\ntwo\nthree\nfour";
static const int64_t starts[] = {0, 4, 8, 14};
static struct why why;
static struct sources sources;

static struct store_row row_at(size_t i)
{
	int64_t end = i == 3 ? (int64_t)strlen(text) : starts[i + 1];
	size_t length = (size_t)(end - starts[i]) - (i != 3);
	return (struct store_row){
		.table = STORE_LINES,
		.source = 1,
		.offset = starts[i],
		.span = end - starts[i],
		.ended = i != 3,
		.digest = digest_bytes(DIGEST_START, text + starts[i], length),
		.fields[LINES_LINE] = {text + starts[i], length},
	};
}

static void put(const struct store_row *row)
{
	struct store *store;
	ward_assert_eq(store_open(scratch_path("sink.db"), &store, &why), STORE_OK);
	ward_assert_eq(store_put(store, row, &why), STORE_OK);
	ward_assert_eq(store_commit(store, &why), STORE_OK);
	store_close(store);
}

static void put_all_but(size_t missing)
{
	for (size_t i = 0; i < 4; i++) {
		struct store_row row = row_at(i);
		if (i != missing)
			put(&row);
	}
}

static void prepare(void)
{
	scratch_write("log", text, 0);
	ward_assert(sources_open(&sources, scratch_path("memory"), &why));
	ward_assert(sources_add_file(&sources, scratch_path("log"), &why));
	sources.all[0].end = sources.all[0].acked = sources.all[0].limit;
}

static void check_audit(int64_t read, int64_t stored, int64_t quarantined, int64_t lost,
			int64_t duplicated)
{
	struct audit audit;
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 1000, &audit, &why), STORE_OK);
	ward_assert_eq(audit.read, read);
	ward_assert_eq(audit.stored, stored);
	ward_assert_eq(audit.quarantined, quarantined);
	ward_assert_eq(audit.lost, lost);
	ward_assert_eq(audit.duplicated, duplicated);
	ward_assert_eq(sources.all[0].verified, lost == 0 && duplicated == 0);
}

WARD_TEST(a_whole_database_is_clean_with_and_without_the_input)
{
	prepare();
	put_all_but(4);
	check_audit(4, 4, 0, 0, 0);
	ward_assert_eq(sources.all[0].lines, 4);
	close(sources.all[0].fd);
	sources.all[0].fd = -1;
	check_audit(4, 4, 0, 0, 0);
	sources_close(&sources);
}

WARD_TEST(each_missing_line_is_lost)
{
	prepare();
	put_all_but(1);
	check_audit(4, 3, 0, 1, 0);
	close(sources.all[0].fd);
	sources.all[0].fd = -1;
	check_audit(4, 3, 0, 1, 0);
	sources_close(&sources);
}

WARD_TEST(a_missing_end_is_lost_when_the_input_is_gone_and_was_never_counted)
{
	prepare();
	put_all_but(3);
	close(sources.all[0].fd);
	sources.all[0].fd = -1;
	check_audit(4, 3, 0, 1, 0);
	sources_close(&sources);
}

/* The store itself refuses to do this, so the second row is made behind its back. */
WARD_TEST(a_line_in_both_tables_is_duplicated)
{
	prepare();
	put_all_but(4);
	sqlite3 *db;
	struct store_row row = row_at(1);
	row.table = STORE_QUARANTINE;
	row.fields[QUARANTINE_REASON] = (struct store_field){"", 0};
	row.fields[QUARANTINE_LINE] = row.fields[LINES_LINE];
	char *sql =
		sqlite3_mprintf("INSERT INTO quarantine VALUES (1,%lld,%lld,1,%lld,%lld,'','%s')",
				row.offset, row.span, row.digest, store_sum(&row), "two");
	ward_assert_eq(sqlite3_open(scratch_path("sink.db"), &db), SQLITE_OK);
	ward_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(sql);
	sqlite3_close(db);
	check_audit(4, 4, 0, 0, 1);
	sources_close(&sources);
}

WARD_TEST(a_row_that_no_line_made_is_duplicated)
{
	prepare();
	put_all_but(4);
	struct store_row row = row_at(0);
	row.offset = 1;
	put(&row);
	check_audit(4, 4, 0, 0, 1);
	sources_close(&sources);
}

WARD_TEST(a_line_stored_as_another_is_lost)
{
	prepare();
	put_all_but(2);
	struct store_row row = row_at(2);
	row.fields[LINES_LINE].bytes = "THREE";
	put(&row); /* with a sum that fits it: only the input can tell */
	check_audit(4, 3, 0, 1, 0);
	sources_close(&sources);
}

WARD_TEST(an_interrupted_run_is_held_against_what_it_accepted)
{
	prepare();
	put_all_but(1);
	sources.all[0].end = sources.all[0].acked = 4;
	struct audit audit;
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 1000, &audit, &why), STORE_OK);
	ward_assert_eq(audit.read, 1);
	ward_assert_eq(audit.stored, 1);
	ward_assert_eq(audit.lost, 0);
	ward_assert_eq(audit.duplicated, 0);
	ward_assert(!sources.all[0].verified);
	sources_close(&sources);
}

WARD_TEST(what_the_ledger_never_heard_is_counted_as_far_as_it_is_there)
{
	prepare();
	put_all_but(2);
	sources.all[0].acked = SOURCE_UNKNOWN;
	struct audit audit;
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 1000, &audit, &why), STORE_OK);
	ward_assert_eq(audit.read, 2);
	ward_assert_eq(audit.stored, 2);
	ward_assert_eq(audit.lost, 0);
	ward_assert_eq(sources.all[0].acked, 8);
	ward_assert(!sources.all[0].verified);
	sources_close(&sources);
}

WARD_TEST(what_is_there_was_accepted_although_the_ledger_never_heard)
{
	struct audit audit;
	prepare();
	put_all_but(4);
	sources.all[0].end = 0;
	sources.all[0].acked = SOURCE_UNKNOWN;
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 1000, &audit, &why), STORE_OK);
	ward_assert_eq(sources.all[0].end, strlen(text));
	ward_assert(sources.all[0].verified);
	sources_close(&sources);
}

WARD_TEST(a_source_that_is_gone_stays_verified_in_the_next_run)
{
	struct audit audit;
	prepare();
	put_all_but(4);
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 1000, &audit, &why), STORE_OK);
	ward_assert(sources_save(&sources, &why));
	sources_close(&sources);
	ward_assert_eq(unlink(scratch_path("log")), 0);
	ward_assert(sources_open(&sources, scratch_path("memory"), &why));
	sources_reopen(&sources);
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 1000, &audit, &why), STORE_OK);
	ward_assert_eq(audit.lost, 0);
	ward_assert(sources.all[0].verified);
	sources_close(&sources);
}

WARD_TEST(another_line_max_changes_no_verdict)
{
	struct audit audit;
	prepare();
	put_all_but(4);
	ward_assert_eq(audit_run(scratch_path("sink.db"), &sources, 2, &audit, &why), STORE_OK);
	ward_assert_eq(audit.stored, 4);
	ward_assert(audit_is_clean(&audit));
	sources_close(&sources);
}

WARD_TEST_MAIN
