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
 * An object handles one call at a time, in the order of its mailbox. A method without an answer
 * lets its caller continue at once. For a method with an answer a thread waits, for the component's
 * timeout; an actor does not wait, and gets the answer as a message.
 *
 * The failure of a method is the failure of an actor: the manager's strategy decides. A restart
 * runs `pre_restart` on the old object, makes a new one with `create`, and runs `post_restart` on
 * it; calls that wait in the mailbox are not lost. If the object is stopped, their callers get
 * WARD_EDEAD. The caller of the failed method gets WARD_EFAILED, whatever the strategy decides,
 * with the text of the failure: its first 95 bytes, or more if the method has a larger answer.
 *
 * Arguments and answers are copied as bytes: numbers, and structs of them by value. The target of a
 * pointer in them is neither copied nor kept.
 *
 * This header is complete. From a list of methods, ward/proxy.h generates the table, and functions
 * that read `account_deposit(acc, 5)`.
 */
#ifndef WARD_OBJECT_H
#define WARD_OBJECT_H

#include <ward/ask.h>
#include <ward/inbox.h>

WARD_BEGIN

/** The largest size of the arguments of a method, and of its answer, in bytes. */
enum { WARD_METHOD_BYTES = 4096 };

/** A method. Its index in the table is its number. */
typedef struct ward_method {
	const char *name;
	uint32_t args_size;   /* 0: no arguments */
	uint32_t answer_size; /* 0: no answer; callers do not wait */
	/** Runs in the object's actor. `args` is NULL if there are none. `ret_answer` is zeroed,
	 *  and NULL if there is no answer. Both are aligned to 16 and valid for the call. Returns
	 *  WARD_DONE, or the value of ward_failed(); WARD_UNHANDLED is a failure, ward_misuse. */
	ward_result (*call)(ward_self *self, void *object, const void *args,
			    void *ret_answer) WARD_NOEXCEPT;
} ward_method;

/** A hook around a restart. `why` is the failure of the object, of a sibling or of a parent. */
typedef ward_result (*ward_object_hook)(ward_self *self, void *object,
					const ward_failure *why) WARD_NOEXCEPT;

/** A class of objects. Constant; must outlive them. `name`, `methods` and `methods_count` must be
 *  set. */
typedef struct ward_object_class {
	const char *name; /* of the actor, if the component has no id */
	const ward_method *methods;
	uint32_t methods_count;
	/** Of the object's struct, zeroed for each instance and aligned for any type. */
	size_t state_size;
	const ward_type *args; /* the type of component.args; NULL: no arguments */
	/** The constructor: runs for each instance, at the start and at each restart. */
	ward_result (*create)(ward_self *self, void *object, const void *args) WARD_NOEXCEPT;
	/** The destructor: runs at the end of each instance, at a stop and, in a restart, after
	 *  pre_restart. An error in it is only reported. An instance whose create or, in a restart,
	 *  post_restart failed is not destroyed when it is replaced: for its clean-up use
	 *  ward_defer(). */
	ward_result (*destroy)(ward_self *self, void *object) WARD_NOEXCEPT;
	/** Gets messages that are not calls, such as answers to its own questions and timers. */
	ward_result (*receive)(ward_self *self, void *object, const ward_msg *msg) WARD_NOEXCEPT;
	ward_object_hook pre_restart;  /* on the old instance; an error is only reported */
	ward_object_hook post_restart; /* on the new instance, after create; it may fail */
	uintptr_t reserved[4];         /* zero */
} ward_object_class;

/** An object to be created and supervised. Only `object_class` must be set; NULL ends a table. */
typedef struct ward_component {
	const ward_object_class *object_class;
	const char *id;     /* also the name of its actor; NULL: the name of the class */
	int64_t timeout_ms; /* how long a caller waits; 0: 5 seconds; or WARD_FOREVER */
	/** true: it is stopped where the strategy would restart it, also together with others.
	 *  false: it is permanent. */
	bool temporary;
	ward_body args; /* WARD_ARGS(T, ...), for create; copied */
	/** Hooks of the restart, in place of those of the class: as functions, or as the name of a
	 *  method without arguments and answer. */
	ward_object_hook pre_restart, post_restart;
	const char *pre_restart_method, *post_restart_method;
	ward_mailbox mailbox;
	const char *dispatcher; /* as in ward_props */
	uintptr_t reserved[4];  /* zero */
} ward_component;

