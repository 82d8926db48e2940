/* SPDX-License-Identifier: MIT
 *
 * ward/config.h - a system and its tree of actors from a file. Of the library ward-config.
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
 * All keys are in ward-config(5). The names of behaviours and failure classes are those of modules:
 * constant tables of the program, which it gives to the reader; nothing is registered behind its
 * back. Two steps: ward_config_load() checks everything and starts nothing; it tells all that is
 * wrong, with file, line, key and what would be right. ward_config_start() starts all, or nothing.
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

#include <ward/system.h>

WARD_BEGIN

/** A file that was read. Opaque. Not to be used by two threads at a time. */
typedef struct ward_config ward_config;

/* ---- what a program gives: fields of arguments -------------------------------------------- */

/** What a key of `args` is in the file, and in the struct. */
typedef enum ward_config_type {
	WARD_CONFIG_END = 0,     /* the last row of a table */
	WARD_CONFIG_BOOL = 1,    /* true; a bool */
	WARD_CONFIG_INT = 2,     /* -3; a signed integer of any size */
	WARD_CONFIG_UINT = 3,    /* 3; an unsigned integer of any size */
	WARD_CONFIG_FLOAT = 4,   /* 0.5, also 2; a double */
	WARD_CONFIG_STRING = 5,  /* "text"; a const char *, borrowed from the ward_config */
	WARD_CONFIG_TEXT = 6,    /* "text"; a char array, in which it fits with its 0 */
	WARD_CONFIG_STRINGS = 7, /* ["a", "b"]; a const char *const *, ended by NULL */
	/** "200 ms", "5 s", "2 min", "1 h", "1 d", "forever", or 200, which are milliseconds; an
	 *  int64_t of milliseconds. */
	WARD_CONFIG_DURATION = 8,
	WARD_CONFIG_SIZE = 9,  /* "64 KiB", "1 MiB", or 65536; an unsigned integer of any size */
	WARD_CONFIG_ENUM = 10, /* "one of names"; an int or an enum */
	WARD_CONFIG_MASK = 11, /* ["some", "of"], the values of these names or'ed; a uint32_t */
	/**
	 * "journal", "/system/journal": another actor of the file; a ward_ref.
	 *
	 * What is named must live at least as long as who names it, restarts of all that is above
	 * them included: a service, or one that stands before it in the same group, or before one
	 * of those it is below. A name without '/' is looked for outwards, from its own group.
	 * With a back-off supervisor in front the ref is that one's; with a pool, the pool's.
	 */
	WARD_CONFIG_REF = 12,
	WARD_CONFIG_STRATEGY = 13, /* "name of one"; a const ward_strategy * */
	WARD_CONFIG_GROUP = 14,    /* { more keys }; a struct with `fields` of its own */
	/** No key of `args`, but the group `children` beside it; a const ward_config_children *,
	 *  for ward_config_spawn_children(). Only with it a behaviour may have children. */
	WARD_CONFIG_CHILDREN = 15
} ward_config_type;

/** A word and what it stands for. A NULL name ends the table. */
typedef struct ward_config_name {
	const char *name;
	int32_t value;
} ward_config_name;

/** One key. A row that is all zero ends the table. */
typedef struct ward_config_field {
	const char *key; /* letters, digits, '-' and '_'; a letter first */
	ward_config_type type;
	uint32_t offset; /* this and the next one: WARD_CONFIG_AT() */
	uint32_t size;
	bool required; /* else what is not there stays as ward_config_behavior.defaults has it */
	/** What is allowed: of the number; of a string how long it is; of strings how many there
	 *  are. Both zero: whatever the type can hold; with a min above 0, a max of 0 is none. */
	double min, max;
	const ward_config_name *names;          /* of an enum, a mask */
	const struct ward_config_field *fields; /* of a group */
	uintptr_t reserved[2];                  /* zero */
} ward_config_field;

/** {"wait", WARD_CONFIG_DURATION, WARD_CONFIG_AT(struct till, wait_ms), .min = 1, .max = 5000} */
#define WARD_CONFIG_AT(T, member)                                                                  \
	.offset = offsetof(T, member), .size = (uint32_t)sizeof(((T *)0)->member)

/** Where the arguments of one actor are being read. Opaque. */
typedef struct ward_config_report ward_config_report;

