/* SPDX-License-Identifier: MIT
 *
 * ward/config.h - a system and its tree of actors, from a file. Of the library ward-config.
 *
 *	# shop.conf
 *	modules = ["./shop.so"];                # what the command ward loads
 *
 *	system: {
 *		name = "shop";
 *		workers = 4;
 *		dispatchers: { disk = 2; };
 *		mailbox: { messages-max = 10000; };     # of each actor of this file
 *		log: { to = "stderr"; kinds = ["failure", "dead-letter", "note"]; };
 *		guardian-supervisor-strategy = "patient";
 *	};
 *	strategies: {
 *		patient: {
 *			scope = "one-for-one";
 *			rules: { jammed = "resume"; initialization = "stop"; };
 *			otherwise = "restart";
 *			restarts-max = 10;
 *			window = "1 min";
 *		};
 *	};
 *	services: {                             # under /system; they live longer than the actors
 *		journal: { behavior = "journal"; dispatcher = "disk"; };
 *	};
 *	actors: {                               # under /user
 *		tills: {                        # no behavior: it only supervises
 *			strategy = "patient";
 *			children: {
 *				left:  { behavior = "till"; args: { journal = "journal"; }; };
 *				right: { behavior = "till"; args: { journal = "journal"; }; };
 *			};
 *		};
 *		bank: {
 *			behavior = "bank";
 *			args: { till = "/user/tills"; wait = "200 ms"; };
 *			backoff: { min = "1 s"; max = "30 s"; random-factor = 0.2; };
 *		};
 *	};
 *
 * ward-config(5) describes all keys. The names of behaviours and failure classes come from modules:
 * constant tables of the program, which it passes to the reader; there is no hidden registration.
 * There are two steps. ward_config_load() checks everything and starts nothing; it reports each
 * error with file, line, key and a proposal. ward_config_start() starts everything or nothing.
 *
 *	static const ward_config_module *const modules[] = {&shop_module, NULL};
 *
 *	err = ward_config_load("shop.conf", modules, NULL, &config);
 *	if (err == WARD_OK)
 *		err = ward_config_start(config, &system);
 *	...
 *	err = ward_system_destroy(system, WARD_MINUTE);
 *	ward_config_close(config);
 */
#ifndef WARD_CONFIG_H
#define WARD_CONFIG_H

#include <ward/codec.h>
#include <ward/ward.h>

WARD_BEGIN

/** A file that was read. Opaque. Only one thread at a time may use it in calls; actors that were
 *  started from it read it at any time. */
typedef struct ward_config ward_config;

/* ---- what a program provides: fields of arguments ---------------------------------------- */

/**
 * The table of a behaviour's arguments: the rows of ward/codec.h. One table can serve both: the
 * arguments of a file, and the same struct as a message,
 *
 *	struct till { ward_ref journal; uint32_t price; };
 *	WARD_MESSAGE_FIELDS(till, 1,
 *		WARD_FIELD(REF, till, journal),
 *		WARD_OPTIONAL_FIELD(UINT, till, price, .min = 1, .max = 100));
 *
 *	static const ward_config_behavior tills[] = {
 *		{.name = "till", .behavior = &till, .fields = ward_fields_till}, {0}};
 *
 * A row for files alone is written with WARD_CONFIG_AT(); its key may have dashes. A key that is
 * not `required` keeps its value in ward_config_behavior.defaults. The kinds BYTES, LIST and TAIL
 * are for messages alone; a module with such a row is refused.
 */
typedef ward_field ward_config_field;

/** A word in a file and its value. A NULL name ends the table. */
typedef ward_field_name ward_config_name;

/** The kind of a row, as ward_field_kind. */
typedef ward_field_kind ward_config_type;