/** An object, as its callers see it: a value. Copy it freely; there is nothing to release. It stays
 *  valid over restarts; a call to an object that has ended returns WARD_EDEAD. */
typedef struct ward_object {
	ward_ref ref;
	ward_system *system;
	const ward_object_class *object_class;
	int64_t timeout_ms;
} ward_object;

/* ---- the manager ------------------------------------------------------------------------- */

/** A set of objects with a strategy: the active object manager. Opaque; released by
 *  ward_objects_release(). */
typedef struct ward_objects ward_objects;

/**
 * Makes a manager of these components, in this order.
 *
 * A strategy that has rules or a `decide`, and leaves a failure undecided, escalates it; WARD_LATER
 * counts as undecided.
 *
 * Ownership  borrows the strategy (NULL: ward_default_strategy) and the classes as long as the
 *            objects live; copies the rest. *ret_objects is the caller's. Memory is from malloc().
 * Threads    any.
 * Cost       O(components), squared for their ids; for each O(methods), squared for their names,
 *            and a copy of its texts and arguments.
 * Errors     WARD_EINVAL there is no component, or a class, a component or the strategy is invalid;
 *            ward_err_detail() names it; WARD_EEXIST two components have the same id; WARD_ENOENT
 *            no such method for a hook; WARD_ESIZE, WARD_EUNIQUE for arguments; WARD_ENOMEM.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_objects_configure(const ward_strategy *strategy,
						       const ward_component *components,
						       ward_objects **ret_objects);

/**
 * Starts all objects, under a supervisor at the top, and waits until all have been created. If one
 * cannot start, those that started are stopped. The call waits for their end for at most
 * timeout_ms; after WARD_ETIMEDOUT it does not wait.
 *
 * The supervisor has a generated name. To choose its name, spawn a ward_objects_supervisor with
 * ward_system_spawn(), which does not wait for the objects.
 *
 * Threads    any outside the system's actors. Inside an actor, spawn a ward_objects_supervisor.
 * Units      timeout_ms milliseconds, more than 0; WARD_FOREVER: no limit.
 * Cost       as ward_system_spawn() and ward_system_ask_send(); for each component as ward_spawn()
 *            and ward_ask_send(), and a watch. Later O(components) for each failure and each end.
 * Errors     WARD_EFAILED a constructor failed for good, ward_err_detail() has its text;
 *            WARD_EEXIST the objects are supervised already; WARD_ETIMEDOUT; WARD_ETHREAD; those of
 *            ward_system_spawn(), also for a component, such as WARD_ENAME for an id.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_objects_supervise(ward_objects *objects, ward_system *system,
						       int64_t timeout_ms);

/** The arguments of a supervisor of objects. */
struct ward_supervised {
	ward_objects *objects; /* borrowed until the spawn, which shares it */
	uintptr_t reserved[2]; /* zero */
};
WARD_MESSAGE(ward_supervised);

/**
 * The behaviour of a supervisor of objects, for a tree of your own. Its arguments are a
 * ward_supervised.
 *
 *	ward_spawn(self, &ward_objects_supervisor, .name = "bank",
 *		   .args = WARD_ARGS(ward_supervised, .objects = objects));
 *
 * The objects exist after its first turn; earlier calls wait. A failure that the strategy escalates
 * is a failure of the supervisor. It stops when its last object is gone.
 *
 * Cost       as ward_objects_supervise(), without the wait.
 * Errors     of the spawn: WARD_EINVAL no objects. It fails with ward_misuse if the objects are
 *            supervised already, with ward_initialization if one of them does not start.
 * Contract   S124
 */
WARD_API extern const ward_behavior ward_objects_supervisor;

/**
 * Finds an object by its class, its id, or both; one of the two may be NULL.
 *
 * Threads    any, including actors: it does not wait.
 * Cost       O(components).
 * Errors     WARD_ENOENT no such component; WARD_ETYPE the component with this id has another
 *            class; WARD_EINVAL several components have this class, or neither is given; WARD_EDEAD
 *            the object does not exist yet, or has ended.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_objects_get(const ward_objects *objects,
						 const ward_object_class *object_class,
						 const char *id, ward_object *ret_object);

/** Returns the supervisor, to stop or watch it; nobody if it does not exist yet or has ended.
 *  Threads: any. Cost: O(1). */
