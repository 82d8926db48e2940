/* SPDX-License-Identifier: MIT
 *
 * store.c - opening, putting, committing; see store.h.
 *
 * The database is in WAL mode with synchronous=FULL: what is committed survives the machine.
 */
#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "store_inside.h"

enum {
	BUSY_MS = 100 /* longer than this a lock is a failure, and the supervisor's to judge */
};

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS lines ("
	" source INTEGER, offset INTEGER, span INTEGER NOT NULL, ended INTEGER NOT NULL,"
	" digest INTEGER NOT NULL, sum INTEGER NOT NULL,"
	" format TEXT, time TEXT, subject TEXT, action TEXT, detail TEXT, line TEXT,"
	" PRIMARY KEY (source, offset)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS quarantine ("
	" source INTEGER, offset INTEGER, span INTEGER NOT NULL, ended INTEGER NOT NULL,"
	" digest INTEGER NOT NULL, sum INTEGER NOT NULL,"
	" reason TEXT, line BLOB,"
	" PRIMARY KEY (source, offset)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS sources (id INTEGER PRIMARY KEY, name TEXT);"
	"PRAGMA application_id=1463898692;";

_Static_assert(STORE_APPLICATION == 1463898692, "the schema says the same");

/* A place that the other table holds already stays there, whatever came to be thought of the line
 * since: it must not be in both. */
#define IF_NOT_IN(other) " WHERE NOT EXISTS (SELECT 1 FROM " other " WHERE source=?1 AND offset=?2)"
#define UNLESS_LONGER                                                                              \
	" ON CONFLICT DO UPDATE SET span=excluded.span, ended=excluded.ended,"                     \
	" digest=excluded.digest, sum=excluded.sum,"

static const char *const texts[STATEMENTS] = {
	[PUT_LINE] = "INSERT INTO lines SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12" IF_NOT_IN(
		"quarantine") UNLESS_LONGER
	" format=excluded.format, time=excluded.time, subject=excluded.subject,"
	" action=excluded.action, detail=excluded.detail, line=excluded.line"
	" WHERE excluded.span > span",
	[PUT_QUARANTINE] =
		"INSERT INTO quarantine SELECT ?1,?2,?3,?4,?5,?6,?7,?8" IF_NOT_IN("lines")
			UNLESS_LONGER " reason=excluded.reason, line=excluded.line"
				      " WHERE excluded.span > span",
	[DROP_SHORTER_LINE] = "DELETE FROM lines WHERE source=?1 AND offset=?2 AND span<?3",
	[DROP_SHORTER_QUARANTINE] =
		"DELETE FROM quarantine WHERE source=?1 AND offset=?2 AND span<?3",
	[NAME_SOURCE] = "INSERT OR REPLACE INTO sources VALUES (?1,?2)",
};

enum store_result store_judge(sqlite3 *db, int code, const char *doing, struct why *why)
{
	int extended = db ? sqlite3_extended_errcode(db) : code;
	why_not(why, "%s: %s (%d)", doing, db ? sqlite3_errmsg(db) : sqlite3_errstr(code),
		extended);
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return STORE_LOCKED;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR: /* our SQL is constant: then it is the schema that is not ours */
	case SQLITE_MISMATCH:
	case SQLITE_CONSTRAINT:
		return STORE_DAMAGED;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
		return STORE_DISPLACED;
	case SQLITE_FULL:
		return STORE_FULL;
	default:
		return STORE_FAILED;
	}
}

uint64_t store_sum(const struct store_row *row)
{
	uint64_t sum = digest_number(DIGEST_START, (uint64_t)row->table);
	sum = digest_number(sum, row->source);
	sum = digest_number(sum, (uint64_t)row->offset);
	sum = digest_number(sum, (uint64_t)row->span);
	sum = digest_number(sum, row->ended);
	sum = digest_number(sum, row->digest);
	for (int i = 0; i < store_fields(row->table); i++) {
		sum = digest_number(sum, row->fields[i].length);
		sum = digest_bytes(sum, row->fields[i].bytes, row->fields[i].length);
	}
	return sum;
}

static enum store_result run(struct store *store, const char *sql, const char *doing,
			     struct why *why)
{
	int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
	return code == SQLITE_OK ? STORE_OK : store_judge(store->db, code, doing, why);
}

/* ---- opening and closing ----------------------------------------------------------------- */

/* Whether the path still leads to the file that is open. */
static bool has_moved(struct store *store)
{
	int moved = 0;
	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved != 0;
}

