/* SPDX-License-Identifier: MIT
 *
 * ward/object.h - active objects: a struct with a table of methods, behind an actor.
 * Of the library ward-akka-zero.
 *
 *	static const ward_method methods[] = {
 *		{"deposit", sizeof(int64_t), 0, account_deposit},	answers nothing
 *		{"balance", 0, sizeof(int64_t), account_balance},	answers
 *	};
 *	static const ward_object_class account = {
 *		.name = "account", .methods = methods, .methods_count = 2,
 *		.state_size = sizeof(struct account), .create = account_create};
 *
 *	static const ward_strategy three_in_a_second = {
 *		.scope = WARD_ALL_FOR_ONE, .rules = {{&ward_exception, WARD_RESTART}},
 *		.restarts_max = 3, .window_ms = WARD_SECOND};
 *	static const ward_component components[] = {
 *		{.object_class = &account, .timeout_ms = WARD_SECOND},
 *		{.object_class = &journal, .post_restart_method = "reopen"},
 *		{0}};
 *
 *	err = ward_objects_configure(&three_in_a_second, components, &objects);
 *	err = ward_objects_supervise(objects, system, WARD_FOREVER);
 *	err = ward_objects_get(objects, &account, NULL, &acc);
 *	ward_object_tell(&acc, DEPOSIT, &cents, sizeof cents);
 *	err = ward_object_call(&acc, BALANCE, NULL, 0, &cents, sizeof cents);
 *
 * An object handles one call at a time, in the order of a mailbox. A method without an answer lets
 * its caller go on at once. Of one with an answer the caller waits, as long as the component's
 * timeout says; or, in an actor, the answer comes as a message to its receive.
 *
 * A method that fails is an actor that fails: the manager's strategy decides, and a restart makes
 * the object anew with `create`, runs `pre_restart` before that on the old one and `post_restart`
 * after it on the new one; calls that wait in the mailbox are not lost. The one whose call failed
 * is told so: WARD_EFAILED, with the text of the failure, cut to 95 bytes where the answer has no
 * room for more.
 *
 * What goes into a call and what comes out of it are bytes that are copied: numbers, and structs of
 * them by value. A pointer among them is nobody's: what it points to is neither copied nor kept.
 *
 * This header is complete. ward/proxy.h makes of a list of methods the table, and functions that
 * read `account_deposit(acc, 5)`.
 */
#ifndef WARD_OBJECT_H
#define WARD_OBJECT_H

#include <ward/ask.h>
#include <ward/inbox.h>

WARD_BEGIN

/** How many bytes the arguments of a method may have, and its answer. */
enum { WARD_METHOD_BYTES = 4096 };

/** A method. Its place in the table is its number. */
typedef struct ward_method {
	const char *name;
	uint32_t args_size;   /* 0: it takes none */
	uint32_t answer_size; /* 0: it has no answer, and nobody waits for it */
	/** Runs as the object's actor. `args` is NULL where there are none, `ret_answer`, zeroed,
	 *  where there is no answer; both are aligned to 16 and end with the call. */
	ward_result (*call)(ward_self *self, void *object, const void *args,
			    void *ret_answer) WARD_NOEXCEPT;
} ward_method;

/** A callback around a restart. `why`: what the object failed of, or its sibling, or a parent. */
typedef ward_result (*ward_object_hook)(ward_self *self, void *object,
					const ward_failure *why) WARD_NOEXCEPT;

/** A class of objects. Constant; must outlive them. Only `name` and the methods must be set. */
typedef struct ward_object_class {
	const char *name; /* of an actor, where a component has no id */
	const ward_method *methods;
	uint32_t methods_count;
	size_t state_size;     /* of the struct: zeroed for each instance, aligned for any type */
	const ward_type *args; /* the type of component.args; NULL: takes none */
	/** The constructor: of each instance, so at the start and in each restart. */
	ward_result (*create)(ward_self *self, void *object, const void *args) WARD_NOEXCEPT;
	/** The end of each instance: at a stop, and in a restart after pre_restart. An error in it
	 *  is only reported. One that did not get through create or, in a restart, post_restart, is
	 *  no instance when it is made anew: what must go then, too, is deferred (ward_defer()). */
	ward_result (*destroy)(ward_self *self, void *object) WARD_NOEXCEPT;
	/** Gets messages that are no calls: what ends a question of its own, a timer. */
	ward_result (*receive)(ward_self *self, void *object, const ward_msg *msg) WARD_NOEXCEPT;
	ward_object_hook pre_restart;  /* on the old instance; an error is only reported */
	ward_object_hook post_restart; /* on the new one, after create; it may fail */
	uintptr_t reserved[4];         /* zero */
} ward_object_class;