WARD_API ward_ref ward_objects_ref(const ward_objects *objects);

/** Releases a manager; NULL is allowed. The objects live on, and each ward_object that was got from
 *  it stays valid; the manager itself must not be used again. Threads: any, once. Cost: O(1); if
 *  no supervisor uses it any longer, O(components), to free it. */
WARD_API void ward_objects_release(ward_objects *objects);

/* ---- methods ----------------------------------------------------------------------------- */

/** Returns the number of a method by its name, or WARD_METHOD_NONE. Threads: any. Cost:
 *  O(methods). */
WARD_API uint32_t ward_method_find(const ward_object_class *object_class, const char *name);
/** The number of no method. */
#define WARD_METHOD_NONE UINT32_MAX

/** Returns the number of the method that a message calls; WARD_METHOD_NONE: the message is not a
 *  call. For the `priority` of a component's mailbox. Threads: any. Cost: O(1). */
WARD_API uint32_t ward_object_method(const ward_msg *msg);

/* ---- calling, from a thread outside ------------------------------------------------------ */

/**
 * Calls a method without an answer, and continues at once. A call that does not arrive is a dead
 * letter; so is a call of a method that does not exist, or has an answer, or with arguments of
 * another size (WARD_REASON_MISUSE).
 *
 * Threads    any. In an actor, ward_object_tell_from() is better.
 * Order      FIFO from this thread to this object.
 * Cost       as ward_system_send(), a copy of the arguments, and O(length of the class's name).
 * Contract   S124
 */
WARD_API void ward_object_tell(const ward_object *object, uint32_t method, const void *args,
			       size_t size);

/** Calls like ward_object_tell(), or returns why it cannot. Threads: any. Cost: as
 *  ward_object_tell(). Errors: WARD_EDEAD, WARD_EFULL, WARD_ENOMEM; WARD_EINVAL no such method, or
 *  it has an answer; WARD_ESIZE. */
WARD_API WARD_MUST_USE ward_err ward_object_try_tell(const ward_object *object, uint32_t method,
						     const void *args, size_t size);

/**
 * Calls a method with an answer, and waits for the answer, for the component's timeout.
 *
 * Threads    any outside the system's actors.
 * Cost       as ward_system_ask_send(), two copies of the arguments and the answer, and O(length of
 *            the class's name).
 * Errors     WARD_EFAILED the method failed, ward_err_detail() has the text; WARD_ETIMEDOUT;
 *            WARD_EDEAD the object has ended, found no memory for its answer, or is not of the
 *            class in the handle; WARD_ETHREAD on a thread that runs an actor: use
 *            ward_object_ask() there; WARD_EFULL; WARD_ENOMEM; WARD_EINVAL no such method, or it
 *            has no answer; WARD_ESIZE. *ret_answer is written on WARD_OK only.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_object_call(const ward_object *object, uint32_t method,
						 const void *args, size_t size, void *ret_answer,
						 size_t answer_size);

/** Calls a method as an inbox: the inbox gets the answer, or the failure of the method, to be read
 *  with ward_object_answered(). A call that does not arrive is a dead letter and has no answer; nor
 *  has a call whose object ends. Cost: as ward_object_tell(). Errors: WARD_EINVAL no inbox, no such
 *  method, or it has no answer; WARD_ESIZE. */
WARD_API WARD_MUST_USE ward_err ward_object_ask_inbox(ward_inbox *inbox, const ward_object *object,
						      uint32_t method, const void *args,
						      size_t size);

/* ---- calling, inside an actor ------------------------------------------------------------ */

/** Calls a method without an answer, as ward_object_tell() does, in order with all other messages
 *  from self to this object. Cost: as ward_send(), a copy of the arguments, and O(length of the
 *  class's name). */
WARD_API void ward_object_tell_from(ward_self *self, const ward_object *object, uint32_t method,
				    const void *args, size_t size);