/** The last row of a table. */
#define WARD_CONFIG_END WARD_FIELD_END
/** `true`; a bool. */
#define WARD_CONFIG_BOOL WARD_FIELD_BOOL
/** `-3`; a signed integer of any size. */
#define WARD_CONFIG_INT WARD_FIELD_INT
/** `3`; an unsigned integer of any size. */
#define WARD_CONFIG_UINT WARD_FIELD_UINT
/** `0.5`, also `2`; a double. A range with a fraction is in `low` and `high`. */
#define WARD_CONFIG_FLOAT WARD_FIELD_FLOAT
/** `"text"`; a const char *, borrowed until ward_config_close(). */
#define WARD_CONFIG_STRING WARD_FIELD_STRING
/** `"text"`; a char array with room for the text and its 0. */
#define WARD_CONFIG_TEXT WARD_FIELD_TEXT
/** `["a", "b"]`; a const char *const *, ended by NULL. In files only. */
#define WARD_CONFIG_STRINGS WARD_FIELD_STRINGS
/** `"200 ms"`, `"5 s"`, `"2 min"`, `"1 h"`, `"1 d"`, `"forever"`, or `200` for milliseconds; not
 *  negative; an int64_t of milliseconds. */
#define WARD_CONFIG_DURATION WARD_FIELD_DURATION
/** `"64 KiB"`, `"1 MiB"`, or `65536`; an unsigned integer of any size. */
#define WARD_CONFIG_SIZE WARD_FIELD_SIZE
/** `"one of names"`; an int or an enum. */
#define WARD_CONFIG_ENUM WARD_FIELD_ENUM
/** `["some", "of"]`, the values of these names or'ed; a uint32_t. */
#define WARD_CONFIG_MASK WARD_FIELD_MASK
/**
 * `"journal"`, `"/system/journal"`: another actor of the file; a ward_ref.
 *
 * That actor must live at least as long as the one that refers to it, even if actors above them
 * restart. So it is an actor above this one; or it comes, in the same group, before this actor or
 * before one above; or, for an actor below /user, it is a service at the top of its group. A name
 * without '/' is looked up in the actor's own group first, then in the groups around it, then among
 * the services. If a back-off supervisor or a pool stands in front of the actor, the ref is that of
 * the supervisor or pool.
 */
#define WARD_CONFIG_REF WARD_FIELD_REF
/** `"name of a strategy"`; a const ward_strategy *. In files only. */
#define WARD_CONFIG_STRATEGY WARD_FIELD_STRATEGY
/** `{ more keys }`; a struct with `fields` of its own. */
#define WARD_CONFIG_GROUP WARD_FIELD_GROUP
/** Not a key of `args`, but the group `children` next to it; a const ward_config_children * for
 *  ward_config_spawn_children(). Only a behaviour with such a field may have children. In files
 *  only. */
#define WARD_CONFIG_CHILDREN WARD_FIELD_CHILDREN
/** `"name of a behaviour"`; a const ward_behavior *. In files only. */
#define WARD_CONFIG_BEHAVIOR WARD_FIELD_BEHAVIOR

/** Sets offset and size of a field: `{"wait", WARD_CONFIG_DURATION, WARD_CONFIG_AT(struct till,
 *  wait_ms), .min = 1, .max = 5000}`. */
#define WARD_CONFIG_AT(T, member)                                                                  \
	.offset = offsetof(T, member), .size = (uint32_t)sizeof(((T *)0)->member)

/** The place where the arguments of an actor are read. Opaque. */
typedef struct ward_config_report ward_config_report;

/** Reports that the value of a key of these arguments is wrong or missing, and what would be right:
 *  a text formatted as by printf. `key` may contain dots, for groups; NULL: the arguments as a
 *  whole. Cost: O(keys of the actor's group and of its arguments), and the listener on this
 *  thread. */
WARD_API WARD_PRINTF(3, 4) void ward_config_wrong(ward_config_report *report, const char *key,
						  const char *text, ...);

/* ---- what a program provides: modules ---------------------------------------------------- */