/** Tells that the value of a key of these arguments is wrong, or that it is missing, and what would
 *  be right: printf's text. `key` may have dots, for groups; NULL: all of them together. Cost:
 *  O(keys of the actor's group and of its arguments), and the listener on this thread. */
WARD_API WARD_PRINTF(3, 4) void ward_config_wrong(ward_config_report *report, const char *key,
						  const char *text, ...);

/* ---- what a program gives: modules ------------------------------------------------------- */

/** A behaviour that files may name. A NULL name ends the table. */
typedef struct ward_config_behavior {
	const char *name;
	const ward_behavior *behavior;
	/** Keys of `args`; NULL: none. They describe behavior->args, whose size must be that of the
	 *  struct. */
	const ward_config_field *fields;
	const void *defaults; /* the struct before a key is read; NULL: all zero */
	/**
	 * Looks at arguments whose keys are all right by themselves, and tells by
	 * ward_config_wrong() what is not; it may change them, too. Refs and children are not there
	 * yet. It starts nothing, and what it makes nobody frees.
	 */
	void (*check)(void *args, ward_config_report *report) WARD_NOEXCEPT;
	uintptr_t reserved[3]; /* zero */
} ward_config_behavior;

/** Functions and strategies that files may name. A NULL name ends a table. */
typedef struct ward_config_strategy {
	const char *name;
	const ward_strategy *strategy;
} ward_config_strategy;
/** See ward_strategy.decide. */
typedef struct ward_config_decider {
	const char *name;
	ward_directive (*decide)(ward_self *self, ward_ref child,
				 const ward_failure *failure) WARD_NOEXCEPT;
} ward_config_decider;
/** See ward_mailbox.priority. */
typedef struct ward_config_priority {
	const char *name;
	int32_t (*priority)(const ward_msg *msg) WARD_NOEXCEPT;
} ward_config_priority;
/** See ward_router.hash. */
typedef struct ward_config_hash {
	const char *name;
	uint64_t (*hash)(const ward_msg *msg) WARD_NOEXCEPT;
} ward_config_hash;

/** For ward_config_module.version. */
enum { WARD_CONFIG_VERSION = 1 };

/**
 * All that a program, or one shared object of it, gives to files. Constant, with all it points to;
 * must outlive every ward_config that was checked against it, and every system started from that.
 *
 * A shared object for the command ward has one, under the name that WARD_CONFIG_SYMBOL says:
 *
 *	WARD_API const ward_config_module ward_module = {
 *		.version = WARD_CONFIG_VERSION, .name = "shop", .behaviors = behaviors,
 *	};
 */
typedef struct ward_config_module {
	uint32_t version; /* WARD_CONFIG_VERSION */
	const char *name; /* for texts */
	const ward_config_behavior *behaviors;
	/** Ended by NULL. ward's own are known, with "ward_" in front and without. A class that is
	 *  called "killed", as one of these without its prefix, is written out in a file, with the
	 *  name of its parent in front: exception-killed. */
	const ward_failure_class *const *failure_classes;
	const ward_config_strategy *strategies;
	const ward_config_decider *deciders;
	const ward_config_priority *priorities;
	const ward_config_hash *hashes;
	/** Called by ward_config_spawn(), in the order of the modules, before the first actor is
	 *  spawned, on the same thread. If one refuses nothing is started; why, it says as a clone
	 *  does (ward/message.h). NULL: nothing to do. */
	ward_err (*start)(ward_system *system) WARD_NOEXCEPT;
	/** Called once for each start() that went well, the last one first, when nothing of the
	 *  tree runs any more: the system is down (see ward_system_on_terminate()), or the start
	 *  came to nothing. */
	void (*stop)(ward_system *system) WARD_NOEXCEPT;
	uintptr_t reserved[4]; /* zero */
} ward_config_module;

/** The name of the table in a shared object. */
#define WARD_CONFIG_SYMBOL "ward_module"

/* ---- reading ----------------------------------------------------------------------------- */

/** Something that is wrong in a file. Borrowed for the call. */
typedef struct ward_config_error {
	const char
		*file; /* as it was named, byte for byte; of what it includes, as it is included */
	uint32_t line; /* from 1; 0: the file as a whole */
	const char *key;  /* "actors.till.restarts", or "" */
	const char *text; /* "unknown key; did you mean \"restarts-max\"?" */
	/* As key and text a line, see ward/text.h: */
	const char *full; /* "shop.conf:12: actors.till.restarts: unknown key; did you mean ..." */
} ward_config_error;

