/* SPDX-License-Identifier: MIT
 *
 * reader.h - a config: the struct and functions that the parts of the reader share.
 *
 *	open       joins the file and its includes; libconfig parses the text into settings
 *	check      settings -> strategies -> options of the system -> nodes of the tree -> refs
 *	start      nodes -> actors
 *
 * Everything made from a file lies in blocks of its config and is freed with it. A config belongs
 * to one thread at a time; actors started from it read only constant parts.
 */
#ifndef WARDI_CONFIG_READER_H
#define WARDI_CONFIG_READER_H

#include <libconfig.h>
#include <pthread.h>

#include <ward/backoff.h>
#include <ward/config.h>
#include <ward/router.h>

#include "config/read/strategy_names.h"

/** A block of memory that lives as long as the config. */
struct wardi_config_block {
	struct wardi_config_block *next;
	max_align_t bytes[];
};

/** From this line of the joined text on, the lines are those of `file` from `first` on. */
struct wardi_config_place {
	uint32_t from;
	uint32_t first;
	const char *file;
};

/** A strategy that has a name. */
struct wardi_config_strategy {
	const char *name;
	const ward_strategy *strategy;
	const ward_strategy *as_said; /* without the implied escalation; NULL: the same */
	struct wardi_config_strategy *next;
};

/** Where the log goes. */
/* How an event is written to the log. */
enum wardi_config_log_format {
	WARDI_CONFIG_LOG_LINE,
	WARDI_CONFIG_LOG_JSON,
	WARDI_CONFIG_LOG_JOURNALD
};

struct wardi_config_log {
	const char *to;
	int32_t level;
	int32_t format; /* enum wardi_config_log_format */
	uint32_t kinds;
	int fd;
	bool own;              /* the descriptor is to be closed */
	bool pipe;             /* or a terminal: its reader may be slow, or close it */
	bool blocks;           /* a write waits for room; else it is refused */
	_Atomic bool stalled;  /* there was no room for the last line */
	_Atomic uint64_t lost; /* lines, since the last one that was written */
	pthread_mutex_t mu;    /* of a pipe that blocks: from the look for room to the write */
};

struct wardi_config_node;

/** A file that was read. */
struct ward_config {
	const char *path;
	struct wardi_config_block *blocks;
	config_t file; /* of libconfig */

	/* the text */
	struct wardi_config_place *places;
	uint32_t places_count;
	const char **modules_named; /* ended by NULL */
	uint32_t *modules_at;       /* the lines of the joined text that name them */

	/* what is wrong with it */
	const ward_config_listener *listener; /* during a call */
	uint32_t errors;
	bool no_memory;
	char first[512];

	/* what it says */
	bool checked; /* ward_config_check() was called */
	bool ready;   /* and found no error */
	const ward_config_module **modules;
	struct wardi_config_strategy *strategies;
	ward_options options;
	struct wardi_config_log log;
	ward_mailbox mailbox; /* the default of all actors */
	const char *mailbox_priority;
	const char *guardian_strategy;
	int64_t start_timeout_ms;
	struct wardi_config_node *services; /* stands for /system: its children */
	struct wardi_config_node *actors;   /* for /user */
	uint32_t nodes;                     /* how many, both of these included */
	uint32_t actors_from;               /* the number of the first actor below /user */
};

/* ---- errors.c ---------------------------------------------------------------------------- */

/** Longest text of an error, and of a key. */
enum { WARDI_CONFIG_TEXT = 512, WARDI_CONFIG_KEY = 256 };

/* ---- suggest.c --------------------------------------------------------------------------- */

/** Words that would be right. */
struct wardi_config_words {
	const char **words;
	size_t count, room;
};

/* ---- scan.c, open.c ---------------------------------------------------------------------- */

/** Text that grows. */
struct wardi_config_text {
	char *bytes;
	size_t length, room;
	/* of one that is joined */
	uint32_t last_line;
	char opened; /* the last '{', '(' or '[' that nothing closes; 0: there is none */
	uint32_t opened_at;
};

#endif