int store_application(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	int id = 0;
	if (sqlite3_prepare_v2(db, "PRAGMA application_id", -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		id = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return id;
}

static enum store_result prepare(struct store *store, struct why *why)
{
	for (int i = 0; i < STATEMENTS; i++) {
		int code = sqlite3_prepare_v3(store->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
					      &store->statements[i], NULL);
		if (code != SQLITE_OK)
			return store_judge(store->db, code, "preparing", why);
	}
	return STORE_OK;
}

static enum store_result set_up(struct store *store, struct why *why)
{
	enum store_result result =
		run(store, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", "opening", why);
	/* Takes the lock for a moment even when there is nothing to write: a locked database is
	 * noticed here, not after a long check. */
	if (result == STORE_OK)
		result = run(store, "BEGIN IMMEDIATE", "opening", why);
	if (result == STORE_OK && store_application(store->db) != STORE_APPLICATION)
		result = run(store, schema, "opening", why);
	if (result == STORE_OK)
		result = run(store, "COMMIT", "opening", why);
	return result;
}

static enum store_result open_with(const char *path, int create, struct store **ret_store,
				   struct why *why)
{
	struct store *store = calloc(1, sizeof(*store));
	if (!store) {
		why_not(why, "opening: out of memory");
		return STORE_FAILED;
	}
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create;
	int code = sqlite3_open_v2(path, &store->db, flags, NULL);
	enum store_result result = STORE_OK;
	if (code == SQLITE_OK) {
		sqlite3_extended_result_codes(store->db, 1);
		sqlite3_busy_timeout(store->db, BUSY_MS);
	} else {
		result = store_judge(store->db, code, "opening", why);
	}
	if (result == STORE_OK && create)
		result = set_up(store, why);
	if (result == STORE_OK)
		result = prepare(store, why);
	if (result == STORE_OK)
		*ret_store = store;
	else
		store_close(store);
	return result;
}

enum store_result store_open(const char *path, struct store **ret_store, struct why *why)
{
	return open_with(path, SQLITE_OPEN_CREATE, ret_store, why);
}

enum store_result store_open_to_read(const char *path, struct store **ret_store, struct why *why)
{
	return open_with(path, 0, ret_store, why);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store);
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Text only where it is text: NUL bytes and broken UTF-8 go in as a blob. */
static bool is_utf8(const char *bytes, size_t length)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
	while (at < end) {
		unsigned char c = *at++;
		int more = c < 0x80   ? 0
			   : c < 0xc2 ? -1
			   : c < 0xe0 ? 1
			   : c < 0xf0 ? 2
			   : c < 0xf5 ? 3
				      : -1;
		if (c == 0 || more < 0 || end - at < more)
			return false;
		/* No overlong forms, no surrogates, nothing beyond U+10FFFF. */
		if ((c == 0xe0 && *at < 0xa0) || (c == 0xed && *at > 0x9f) ||
		    (c == 0xf0 && *at < 0x90) || (c == 0xf4 && *at > 0x8f))
			return false;
		for (; more > 0; more--)
			if ((*at++ & 0xc0) != 0x80)
				return false;
	}
	return true;
}

static void bind_row(sqlite3_stmt *statement, const struct store_row *row)
{
	sqlite3_bind_int64(statement, 1, row->source);
	sqlite3_bind_int64(statement, 2, row->offset);
	sqlite3_bind_int64(statement, 3, row->span);
	sqlite3_bind_int(statement, 4, row->ended);
	sqlite3_bind_int64(statement, 5, (sqlite3_int64)row->digest);
	sqlite3_bind_int64(statement, 6, (sqlite3_int64)store_sum(row));
	for (int i = 0; i < store_fields(row->table); i++) {
		const struct store_field *field = &row->fields[i];
		const char *bytes = field->bytes ? field->bytes : "";
		if (is_utf8(bytes, field->length))
			sqlite3_bind_text(statement, 7 + i, bytes, (int)field->length,
					  SQLITE_STATIC);
		else
			sqlite3_bind_blob(statement, 7 + i, bytes, (int)field->length,
					  SQLITE_STATIC);
	}
}

static enum store_result step(struct store *store, sqlite3_stmt *statement, struct why *why)
{
	int code = sqlite3_step(statement);
	enum store_result result = STORE_OK;
	if (code != SQLITE_DONE)
		result = store_judge(store->db, code, "storing", why);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return result;
}

static enum store_result begin(struct store *store, struct why *why)
{
	enum store_result result = run(store, "BEGIN IMMEDIATE", "storing", why);
	store->in_transaction = result == STORE_OK;
	return result;
}

enum store_result store_put(struct store *store, const struct store_row *row, struct why *why)
{
	enum store_result result = store->in_transaction ? STORE_OK : begin(store, why);
	if (result != STORE_OK)
		return result;
	bool is_line = row->table == STORE_LINES;
	sqlite3_stmt *drop =
		store->statements[is_line ? DROP_SHORTER_QUARANTINE : DROP_SHORTER_LINE];
	sqlite3_bind_int64(drop, 1, row->source);
	sqlite3_bind_int64(drop, 2, row->offset);
	sqlite3_bind_int64(drop, 3, row->span);
	result = step(store, drop, why);
	if (result != STORE_OK)
		return result;
	sqlite3_stmt *put = store->statements[is_line ? PUT_LINE : PUT_QUARANTINE];
	bind_row(put, row);
	return step(store, put, why);
}

enum store_result store_name_source(struct store *store, uint32_t id, const char *name,
				    struct why *why)
{
	enum store_result result = store->in_transaction ? STORE_OK : begin(store, why);
	if (result != STORE_OK)
		return result;
	sqlite3_bind_int64(store->statements[NAME_SOURCE], 1, id);
	sqlite3_bind_text(store->statements[NAME_SOURCE], 2, name, -1, SQLITE_STATIC);
	return step(store, store->statements[NAME_SOURCE], why);
}

enum store_result store_commit(struct store *store, struct why *why)
{
	if (!store->in_transaction)
		return STORE_OK;
	enum store_result result = run(store, "COMMIT", "committing", why);
	if (result != STORE_OK)
		return result;
	store->in_transaction = false;
	/* Open files follow their inode. A commit into a file that nobody finds is none. */
	if (has_moved(store)) {
		why_not(why, "committing: the database is no longer at its path");
		return STORE_DISPLACED;
	}
	return STORE_OK;
}

void store_rollback(struct store *store)
{
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->in_transaction = false;
}

enum store_result store_squeeze(struct store *store, struct why *why)
{
	/* A limit below the present size is set to the present size. */
	return run(store, "PRAGMA max_page_count=1", "squeezing", why);
}

enum store_result store_relax(struct store *store, struct why *why)
{
	return run(store, "PRAGMA max_page_count=4294967294", "making room", why);
}