/** Calls like ward_object_tell_from(), or returns why it cannot. Cost: as ward_object_tell_from().
 *  Errors: as ward_object_try_tell(). */
WARD_API WARD_MUST_USE ward_err ward_try_object_tell_from(ward_self *self,
							  const ward_object *object,
							  uint32_t method, const void *args,
							  size_t size);

/**
 * Calls a method with an answer, as a question with this tag: see ward_ask_send(). Its end arrives
 * in receive, where ward_ask_tag() returns the tag and ward_object_answered() the answer.
 *
 * Cost       as ward_ask_send(), a copy of the arguments, and O(length of the class's name).
 * Errors     those of ward_ask_send(); WARD_EINVAL no such method, or it has no answer; WARD_ESIZE.
 *            Nothing arrives then.
 * Contract   S124
 */
WARD_API WARD_MUST_USE ward_err ward_try_object_ask(ward_self *self, const ward_object *object,
						    uint64_t tag, uint32_t method, const void *args,
						    size_t size);
/** Calls ward_try_object_ask(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_object_ask(ward_self *self, const ward_object *object, uint64_t tag,
				   uint32_t method, const void *args, size_t size)
{
	(void)ward_noted_(self, ward_try_object_ask(self, object, tag, method, args, size));
}

/**
 * Reads the end of a call of this method, in receive or from an inbox. Returns WARD_OK if the
 * message is its answer. A ward_ask_failed is read as the end of this call, whatever the question
 * was: check ward_ask_tag() first.
 *
 * Cost       a copy of the answer, and O(length of the class's name).
 * Errors     WARD_EFAILED the method failed, ward_err_detail() has the text; the error in a
 *            ward_ask_failed: WARD_ETIMEDOUT, WARD_EDEAD, WARD_EFULL, WARD_ENOMEM; WARD_ETYPE the
 *            message is not the end of such a call; WARD_EINVAL no such method, or it has no
 *            answer; WARD_ESIZE. *ret_answer is written on WARD_OK only.
 */
WARD_API WARD_MUST_USE ward_err ward_object_answered(const ward_msg *msg,
						     const ward_object_class *object_class,
						     uint32_t method, void *ret_answer,
						     size_t answer_size);

/* ---- answering later, as an object ------------------------------------------------------- */

/** A call that is still to be answered: a value. */
typedef struct ward_object_question {
	uint64_t number;
} ward_object_question;

/**
 * Keeps the current call open when the method returns, for a method that must ask another actor
 * first. Answer it with ward_object_answer() in any later callback.
 *
 * The call belongs to the instance: if that ends, by a restart or a stop, the caller gets
 * WARD_EFAILED. If the method then fails and the object is resumed, the call stays open. What the
 * method writes to `ret_answer` is ignored.
 *
 * Threads    only in a method of an object that has an answer; once in a call.
 * Cost       O(1), and a record until it is answered.
 * Errors     WARD_EINVAL the call has no answer, or is kept open already; WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_try_object_hold(ward_self *self,
						     ward_object_question *ret_question);
/** Keeps the current call open like ward_try_object_hold(), and returns it. A refusal makes self
 *  fail when the callback returns: see ward_failed_err(). Cost: the same. */
static inline ward_object_question ward_object_hold(ward_self *self)
{
	ward_object_question question = {0};

	(void)ward_noted_(self, ward_try_object_hold(self, &question));
	return question;
}

/** Answers a call that ward_object_hold() kept open. Threads: only in callbacks of its object.
 *  Cost: O(open calls), a copy of the answer, and as ward_send(). Errors: WARD_ENOENT it is
 *  answered already; WARD_ESIZE: it stays open. */
WARD_API WARD_MUST_USE ward_err ward_try_object_answer(ward_self *self,
						       ward_object_question question,
						       const void *answer, size_t size);
/** Answers a call like ward_try_object_answer(); a refusal makes self fail when the callback
 *  returns: see ward_failed_err(). Returns WARD_DONE, as ward_answer() does. Cost: the same. */
static inline ward_result ward_object_answer(ward_self *self, ward_object_question question,
					     const void *answer, size_t size)
{
	(void)ward_noted_(self, ward_try_object_answer(self, question, answer, size));
	return WARD_DONE;
}

WARD_END
#endif