/** Hears what is wrong. NULL, or a zero function: nobody does. */
typedef struct ward_config_listener {
	void (*error)(void *arg, const ward_config_error *error) WARD_NOEXCEPT;
	void *arg;
} ward_config_listener;

/** Bounds of what is read; what is beyond is an error with a text. */
enum {
	WARD_CONFIG_FILE_MAX = 1048576, /* bytes, with all that it includes */
	WARD_CONFIG_DEPTH_MAX = 64,     /* of groups and lists */
	WARD_CONFIG_INCLUDES_MAX = 64,
	WARD_CONFIG_KEYS_MAX = 4096, /* in one group */
	WARD_CONFIG_ERRORS_MAX = 64  /* told of one file */
};

/**
 * Reads a file, and what it includes by `@include "other.conf"`, which is looked for beside it.
 * Checks how it is written, and the list `modules`, nothing else.
 *
 * Ownership  *ret_config is the caller's: end it with ward_config_close(). Borrows the rest for the
 * call.
 * Cost       O(bytes), and O(keys) squared for each group; waits for the disk.
 * Errors     WARD_ENOENT no such file; WARD_ESYS it cannot be read, is no regular file, or became
 *            shorter meanwhile; WARD_EINVAL it is too large, or what it says is wrong: the detail
 *            has the first error, the listener heard all; WARD_ENOMEM. The parser is libconfig,
 *            which does not notice when memory is out: the process may end then.
 */
WARD_API WARD_MUST_USE ward_err ward_config_open(const char *path,
						 const ward_config_listener *listener,
						 ward_config **ret_config);

/** The same with a text in place of a file. `name` stands for it in texts; @include is refused.
 *  Cost: as ward_config_open(), without the disk. */
WARD_API WARD_MUST_USE ward_err ward_config_open_text(const char *name, const char *text,
						      size_t size,
						      const ward_config_listener *listener,
						      ward_config **ret_config);

/** Returns the list `modules`, ended by NULL: names of shared objects, for who can load them. One
 *  with a '/' that is not absolute is given from the folder of the file, "../etc/shop.so"; others
 *  as they are. Borrowed until the close. Cost: O(1). */
WARD_API const char *const *ward_config_module_names(const ward_config *config);

/** Returns the line on which the index-th of them stands, and in *ret_file (NULL: not wanted) the
 *  file, as errors name it; for who has to say that it cannot be loaded. Borrowed until the close.
 *  Cost: O(files that it includes). */
WARD_API uint32_t ward_config_module_line(const ward_config *config, size_t index,
					  const char **ret_file);

/**
 * Checks everything against these modules, an array ended by NULL; starts nothing. Once.
 *
 * Ownership  borrows the array for the call, the modules until the close.
 * Cost       O(keys of the file), each held against all that may stand there: fields, and names of
 *            the modules or of strategies; each ref O(actors). An error also looks for what would
 *            be right: for a wrong ref O(actors), and O(siblings) squared. The names of one kind
 *            in modules are held against each other.
 * Errors     WARD_EINVAL as above, or a module is wrong itself: the detail says which, the listener
 *            does not; or it was checked before. WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_config_check(ward_config *config,
						  const ward_config_module *const *modules,
						  const ward_config_listener *listener);

/** ward_config_open() and ward_config_check(), for a program that knows its modules. Then nothing
 *  is left behind if it is refused. Cost: that of both. */
WARD_API WARD_MUST_USE ward_err ward_config_load(const char *path,
						 const ward_config_module *const *modules,
						 const ward_config_listener *listener,
						 ward_config **ret_config);

/** Frees it; NULL is fine. The systems that were started from it must be destroyed. Cost: O(what
 *  was read), and a system call for a log of its own. */
WARD_API void ward_config_close(ward_config *config);

/* ---- using. For a config that was checked ------------------------------------------------ */