/** An object to be made and supervised. Only `object_class` must be set; NULL ends a table. */
typedef struct ward_component {
	const ward_object_class *object_class;
	const char *id;     /* the name of its actor, too. NULL: the name of the class */
	int64_t timeout_ms; /* who calls it waits so long; 0: 5 seconds; or WARD_FOREVER */
	/** It is not restarted: where the strategy says so it is stopped, as a stop always is, and
	 *  also where another's failure restarts all. False: it is permanent. */
	bool temporary;
	ward_body args; /* WARD_ARGS(T, ...), for create; copied */
	/** The callbacks of the restart, in place of the class's: by pointer, or by the name of a
	 *  method without arguments and answer. */
	ward_object_hook pre_restart, post_restart;
	const char *pre_restart_method, *post_restart_method;
	ward_mailbox mailbox;
	const char *dispatcher; /* as in ward_props */
	uintptr_t reserved[4];  /* zero */
} ward_component;

/** An object, for those who call it: a value. Copy it freely; nothing to release. It stays good
 *  over restarts, and a call to one that has ended says so. */
typedef struct ward_object {
	ward_ref ref;
	ward_system *system;
	const ward_object_class *object_class;
	int64_t timeout_ms;
} ward_object;

/* ---- the manager ------------------------------------------------------------------------- */

/** Objects with a strategy: the active object manager. Opaque; ended by ward_objects_release(). */
typedef struct ward_objects ward_objects;

/**
 * Makes a manager of these components, in this order.
 *
 * Ownership  borrows the strategy (NULL: ward_default_strategy) and the classes as long as the
 *            objects live; copies the rest. Returns *ret_objects. Memory is that of malloc().
 * Threads    any.
 * Cost       O(components), squared for their ids; for each O(methods), squared for their names,
 *            and a copy of its texts and arguments.
 * Errors     WARD_EINVAL something in a class, a component or the strategy is wrong; the detail
 *            names it. WARD_EEXIST an id is there twice; WARD_ENOENT no such method for a
 *            callback; WARD_ESIZE, WARD_EUNIQUE of arguments; WARD_ENOMEM.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_objects_configure(const ward_strategy *strategy,
						       const ward_component *components,
						       ward_objects **ret_objects);

/**
 * Starts all of them, under a supervisor at the top, and waits until the last one is there. All or
 * nothing: when one cannot start, those that did are stopped, and awaited, timeout_ms at most; but
 * not so after WARD_ETIMEDOUT. The supervisor has a generated name; one of its own it gets by
 * ward_system_spawn() of a ward_objects_supervisor, and nobody waits then.
 *
 * Threads    any outside the system's actors. An actor spawns a ward_objects_supervisor.
 * Units      timeout_ms milliseconds, above 0; WARD_FOREVER.
 * Cost       as ward_system_spawn() and ward_system_ask_send(); for each component as ward_spawn()
 *            and ward_ask_send(), and a watch. Later O(components) for each failure and each end.
 * Errors     WARD_EFAILED a constructor failed for good, the detail has its text; WARD_EEXIST they
 *            are supervised already; WARD_ETIMEDOUT; WARD_ETHREAD; those of ward_system_spawn(),
 *            also of a component, such as WARD_ENAME of an id.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_objects_supervise(ward_objects *objects, ward_system *system,
						       int64_t timeout_ms);

/** The arguments of a supervisor of objects. */
struct ward_supervised {
	ward_objects *objects; /* borrowed until the spawn, which shares them */
	uintptr_t reserved[2]; /* zero */
};
WARD_MESSAGE(ward_supervised);

