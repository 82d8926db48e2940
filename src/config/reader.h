/* SPDX-License-Identifier: MIT
 *
 * reader.h - a file that was read: what the parts of the reader share.
 *
 *	open       the file, and what it includes, to one text; libconfig makes settings of it
 *	check      settings -> strategies -> options of the system -> nodes of the tree -> refs
 *	start      nodes -> actors
 *
 * All that is made of a file lies in blocks of its config and is freed with it. A config belongs to
 * one thread at a time; actors that were started from it read only what no longer changes.
 */
#ifndef WARDI_CONFIG_READER_H
#define WARDI_CONFIG_READER_H

#include <libconfig.h>

#include <ward/backoff.h>
#include <ward/config.h>
#include <ward/router.h>

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
	struct wardi_config_strategy *next;
};

/** Where the log goes. */
struct wardi_config_log {
	const char *to;
	int32_t level;
	uint32_t kinds;
	int fd;
	bool own; /* the descriptor is to be closed */
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
	bool checked; /* somebody has called ward_config_check() */
	bool ready;   /* and all was right */
	const ward_config_module **modules;
	struct wardi_config_strategy *strategies;
	ward_options options;
	struct wardi_config_log log;
	ward_mailbox mailbox; /* of those that say nothing else */
	const char *mailbox_priority;
	const char *guardian_strategy;
	int64_t start_timeout_ms;
	struct wardi_config_node *services; /* stands for /system: its children */
	struct wardi_config_node *actors;   /* for /user */
	uint32_t nodes;                     /* both included; so many numbers are given */
	uint32_t actors_from;               /* the first number of one below /user */
};

/* ---- blocks.c ---------------------------------------------------------------------------- */

/** Zeroed memory that lives as long as the config; NULL: there is none, which is noted. */
void *wardi_config_make(ward_config *config, size_t size);
/** A copy of a text; NULL as above. */
const char *wardi_config_copy(ward_config *config, const char *text);
/** Frees all of it. */
void wardi_config_free(ward_config *config);

/* ---- errors.c ---------------------------------------------------------------------------- */

/** Longest text of an error, and of a key. */
enum { WARDI_CONFIG_TEXT = 512, WARDI_CONFIG_KEY = 256 };

/** Begins a call that may tell of errors. */
void wardi_config_listen(ward_config *config, const ward_config_listener *listener);
/** Ends it: what the call answers, with the first error as the detail. */
ward_err wardi_config_verdict(ward_config *config);
/** Tells of an error at a line of the joined text; 0: of the file as a whole. */
WARD_PRINTF(4, 5)
void wardi_config_wrong_at(ward_config *config, uint32_t line, const char *key, const char *text,
			   ...);
/** Tells that a setting is wrong, or what should be `below` it (or NULL). */
WARD_PRINTF(4, 5)
void wardi_config_wrong(ward_config *config, const config_setting_t *at, const char *below,
			const char *text, ...);
/** Writes "actors.till.args" for a setting. */
void wardi_config_key(const config_setting_t *at, const char *below, char *text, size_t max);
/** Gives file and line of a line of the joined text. */
const char *wardi_config_where(const ward_config *config, uint32_t line, uint32_t *ret_line);

/* ---- suggest.c --------------------------------------------------------------------------- */

/** Words that would be right. */
struct wardi_config_words {
	const char **words;
	size_t count, room;
};

/** Adds one; what finds no memory is noted in the config and left out. */
void wardi_config_word(ward_config *config, struct wardi_config_words *words, const char *word);
/** Writes `did you mean "x"?`, or which words there are: "here may be: a, b". */
void wardi_config_suggest(const struct wardi_config_words *words, const char *word,
			  const char *may_be, char *text, size_t max);

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

/** Joins a file and what it includes to one text without includes, and notes the places. False: an
 *  error was told. */
bool wardi_config_join(ward_config *config, const char *text, size_t size, bool includes,
		       struct wardi_config_text *ret_text);
/** Reads a whole file. Gives a code, with a detail; the bytes are malloc's. */
ward_err wardi_config_slurp(const char *path, size_t max, char **ret_bytes, size_t *ret_size);

/* ---- modules.c --------------------------------------------------------------------------- */

/** Takes the modules; says by a detail if one is wrong. */
ward_err wardi_config_take_modules(ward_config *config, const ward_config_module *const *modules);
/** Find by name; NULL: an error was told at the setting. */
const ward_config_behavior *wardi_config_behavior(ward_config *config, const char *name,
						  const config_setting_t *at);
const ward_failure_class *wardi_config_class(ward_config *config, const char *name,
					     const config_setting_t *at);
const ward_config_decider *wardi_config_decider(ward_config *config, const char *name,
						const config_setting_t *at);
const ward_config_priority *wardi_config_priority(ward_config *config, const char *name,
						  const config_setting_t *at);
const ward_config_hash *wardi_config_hash(ward_config *config, const char *name,
					  const config_setting_t *at);

/* ---- module_check.c ---------------------------------------------------------------------- */

/** Says whether a module is one that can be taken. */
ward_err wardi_config_check_module(const ward_config_module *module);

/* ---- strategies_group.c, system_group.c, log.c -------------------------------------------- */

/** Reads the group `strategies`, which may be NULL. */
void wardi_config_strategies(ward_config *config, const config_setting_t *group);
/** Finds one by name; NULL: an error was told. */
const ward_strategy *wardi_config_strategy(ward_config *config, const char *name,
					   const config_setting_t *at);
/** Gives the name of one; NULL: it has none. */
const char *wardi_config_strategy_name(const ward_config *config, const ward_strategy *strategy);
/** Reads the group `system`, which may be NULL. */
void wardi_config_system(ward_config *config, const config_setting_t *group);
/** Reads the group `phases` in it. */
void wardi_config_phases(ward_config *config, const config_setting_t *group);
/** Reads a group `mailbox` into *mailbox, which has the defaults. */
void wardi_config_mailbox(ward_config *config, const config_setting_t *group, ward_mailbox *mailbox,
			  const char **priority);
/** Reads the group `log`. */
void wardi_config_log(ward_config *config, const config_setting_t *group);
/** Opens what `log` names. */
ward_err wardi_config_log_open(struct wardi_config_log *log);
/** Closes it. */
void wardi_config_log_close(struct wardi_config_log *log);
/** For options.log; arg is a struct wardi_config_log. */
void wardi_config_log_event(void *arg, const ward_event *event);

#endif