/**
 * Calls `line` with each line of a picture of the tree that would be started: services and actors
 * in the order of their start, children below them and indented. The text, without a newline, is
 * borrowed for the call.
 *
 *	shop
 *	  system
 *	    journal: behavior journal, dispatcher disk
 *	  user: strategy patient
 *	    tills: supervisor, strategy patient
 *	      left: behavior till
 *
 * Cost       for each actor O(its depth, and strategies of file and modules); allocates nothing.
 * Errors     WARD_EINVAL it was not checked.
 */
WARD_API WARD_MUST_USE ward_err ward_config_tree(const ward_config *config,
						 void (*line)(void *arg, const char *text)
							 WARD_NOEXCEPT,
						 void *arg);

/** Returns how many actors the file describes below /user, supervisors included, and in
 *  *ret_services how many below /system. One with a back-off supervisor, or a pool, in front counts
 *  as one. Cost: O(actors). */
WARD_API size_t ward_config_count(const ward_config *config, size_t *ret_services);

/**
 * Returns what the group `system` says, to add to and to create a system with. What it does not say
 * is zero; the log is there, though: to stderr, if it says nothing else. A log that is a file is
 * opened here.
 *
 * Ownership  all that it points to is borrowed from the config, until the close.
 * Cost       O(1); the first one opens the log, where that is a file.
 * Errors     WARD_EINVAL it was not checked; WARD_ESYS the log cannot be opened, or is a named pipe
 *            that nobody reads.
 * Contract   S75
 */
WARD_API WARD_MUST_USE ward_err ward_config_options(ward_config *config, ward_options *ret_options);

/**
 * Starts services and actors in a system, in the order of the file, each when the one before it
 * runs; a supervisor runs when all below it do. All, or nothing.
 *
 * `start-timeout` of the group `system` counts for each at the top, 10 seconds by default. One that
 * ends before it runs has not started. What a behaviour starts with ward_config_spawn_children()
 * starts in this order, too, but is not waited for in between; only all of it, in the end. Behind a
 * back-off supervisor nothing is waited for: its child may be down.
 *
 * Ownership  the config must outlive the system.
 * Threads    any outside the system's actors.
 * Cost       O(actors of the file): a block of memory for all of them, then for each a spawn, and a
 *            question where it is waited for; one more for each at the top, and for each that a
 *            behaviour starts, which is looked for by its path. O(depth) for each ref. When it
 *            comes to nothing O(actors at the top), squared, and the wait for their ends.
 * Errors     WARD_EINVAL it was not checked; those of ward_system_spawn() and of a module's
 *            start(); WARD_EDEAD one has failed while it started, WARD_ETIMEDOUT: the detail says
 *            which, and how. Then all that was started was stopped, the last one first, and
 *            each waited for as long again; none after one that has not ended in that time.
 */
WARD_API WARD_MUST_USE ward_err ward_config_spawn(ward_config *config, ward_system *system);

/**
 * Creates a system with the options of the file, and starts all in it, or nothing.
 *
 * Ownership  *ret_system is the caller's: end it with ward_system_destroy(), before the config is
 * closed.
 * Cost       those of ward_config_options(), ward_system_create(), ward_config_spawn(); when it
 *            comes to nothing also that of ward_system_destroy().
 * Errors     those of ward_config_options(), ward_system_create(), ward_config_spawn().
 */
WARD_API WARD_MUST_USE ward_err ward_config_start(ward_config *config, ward_system **ret_system);

/* ---- inside ------------------------------------------------------------------------------ */

/** The group `children` of an actor of the file. Opaque; lives as long as the system. */
typedef struct ward_config_children ward_config_children;

/**
 * Starts the children that the file gives to the running actor, in its order: for a behaviour of
 * the program, which calls it in pre_start, or in init, with what WARD_CONFIG_CHILDREN gave it.
 *
 * Those that are there already, by their name, stay: a restart may keep them. ward_child() finds
 * them. NULL is fine: there are none.
 *
 * Threads    the running actor.
 * Cost       O(children): for each as ward_spawn(), and O(depth in the file) for each ref in its
 *            arguments. Waits for none.
 * Errors     those of ward_spawn(), at the first that is refused; those before it run on.
 */
WARD_API WARD_MUST_USE ward_err ward_config_spawn_children(ward_self *self,
							   const ward_config_children *children);

/** The failure of a supervisor of the file whose children did not all start. An initialization, so
 *  it is stopped by default. */
WARD_API extern const ward_failure_class ward_config_not_started;

WARD_END
#endif