/**
 * The supervisor of objects, in a tree of one's own: give it props with a ward_supervised.
 *
 *	ward_spawn(self, &ward_objects_supervisor, .name = "bank",
 *		   .args = WARD_ARGS(ward_supervised, .objects = objects));
 *
 * The objects are there when it has had its first turn; calls before that wait. A failure that the
 * strategy escalates, or decides not at all, is a failure of the supervisor. It stops when the last
 * of its objects is gone.
 *
 * Cost       as ward_objects_supervise(), but for the wait.
 * Errors     of the spawn: WARD_EINVAL no objects. It fails with ward_misuse where the objects are
 *            supervised already, with ward_initialization where one of them does not start.
 * Contract   S124
 */
WARD_API extern const ward_behavior ward_objects_supervisor;

/**
 * Finds an object by class, by id, or by both; one of the two may be NULL.
 *
 * Threads    any, actors too: it does not wait.
 * Cost       O(components).
 * Errors     WARD_ENOENT no such component; WARD_ETYPE the one with this id is of another class;
 *            WARD_EINVAL several are of this class, or neither is given; WARD_EDEAD it is not there
 *            yet, or not any more.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_objects_get(const ward_objects *objects,
						 const ward_object_class *object_class,
						 const char *id, ward_object *ret_object);

/** Returns the supervisor, to stop or watch it, or nobody: not there yet, or gone. Threads: any.
 *  Cost: O(1). */
WARD_API ward_ref ward_objects_ref(const ward_objects *objects);

/** Releases the manager; NULL is fine. The objects live on. Threads: any, once. Cost: O(1); where
 *  no supervisor has it any more O(components), to free it. */
WARD_API void ward_objects_release(ward_objects *objects);

/* ---- methods ----------------------------------------------------------------------------- */

/** Returns the number of a method by its name; WARD_METHOD_NONE: there is none. Cost:
 *  O(methods). */
WARD_API uint32_t ward_method_find(const ward_object_class *object_class, const char *name);
/** See above. */
#define WARD_METHOD_NONE UINT32_MAX

/** Returns the number of the method that a message calls; WARD_METHOD_NONE: it is no call. It is
 *  for the `priority` of a component's mailbox. Threads: any. Cost: O(1). */
WARD_API uint32_t ward_object_method(const ward_msg *msg);

/* ---- calling, from a thread outside ------------------------------------------------------ */

/**
 * Calls a method that has no answer, and goes on. What does not arrive is a dead letter; so is a
 * call of a method that has an answer, or with arguments of another size, as misuse.
 *
 * Threads    any. An actor may do this, too, but had better use ward_object_tell_from().
 * Order      FIFO from this thread to this object.
 * Cost       as ward_system_send(), a copy of the arguments, and O(length of the class's name).
 * Contract   S124
 */
WARD_API void ward_object_tell(const ward_object *object, uint32_t method, const void *args,
			       size_t size);

/** The same, or says why not. Cost: as ward_object_tell(). Errors: WARD_EDEAD, WARD_EFULL,
 *  WARD_ENOMEM; WARD_EINVAL no such method, or it has an answer; WARD_ESIZE. */
WARD_API WARD_MUST_USE ward_err ward_object_try_tell(const ward_object *object, uint32_t method,
						     const void *args, size_t size);

/**
 * Calls a method that has an answer, and waits for it as long as the component's timeout says.
 *
 * Threads    any outside the system's actors.
 * Cost       as ward_system_ask_send(), two copies of what is passed, and O(length of the class's
 * name).
 * Errors     WARD_EFAILED the method failed, and the detail has its text; WARD_ETIMEDOUT;
 *            WARD_EDEAD the object is gone, or went, or found no memory for its answer, or is not
 *            of the class that the handle says; WARD_ETHREAD on a thread that runs an actor: use
 *            ward_object_ask() there; WARD_EFULL; WARD_ENOMEM; WARD_EINVAL no such method, or it
 *            has no answer; WARD_ESIZE. *ret_answer is written on WARD_OK only.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_object_call(const ward_object *object, uint32_t method,
						 const void *args, size_t size, void *ret_answer,
						 size_t answer_size);

/** Calls in the name of an inbox: the answer comes there, to be read with ward_object_answered().
 *  What does not arrive is a dead letter, and has no answer, nor has one whose object ends. Cost:
 *  as ward_object_tell(). Errors: WARD_EINVAL, WARD_ESIZE; as ward_object_call(). */
