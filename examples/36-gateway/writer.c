/* SPDX-License-Identifier: MIT
 *
 * writer.c - stores lines in a database, in batches: what waits when a batch begins is in it.
 *
 * A line stays in the stash until it is committed. When the writer fails, as it does if the
 * database is locked or the disk is full, they all come again: the stash, then the mailbox. A line
 * that comes twice has the same key, and is stored once.
 */
#include <sqlite3.h>
#include <stdio.h>

#include "gateway.h"

static const ward_failure_class not_stored = {.name = "not_stored", .parent = &ward_exception};
WARD_SIGNAL(commit);
enum { COMMIT = 1 };

static const char schema[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
			     "CREATE TABLE IF NOT EXISTS lines (key TEXT PRIMARY KEY, text TEXT)";
static const char insert[] = "INSERT OR IGNORE INTO lines VALUES (?1, ?2)";

struct writer {
	sqlite3 *db;
	sqlite3_stmt *insert;
	int count; /* of the batch */
	ward_ref from[BATCH_MAX];
	struct stored lines[BATCH_MAX];
};

static void close_database(void *db)
{
	sqlite3_finalize(sqlite3_next_stmt(db, NULL));
	sqlite3_close(db);
}

static bool execute(struct writer *me, const char *sql)
{
	return sqlite3_exec(me->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static ward_result give_up(ward_self *self, struct writer *me)
{
	ward_result failed = ward_failed(self, &not_stored, "%s", sqlite3_errmsg(me->db));

	execute(me, "ROLLBACK"); /* there may be none */
	return failed;
}

static ward_result writer_init(ward_self *self, void *state, const void *args)
{
	struct writer *me = state;
	int code = sqlite3_open(((const struct store_args *)args)->path, &me->db);

	if (!me->db)
		return ward_failed_err(self, WARD_ENOMEM);
	ward_defer(self, close_database, me->db);
	if (code || !execute(me, schema) ||
	    sqlite3_prepare_v2(me->db, insert, -1, &me->insert, NULL))
		return give_up(self, me);
	return WARD_DONE;
}

static ward_result commit_batch(ward_self *self, struct writer *me)
{
	if (me->count == 0)
		return WARD_DONE;
	if (!execute(me, "COMMIT"))
		return give_up(self, me);
	for (int i = 0; i < me->count; i++)
		ward_send(self, me->from[i], WARD_COPY(stored, &me->lines[i]));
	ward_stash_clear(self);
	me->count = 0;
	ward_tell(self, ward_parent(self), works);
	return WARD_DONE;
}

static ward_result add_line(ward_self *self, struct writer *me, const ward_msg *msg)
{
	const struct line *line = ward_match(msg, line);
	int size = (int)(ward_msg_size(msg) - sizeof *line), key_size = (int)line->key_size;
	struct stored *stored = &me->lines[me->count];

	if (me->count == 0 && !execute(me, "BEGIN IMMEDIATE"))
		return give_up(self, me);
	sqlite3_bind_text(me->insert, 1, line->text, key_size, NULL);
	sqlite3_bind_text(me->insert, 2, line->text + key_size + 1, size - key_size - 1, NULL);
	if (sqlite3_step(me->insert) != SQLITE_DONE)
		return give_up(self, me);
	sqlite3_reset(me->insert);
	me->from[me->count] = ward_msg_sender(msg);
	snprintf(stored->key, sizeof stored->key, "%.*s", key_size, line->text);
	if (ward_try_stash(self) != WARD_OK)
		return ward_failed_err(self, WARD_ENOMEM);
	if (me->count++ == 0) /* comes behind the lines that wait now */
		ward_after(self, COMMIT, 0, commit);
	return me->count == BATCH_MAX ? commit_batch(self, me) : WARD_DONE;
}

static ward_result writer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	if (ward_match(msg, line))
		return add_line(self, state, msg);
	return ward_match(msg, commit) ? commit_batch(self, state) : WARD_UNHANDLED;
}

static ward_result writer_pre_restart(ward_self *self, void *state, const ward_failure *why,
				      const ward_msg *msg)
{
	(void)state, (void)why;
	if (ward_match(msg, line)) /* it failed, and comes again with the others */
		ward_stash(self);
	return ward_default_pre_restart(self);
}

const ward_behavior writer = {.name = "writer",
			      .state_size = sizeof(struct writer),
			      .args = &ward_type_store_args,
			      .init = writer_init,
			      .pre_restart = writer_pre_restart,
			      .receive = writer_receive};
