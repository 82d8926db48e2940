/* SPDX-License-Identifier: MIT
 *
 * ledger.h - the state of the ledger, and the two halves of its work.
 *
 * ledger.c is the actor: which actors exist, and what each has said. account.c is the arithmetic:
 * what was asked for, what is acknowledged, what comes next; it needs no actors, nor do its tests.
 */
#ifndef SINK_LEDGER_H
#define SINK_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sources.h"
#include "window.h"

enum {
	REQUEST_MAX = 64,                /* lines asked for at once */
	BYTES_OUT_MAX = 4 * 1024 * 1024, /* of text on its way, when more is asked for */
	TAIL_SHORT = 64 * 1024,          /* a line without end up to here is looked at each time */
	NO_SOURCE = -1
};

/* How far a source is. */
struct place {
	uint32_t id;
	bool readable;
	bool complete; /* it will not grow */
	bool at_end;   /* of what there is so far */
	int64_t limit;
	int64_t tail;  /* at the end, bytes of a line that has none yet */
	int64_t asked; /* the reader was asked up to here */
	int64_t acked; /* and up to here all is in the database */
};

/* A request for the reader. */
struct request {
	uint64_t number;
	uint32_t source, count;
	int64_t offset, limit;
	bool complete;
};

struct account {
	struct place *places;
	uint32_t count;
	bool known;       /* the database has said what it holds */
	uint32_t out_max; /* nothing is asked for while so many lines are on their way */
	struct window window;
	bool asking;            /* a request is out: */
	struct request request; /* this one */
};

/* `places` has room for one per source, and is the caller's. */
void account_init(struct account *account, struct place *places, const struct sources *sources);

/* The database begins to say what it holds; each mark says it of one source. */
void account_open(struct account *account);
void account_mark(struct account *account, uint32_t id, int64_t end, int64_t tail);
/* All that is not acknowledged is to be asked for again; what is on its way is forgotten. */
void account_rewind(struct account *account);

/* Returns the next request, `first` before all other sources; false: nothing to ask for, or no
 * room, or a request is out. */
bool account_ask(struct account *account, int first, struct request *ret_request);
/* False: the number is old. */
bool account_line(struct account *account, uint64_t number, uint32_t source, uint32_t length,
		  int64_t end);
/* The answer to a request: so many lines were sent, up to `next`. False: it is an old one. */
bool account_read(struct account *account, uint64_t number, uint32_t sent, int64_t next,
		  bool at_end);
void account_grow(struct account *account, uint32_t source, int64_t size, bool complete);
void account_complete(struct account *account, uint32_t source);
/* False: the number is old. */
bool account_stored(struct account *account, uint64_t number);

/* Returns true if nothing is on its way and nothing is left to ask for. */
bool account_is_idle(const struct account *account);
/* Returns true if, in addition, no source can grow. */
bool account_is_done(const struct account *account);

#endif