/** A behaviour that files may name. A NULL name ends the table. */
typedef struct ward_config_behavior {
	const char *name;
	const ward_behavior *behavior;
	/** Keys of `args`; NULL: no keys. They describe behavior->args, whose size must be that of
	 *  the struct. */
	const ward_config_field *fields;
	const void *defaults; /* the struct before any key is read; NULL: all zero */
	/**
	 * Checks arguments whose keys are valid one by one, and reports errors by
	 * ward_config_wrong(); it may change the arguments, too. Runs in ward_config_check(), once
	 * for each actor of the file. NULL: no further check. Refs and children are not set yet.
	 * It must not start or allocate anything: nothing is freed after it.
	 */
	void (*check)(void *args, ward_config_report *report) WARD_NOEXCEPT;
	/** As `check`, for libraries that do not link ward-config: returns an error, with a text
	 *  noted by ward_refused(), and in *ret_key the key that is wrong. NULL: no such check. */
	ward_err (*verify)(const void *args, const char **ret_key) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_config_behavior;

/** A strategy that files may name. A NULL name ends the table. */
typedef struct ward_config_strategy {
	const char *name;
	const ward_strategy *strategy;
} ward_config_strategy;
/** A decider that files may name, see ward_strategy.decide. A NULL name ends the table. */
typedef struct ward_config_decider {
	const char *name;
	ward_directive (*decide)(ward_self *self, ward_ref child,
				 const ward_failure *failure) WARD_NOEXCEPT;
} ward_config_decider;
/** A priority function that files may name, see ward_mailbox.priority. A NULL name ends the
 *  table. */
typedef struct ward_config_priority {
	const char *name;
	int32_t (*priority)(const ward_msg *msg) WARD_NOEXCEPT;
} ward_config_priority;
/** A hash function that files may name, see ward_router.hash. A NULL name ends the table. */
typedef struct ward_config_hash {
	const char *name;
	uint64_t (*hash)(const ward_msg *msg) WARD_NOEXCEPT;
} ward_config_hash;

/** The value of ward_config_module.version. Version 1 had no list of messages; such modules are
 *  still taken. */
enum { WARD_CONFIG_VERSION = 2 };

/**
 * Everything that a program, or one of its shared objects, provides to files. Constant, with all
 * that it points to; must outlive every ward_config that was checked against it, and every system
 * that was started from such a ward_config.
 *
 * A shared object for the command ward defines one, with the name in WARD_CONFIG_SYMBOL:
 *
 *	WARD_API const ward_config_module ward_module = {
 *		.version = WARD_CONFIG_VERSION, .name = "shop", .behaviors = behaviors,
 *	};
 */
typedef struct ward_config_module {
	uint32_t version; /* WARD_CONFIG_VERSION */
	const char *name; /* for error texts */
	const ward_config_behavior *behaviors;
	/** Ended by NULL. ward's own classes are known, with and without "ward_". A class such as
	 *  "killed", which is one of ward's without the prefix, is written in a file with the name
	 *  of its parent in front: exception-killed. */
	const ward_failure_class *const *failure_classes;
	const ward_config_strategy *strategies;
	const ward_config_decider *deciders;
	const ward_config_priority *priorities;
	const ward_config_hash *hashes;
	/** Called by ward_config_spawn() on its thread, in the order of the modules, before the
	 *  first actor is started. If one returns an error, nothing is started; it may note a text,
	 *  as a clone does (ward/message.h). NULL: nothing to do. */
	ward_err (*start)(ward_system *system) WARD_NOEXCEPT;
	/** Called once for each start() that succeeded, or is NULL, in reverse order, when no actor
	 *  of the tree runs: at the end of the system (see ward_system_on_terminate()), on one of
	 *  its threads, or after a start that failed, in ward_config_spawn(). */
	void (*stop)(ward_system *system) WARD_NOEXCEPT;
	/** The types of its messages that have a table (ward/codec.h), ended by NULL: for tools,
	 *  as `ward types`, and for what sends them elsewhere. NULL: none. Since version 2. */
	const ward_type *const *messages;
	uintptr_t reserved[3]; /* zero */
} ward_config_module;

/** The name of the table in a shared object. */
#define WARD_CONFIG_SYMBOL "ward_module"

/* ---- reading ----------------------------------------------------------------------------- */

/** An error in a file. Borrowed for the call. */
typedef struct ward_config_error {
	/** As the program named it, byte for byte; an included file as the @include names it. */
	const char *file;
	uint32_t line;    /* from 1; 0: the file as a whole */
	const char *key;  /* such as "actors.till.restarts"; may be empty */
	const char *text; /* "unknown key; did you mean \"restarts-max\"?" */
	/** All of it, as one line like key and text (ward/text.h): "shop.conf:12:
	 *  actors.till.restarts: unknown key; did you mean ...". */
	const char *full;
} ward_config_error;

/** Gets the errors in a file. A NULL listener, or one without a function, gets none. */
typedef struct ward_config_listener {
	void (*error)(void *arg, const ward_config_error *error) WARD_NOEXCEPT;
	void *arg;
} ward_config_listener;

/** Limits for a file; beyond them there is an error with a text. */
enum {
	WARD_CONFIG_FILE_MAX = 1048576, /* bytes, including included files */
	WARD_CONFIG_DEPTH_MAX = 64,     /* nesting of groups and lists */
	WARD_CONFIG_INCLUDES_MAX = 64,
	WARD_CONFIG_KEYS_MAX = 4096, /* in one group */
	/** Errors that one call reports; the listener then gets a last one, which says that there
	 *  may be more. */
	WARD_CONFIG_ERRORS_MAX = 64
};

/**
 * Reads a file and the files that it includes by `@include "other.conf"`, relative to its folder.
 * Checks only the syntax and the list `modules`.
 *
 * Ownership  *ret_config is the caller's, who ends it with ward_config_close(). Borrows the rest
 *            for the call.
 * Cost       O(bytes), and O(keys) squared for each group; waits for the disk.
 * Errors     WARD_ENOENT no such file; WARD_ESYS it cannot be read, is not a regular file, or
 *            became shorter while it was read; WARD_EINVAL it is too large, or its contents are
 *            wrong: the listener gets all errors, ward_err_detail() has the first one; WARD_ENOMEM.
 *            The parser is libconfig, which does not check its allocations: if memory runs out, the
 *            process may end.
 */
WARD_API WARD_MUST_USE ward_err ward_config_open(const char *path,
						 const ward_config_listener *listener,
						 ward_config **ret_config);

/** Reads a text of `size` bytes, which need not end with 0, as ward_config_open() reads a file.
 *  `name` stands for the file in errors; @include is refused. Cost: as ward_config_open(), without
 *  the disk. Errors: as ward_config_open(); WARD_EINVAL also for no name or no text. */
WARD_API WARD_MUST_USE ward_err ward_config_open_text(const char *name, const char *text,
						      size_t size,
						      const ward_config_listener *listener,
						      ward_config **ret_config);

/** Returns the list `modules`, ended by NULL: the names of shared objects, for the program to load.
 *  A relative name with a '/' is made relative to the folder of the file, "../etc/shop.so"; others
 *  are unchanged. Borrowed until the close. Cost: O(1). */
WARD_API const char *const *ward_config_module_names(const ward_config *config);

/** Returns the line of the name ward_config_module_names()[index], which must exist, and in
 *  *ret_file (NULL: not wanted) the file as errors name it, to report that a module cannot be
 *  loaded. Borrowed until the close. Cost: O(files that it includes). */
WARD_API uint32_t ward_config_module_line(const ward_config *config, size_t index,
					  const char **ret_file);

/**
 * Checks a file completely against these modules, an array ended by NULL; starts nothing. To be
 * called once: after an error the ward_config can only be closed.
 *
 * Ownership  borrows the array for the call, the modules until the close.
 * Cost       O(keys of the file), each compared with everything that is allowed there: fields, and
 *            names in the modules or of strategies; each ref O(actors). For an error also a search
 *            for a proposal: for a wrong ref O(actors), and O(siblings) squared. The names of one
 *            kind in the modules are compared with each other.
 * Errors     WARD_EINVAL as ward_config_open(); a module itself is wrong, which only
 *            ward_err_detail() reports, not the listener; or it was checked before. WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_config_check(ward_config *config,
						  const ward_config_module *const *modules,
						  const ward_config_listener *listener);

/** Reads and checks a file, as ward_config_open() and ward_config_check() do, for a program that
 *  knows its modules. After an error nothing is left behind. Cost: as both. */
WARD_API WARD_MUST_USE ward_err ward_config_load(const char *path,
						 const ward_config_module *const *modules,
						 const ward_config_listener *listener,
						 ward_config **ret_config);

/** Frees a ward_config; NULL is allowed. All systems that were started from it must be destroyed
 *  before. Cost: O(size of the file), and a system call for a log file. */
WARD_API void ward_config_close(ward_config *config);

/* ---- using a ward_config that was checked ------------------------------------------------ */

/**
 * Calls `line` with each line of a picture of the tree that would be started: the dispatchers of
 * the file, then services and actors in the order of their start, children below their parent and
 * indented. The text, without a newline, is borrowed for the call.
 *
 *	shop
 *	  dispatcher disk: threads 2
 *	  system
 *	    journal: behavior journal, dispatcher disk
 *	  user: strategy patient
 *	    tills: supervisor, strategy patient
 *	      left: behavior till
 *
 * Cost       for each actor O(its depth) and O(strategies of file and modules); allocates nothing.
 * Errors     WARD_EINVAL it was not checked.
 */
WARD_API WARD_MUST_USE ward_err ward_config_tree(const ward_config *config,
						 void (*line)(void *arg, const char *text)
							 WARD_NOEXCEPT,
						 void *arg);

/** Returns the number of actors that the file describes below /user, including supervisors, and in
 *  *ret_services the number below /system; both are 0 before the check. An actor counts as one
 *  together with a back-off supervisor or a pool in front of it. Cost: O(actors). */
WARD_API size_t ward_config_count(const ward_config *config, size_t *ret_services);

/**
 * Writes the options in the group `system` to *ret_options, for the program to add to and to create
 * a system with. Missing options are zero, except the log, which is stderr by default. If the log
 * is a file, it is opened here.
 *
 * Ownership  everything that *ret_options points to is borrowed from the config, until the close.
 * Cost       O(1); the first call opens a log file.
 * Errors     WARD_EINVAL it was not checked; WARD_ESYS the log cannot be opened, or is a named pipe
 *            without a reader.
 * Contract   S75
 */
WARD_API WARD_MUST_USE ward_err ward_config_options(ward_config *config, ward_options *ret_options);

/**
 * Starts the services and actors of the file in a system, in the order of the file, each when the
 * previous one runs. A supervisor runs when all actors below it run. If one cannot be started, all
 * are stopped again.
 *
 * Each actor at the top must run within `start-timeout` of the group `system`, 10 seconds by
 * default; one that ends before has not started. Actors that a behaviour starts with
 * ward_config_spawn_children() are started in this order, too, but waited for only at the end.
 * Children of a back-off supervisor are not waited for: they may be down.
 *
 * Ownership  the config must outlive the system.
 * Threads    any outside the system's actors.
 * Cost       O(actors of the file): a block of memory for all of them; for each a spawn, and a
 *            question if it is waited for; one more question for each at the top, and for each that
 *            a behaviour starts, which is looked up by its path. O(depth) for each ref. After an
 *            error O(actors at the top), squared, and the wait for their ends.
 * Errors     WARD_EINVAL it was not checked; those of ward_system_spawn() and of a module's
 *            start(); WARD_EDEAD an actor failed while it started, WARD_ETIMEDOUT:
 *            ward_err_detail() says which, and how. All started actors are stopped then, in reverse
 *            order, and each is waited for as long again; after one that does not end in that time,
 *            the others are not waited for.
 */
WARD_API WARD_MUST_USE ward_err ward_config_spawn(ward_config *config, ward_system *system);

/**
 * Creates a system with the options of the file, and starts everything in it, or nothing.
 *
 * Ownership  *ret_system is the caller's, who ends it with ward_system_destroy() before closing the
 *            config.
 * Cost       as ward_config_options(), ward_system_create() and ward_config_spawn(); after an error
 *            also as ward_system_destroy().
 * Errors     those of ward_config_options(), ward_system_create(), ward_config_spawn().
 */
WARD_API WARD_MUST_USE ward_err ward_config_start(ward_config *config, ward_system **ret_system);

/* ---- inside an actor --------------------------------------------------------------------- */

/** The group `children` of an actor of the file. Opaque; valid as long as the system exists. */
typedef struct ward_config_children ward_config_children;

/**
 * Starts the children that the file lists for the running actor, in its order. A behaviour of the
 * program calls it in pre_start or in init, with the value of its WARD_CONFIG_CHILDREN field.
 *
 * Children whose names exist already stay as they are: a restart may have kept them. ward_child()
 * finds the children. NULL is allowed: no children.
 *
 * Threads    only inside a callback of self.
 * Cost       O(children): for each as ward_spawn(), and O(depth in the file) for each ref in its
 *            arguments. Waits for none.
 * Errors     those of ward_try_spawn() for the first child that is refused; those before it stay.
 */
WARD_API WARD_MUST_USE ward_err ward_config_spawn_children(ward_self *self,
							   const ward_config_children *children);

/** The failure of a supervisor of the file whose children did not all start. It is a
 *  ward_initialization, so the supervisor is stopped by default. */
WARD_API extern const ward_failure_class ward_config_not_started;

WARD_END
#endif
