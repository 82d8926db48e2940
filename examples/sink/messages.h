/* SPDX-License-Identifier: MIT
 *
 * messages.h - what the actors of the sink say to each other.
 *
 *	intake --grown--> LEDGER --read_lines--> reader
 *	                  LEDGER <--line, read_done, reader_ready-- reader
 *	                  LEDGER --line--> crew --line--> parser --line--> writer
 *	                  LEDGER <--line, condemned-- parser, in its last breath
 *	                  LEDGER --open_store--> writer
 *	                  LEDGER <--writer_started, store_opened, mark, store_ready, stored,
 *	                            writer_gone-- writer
 *	signals --interrupt--> LEDGER
 *	chaos --strike_at, flow, grown, chaos_over--> LEDGER --strike--> chaos
 *
 * In front of the writer stands its keeper, which passes all this on, both ways.
 */
#ifndef SINK_MESSAGES_H
#define SINK_MESSAGES_H

#include <ward/ward.h>

#include "format.h"
#include "lines.h"

struct job;
struct ward_config_children;

/* What each actor is made with: refs stay good across restarts. Of the writer it is that of its
 * keeper, which outlives it. */
struct sink_args {
	struct job *job;
	ward_ref ledger, writer, view;
	/* In a tree from a file: starts those that the file has below the running actor. */
	ward_err (*spawn_children)(ward_self *self, const struct ward_config_children *children);
	const struct ward_config_children *children;
};
WARD_MESSAGE(sink_args);

/* ---- a line on its way ------------------------------------------------------------------- */

enum verdict {
	VERDICT_NONE, /* not parsed yet */
	VERDICT_STORE,
	VERDICT_QUARANTINE
};

/* Built once by the reader, then moved from hand to hand; the text is copied nowhere. */
struct line {
	uint64_t number;
	uint32_t source;    /* index in the job */
	uint32_t source_id; /* in the database */
	int64_t offset, span;
	uint64_t digest;
	enum verdict verdict;
	bool ended, cut, has_nul;
	bool condemned; /* it killed its parser */
	char reason[80];
	struct parsed parsed;
	uint32_t length;
	char text[];
};
WARD_UNUSED static const ward_type ward_type_line = {
	.name = "line",
	.size = sizeof(struct line),
	.size_max = sizeof(struct line) + LINE_MAX_LIMIT,
};

/* ---- reading ----------------------------------------------------------------------------- */

/* Asks for `count` lines at most, under the numbers from `number` on. */
struct read_lines {
	uint64_t number;
	uint32_t source, count;
	int64_t offset, limit;
	bool complete;
};
WARD_MESSAGE_FLAT(read_lines);

struct read_done {
	uint64_t number;
	uint32_t sent;
	int64_t next;
	bool at_end; /* there are no more whole lines before the limit */
};
WARD_MESSAGE_FLAT(read_done);

WARD_SIGNAL(reader_ready);

/* A spool grew to `size`. Complete: it will grow no more; broken: not as it should have. */
struct grown {
	uint32_t source;
	int64_t size;
	bool complete, broken;
};
WARD_MESSAGE_FLAT(grown);

/* ---- storing ----------------------------------------------------------------------------- */

enum {
	BATCH_MAX = 256 /* lines in one transaction */
};

WARD_SIGNAL(writer_started); /* there is a new writer, and it waits */
WARD_SIGNAL(open_store);     /* open the database, also again, and say what it holds */
WARD_SIGNAL(store_opened);   /* marks follow */

struct mark {
	uint32_t source_id;
	int64_t end, tail; /* as in struct store_mark */
};
WARD_MESSAGE_FLAT(mark);

WARD_SIGNAL(store_ready); /* lines, please, from what is acknowledged on */

struct stored {
	uint32_t count;
	uint64_t numbers[BATCH_MAX];
};
WARD_MESSAGE_FLAT(stored);

WARD_SIGNAL(writer_gone); /* it failed; a new one comes, after a while */

WARD_SIGNAL(squeeze); /* chaos: let the database grow no more */

/* ---- the rest ---------------------------------------------------------------------------- */

struct interrupt {
	int number; /* of the signal */
};
WARD_MESSAGE_FLAT(interrupt);

struct progress {
	uint64_t lines; /* acknowledged since the start, repeated ones too */
};
WARD_MESSAGE_FLAT(progress);

/* Chaos waits until that many more lines are acknowledged, or no more come. */
struct strike_at {
	uint64_t more;
};
WARD_MESSAGE_FLAT(strike_at);

WARD_SIGNAL(strike);     /* do it now; no line is asked for until it is done */
WARD_SIGNAL(flow);       /* it is done: let lines flow into it */
WARD_SIGNAL(chaos_over); /* there are no faults left */

/* Sends what others wait for. When there is no memory for it the sender fails, by a jump: a restart
 * makes good for it, where the message would be missed forever. */
#define must_tell(self, to, ...) must_send((self), (to), WARD_BODY(__VA_ARGS__))
void must_send(ward_self *self, ward_ref to, const ward_type *type, const void *body, size_t size);

struct note {
	char text[240];
};
WARD_MESSAGE_FLAT(note);

/* Tells the view a line of text. */
WARD_PRINTF(3, 4) void tell_note(ward_self *self, ward_ref view, const char *text, ...);

#endif