WARD_API WARD_MUST_USE ward_err ward_object_ask_inbox(ward_inbox *inbox, const ward_object *object,
						      uint32_t method, const void *args,
						      size_t size);

/* ---- calling, as an actor ---------------------------------------------------------------- */

/** Calls a method that has no answer, as ward_object_tell() does, in order with all else that self
 *  sends to this object. Cost: as ward_send(), a copy of the arguments, and O(length of the
 *  class's name). */
WARD_API void ward_object_tell_from(ward_self *self, const ward_object *object, uint32_t method,
				    const void *args, size_t size);

/** The same, or says why not. Cost: as ward_object_tell_from(). Errors: as ward_object_try_tell().
 */
WARD_API WARD_MUST_USE ward_err ward_try_object_tell_from(ward_self *self,
							  const ward_object *object,
							  uint32_t method, const void *args,
							  size_t size);

/**
 * Calls a method that has an answer: a question with this tag, as of ward_ask_send(). Its one end
 * comes to receive, where ward_ask_tag() returns the tag and ward_object_answered() the answer.
 *
 * Cost       as ward_ask_send(), a copy of the arguments, and O(length of the class's name).
 * Errors     those of ward_ask_send(), and nothing comes then; WARD_EINVAL no such method, or it
 *            has no answer; WARD_ESIZE.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_try_object_ask(ward_self *self, const ward_object *object,
						    uint64_t tag, uint32_t method, const void *args,
						    size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_object_ask(ward_self *self, const ward_object *object, uint64_t tag,
				   uint32_t method, const void *args, size_t size)
{
	(void)ward_noted_(self, ward_try_object_ask(self, object, tag, method, args, size));
}

/**
 * Reads what ended a call of this method: in receive, or from an inbox.
 *
 * Cost       a copy of the answer, and O(length of the class's name).
 * Errors     WARD_EFAILED the method failed, and the detail has its text; what a ward_ask_failed
 *            says: WARD_ETIMEDOUT, WARD_EDEAD, WARD_EFULL, WARD_ENOMEM; WARD_ETYPE the message is
 *            no end of such a call; WARD_ESIZE. *ret_answer is written on WARD_OK only.
 */
WARD_API WARD_MUST_USE ward_err ward_object_answered(const ward_msg *msg,
						     const ward_object_class *object_class,
						     uint32_t method, void *ret_answer,
						     size_t answer_size);

/* ---- answering later, as an object ------------------------------------------------------- */

/** A call whose answer is still to come: a value. */
typedef struct ward_object_question {
	uint64_t number;
} ward_object_question;

/**
 * Keeps the call that runs from being answered when the method returns: for one that has to ask
 * somebody itself. Answer it with ward_object_answer(), from any later callback.
 *
 * It belongs to the instance: when that ends, by a restart or a stop, the caller is told
 * WARD_EFAILED.
 *
 * Threads    only in a method that has an answer; once in a call. Not in other actors than objects.
 * Cost       O(1), and a record, until it is answered.
 * Errors     WARD_EINVAL nobody waits for this answer; WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_try_object_hold(ward_self *self,
						     ward_object_question *ret_question);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline ward_object_question ward_object_hold(ward_self *self)
{
	ward_object_question question = {0};

	(void)ward_noted_(self, ward_try_object_hold(self, &question));
	return question;
}

/** Answers a call that was held. Threads: only in callbacks of its object. Cost: O(calls that are
 *  held), a copy of the answer, and as ward_send(). Errors: WARD_ENOENT it is answered already;
 *  WARD_ESIZE, and it is still open. */
WARD_API WARD_MUST_USE ward_err ward_try_object_answer(ward_self *self,
						       ward_object_question question,
						       const void *answer, size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns WARD_DONE, as
 *  ward_answer() does. Cost: the same. */
static inline ward_result ward_object_answer(ward_self *self, ward_object_question question,
					     const void *answer, size_t size)
{
	(void)ward_noted_(self, ward_try_object_answer(self, question, answer, size));
	return WARD_DONE;
}

WARD_END
#endif
