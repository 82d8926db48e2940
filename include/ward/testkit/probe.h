/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/probe.h - an actor that the test controls: it expects, answers, watches, decides.
 *
 *	ward_probe *probe = ward_probe_start(kit, "probe");
 *	ward_probe_tell(probe, bank, deposit, .account = 7, .cents = 5);
 *	const struct balance *now = ward_expect(probe, WARD_SECOND, balance);
 *	ward_assert_eq(now->cents, 5);
 *	ward_expect_none(probe, WARD_MINUTE);
 *
 * Messages to a probe wait in its queue, in order, until the test expects them. All timeouts are
 * milliseconds of the system's time: virtual in a simulation, real on threads; 0 or less: no time
 * passes. An expectation that is not met fails the test, with the message that came instead, its
 * sender, and the other messages that wait. A probe that has failed the test in this way may be
 * left as it is.
 *
 * At the end of the kit an unexpected message fails the test, and so does an unexpected failure of
 * a child: both are what a test is there to find. Declare what does not matter:
 * ward_probe_ignore(), ward_probe_forget(), or may_leave_mail of the kit.
 *
 * All functions must be called on the thread that started the kit. A body that is returned is
 * borrowed until this probe takes its next message or forwards this one; a failure of a child,
 * until it takes the next failure.
 */
#ifndef WARD_TESTKIT_PROBE_H
#define WARD_TESTKIT_PROBE_H

#include <ward/testkit/kit.h>
#include <ward/watch.h>

WARD_BEGIN

/** A probe. Opaque; freed with its kit. */
typedef struct ward_probe ward_probe;

/** Returns true if a body is the expected one. */
typedef bool ward_probe_matches(void *arg, const void *body);

/** Starts a probe at the top; with name NULL its name is generated.
 *
 *  If the probe fails (by an escalation, or in an auto-pilot), user_strategy decides, as for any
 *  actor at the top. A restart keeps the waiting messages, behind those in its mailbox. */
#define ward_probe_start(kit, name) ward_probe_start_at((kit), (name), __FILE__, __LINE__)
/** The function behind ward_probe_start(). */
WARD_API WARD_MUST_USE ward_probe *ward_probe_start_at(ward_kit *kit, const char *name,
						       const char *file, int line);

/** Starts a probe with a strategy for its children: rules, scope and limit apply as for any parent.
 *  The strategy is copied. A failure for which it has no rule, and no `decide` or `otherwise`,
 *  waits for the test. Decisions of the strategy are visible in events only. A strategy that a
 *  spawn would refuse fails the test.
 *
 *	ward_probe *parent = ward_probe_start_with(
 *		kit, "parent", &(ward_strategy){.scope = WARD_ALL_FOR_ONE, .restarts_max = 3});
 */
#define ward_probe_start_with(kit, name, ...)                                                      \
	ward_probe_start_with_at((kit), (name), __VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_probe_start_with(). */
WARD_API WARD_MUST_USE ward_probe *ward_probe_start_with_at(ward_kit *kit, const char *name,
							    const ward_strategy *strategy,
							    const char *file, int line);

/** Returns the ref of a probe. */
WARD_API ward_ref ward_probe_ref(const ward_probe *probe);

/* ---- expecting --------------------------------------------------------------------------- */

/** An expected message, for the plain forms. */
typedef struct ward_expectation {
	const ward_type *type;       /* NULL: any type */
	ward_probe_matches *matches; /* NULL: any body */
	void *arg;
	const char *file; /* for the report */
	int line;
} ward_expectation;

/** Takes the next message, which must be the expected one, within timeout_ms; returns its body. The
 *  plain form of ward_expect() and ward_expect_where(). */
WARD_API const void *ward_probe_expect(ward_probe *probe, int64_t timeout_ms,
				       const ward_expectation *expected);

/** Takes messages until the expected one comes, and drops the others; returns its body. The plain
 *  form of ward_fish(). */
WARD_API const void *ward_probe_fish(ward_probe *probe, int64_t timeout_ms,
				     const ward_expectation *expected);

/** Lets that much time pass; fails the test if a message arrives, or waits already. The plain form
 *  of ward_expect_none(). */
WARD_API void ward_probe_expect_none(ward_probe *probe, int64_t for_ms, const char *file, int line);

/** Takes the next message, which must be the ward_terminated of `who`. The plain form of
 *  ward_expect_terminated(). */
WARD_API const struct ward_terminated *ward_probe_expect_terminated(ward_probe *probe,
								    int64_t timeout_ms,
								    ward_ref who, const char *file,
								    int line);

/** Returns the sender of the message that was taken last, or nobody. */
WARD_API ward_ref ward_probe_sender(const ward_probe *probe);

/** Returns the number of messages that wait to be expected. */
WARD_API size_t ward_probe_count(const ward_probe *probe);

/** Drops all messages that wait to be expected. */
WARD_API void ward_probe_forget(ward_probe *probe);

/** Drops messages of this type on arrival, from now on; an auto-pilot still sees them. */
WARD_API void ward_probe_ignore(ward_probe *probe, const ward_type *type);

/* ---- acting as the probe, in order with each other ---------------------------------------- */

/** Sends a message as the probe. The plain form of ward_probe_tell() and ward_probe_reply().
 *  Ownership: takes what the body owns. */
#define ward_probe_send(probe, to, ...)                                                            \
	ward_probe_send_at((probe), (to), __VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_probe_send(). */
WARD_API void ward_probe_send_at(ward_probe *probe, ward_ref to, const ward_type *type,
				 const void *body, size_t size, const char *file, int line);

/** Passes on the message that was taken last, with its original sender; once. */
#define ward_probe_forward(probe, to) ward_probe_forward_at((probe), (to), __FILE__, __LINE__)
/** The function behind ward_probe_forward(). */
WARD_API void ward_probe_forward_at(ward_probe *probe, ward_ref to, const char *file, int line);

/** Watches an actor, for ward_expect_terminated(). */
#define ward_probe_watch(probe, who) ward_probe_watch_at((probe), (who), __FILE__, __LINE__)
/** The function behind ward_probe_watch(). */
WARD_API void ward_probe_watch_at(ward_probe *probe, ward_ref who, const char *file, int line);

/** Ends a watch; a notice that waits is dropped, too. */
#define ward_probe_unwatch(probe, who) ward_probe_unwatch_at((probe), (who), __FILE__, __LINE__)
/** The function behind ward_probe_unwatch(). */
WARD_API void ward_probe_unwatch_at(ward_probe *probe, ward_ref who, const char *file, int line);

/** Runs fn(self, arg) inside the probe, and moves until it has run, whatever its result. */
#define ward_probe_do(probe, ...) ward_probe_do_at((probe), __VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_probe_do(). */
WARD_API void ward_probe_do_at(ward_probe *probe,
			       void (*fn)(ward_self *self, void *arg) WARD_NOEXCEPT, void *arg,
			       const char *file, int line);

/** What an auto-pilot returns for a message. */
typedef enum ward_pilot {
	/** The message waits to be expected; the auto-pilot gets the next one, too. */
	WARD_PILOT_KEEP = 0,
	WARD_PILOT_EAT = 1, /* the message is dropped; the auto-pilot gets the next one, too */
	/** The message waits to be expected; the auto-pilot is not called again. */
	WARD_PILOT_END = 2
} ward_pilot;

/** Sets an auto-pilot: a function that sees each message on arrival, before it waits to be
 *  expected; NULL ends it. It runs in the probe and may answer, forward, take and spawn; a message
 *  that it forwards or takes does not wait. Moves until it is set; then the previous one is no
 *  longer called. */
#define ward_probe_set_pilot(probe, ...)                                                           \
	ward_probe_set_pilot_at((probe), __VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_probe_set_pilot(). */
WARD_API void ward_probe_set_pilot_at(ward_probe *probe,
				      ward_pilot (*pilot)(ward_self *self, void *arg,
							  const ward_msg *msg) WARD_NOEXCEPT,
				      void *arg, const char *file, int line);

/* ---- as a parent ------------------------------------------------------------------------- */

/** A failure of a child that waits for the test's decision. */
typedef struct ward_probe_failure {
	ward_ref child;
	const ward_failure_class *failure_class;
	const char *text;
} ward_probe_failure;

/** Starts a child of the probe, and moves until it exists; returns its ref, and fails the test if
 *  the spawn is refused: `ward_probe_spawn(probe, &worker, .name = "one")`. */
#define ward_probe_spawn(probe, ...) ward_probe_spawn_props(probe, WARD_PROPS(__VA_ARGS__))
/** Starts a child like ward_probe_spawn(), with a pointer to props. */
#define ward_probe_spawn_props(probe, props)                                                       \
	ward_probe_spawn_at((probe), (props), __FILE__, __LINE__)
/** The function behind ward_probe_spawn_props(). */
WARD_API ward_ref ward_probe_spawn_at(ward_probe *probe, const ward_props *props, const char *file,
				      int line);

/** Takes the next failure of a child that the strategy leaves to the test; with ward_probe_start()
 *  that is every failure. It must be of this child (nobody: any) and of this class or one below it
 *  (NULL: any). The child is suspended until ward_probe_decide(). The plain form of
 *  ward_expect_failure(). */
WARD_API const ward_probe_failure *
ward_probe_expect_failure(ward_probe *probe, int64_t timeout_ms, ward_ref child,
			  const ward_failure_class *failure_class, const char *file, int line);

/** Decides about a child that has failed, and moves until the decision is made, not until it is
 *  carried out; fails the test if ward_decide() refuses it. WARD_ESCALATE makes the probe fail. */
#define ward_probe_decide(probe, child, directive)                                                 \
	ward_probe_decide_at((probe), (child), (directive), __FILE__, __LINE__)
/** The function behind ward_probe_decide(). */
WARD_API void ward_probe_decide_at(ward_probe *probe, ward_ref child, ward_directive directive,
				   const char *file, int line);

/** Decides all further failures of children at once with this directive; WARD_UNDECIDED: by the
 *  default decider; WARD_LATER: by the test again. */
WARD_API void ward_probe_decide_always(ward_probe *probe, ward_directive directive);

WARD_END

/** Takes the next message, which must be a T, and returns it as a const struct T *:
 *  `ward_expect(probe, WARD_SECOND, balance)`. */
#define ward_expect(probe, timeout_ms, T) ward_expect_where(probe, timeout_ms, T, NULL, NULL)
/** Takes the next message, which must be a T for whose body matches(arg, body) returns true. */
#define ward_expect_where(probe, timeout_ms, T, matches, arg)                                      \
	WARD_EXPECT_(ward_probe_expect, probe, timeout_ms, T, matches, arg)
/** Takes messages until such a T comes, and drops the others. NULL for matches: any T. */
#define ward_fish(probe, timeout_ms, T, matches, arg)                                              \
	WARD_EXPECT_(ward_probe_fish, probe, timeout_ms, T, matches, arg)
#define WARD_EXPECT_(take, probe, timeout_ms, T, matches, arg)                                     \
	((const struct T *)ward_probe_take_((take), (probe), (timeout_ms), &ward_type_##T,         \
					    (matches), (arg), __FILE__, __LINE__))
/* The function behind these macros: C++ has no compound literals to point at. */
WARD_UNUSED static inline const void *
ward_probe_take_(const void *(*take)(ward_probe *probe, int64_t timeout_ms,
				     const ward_expectation *expected),
		 ward_probe *probe, int64_t timeout_ms, const ward_type *type,
		 ward_probe_matches *matches, void *arg, const char *file, int line)
{
	const ward_expectation expected = {type, matches, arg, file, line};

	return take(probe, timeout_ms, &expected);
}
/** Checks that no message comes: `ward_expect_none(probe, WARD_SECOND)`. */
#define ward_expect_none(probe, for_ms)                                                            \
	ward_probe_expect_none((probe), (for_ms), __FILE__, __LINE__)
/** Takes the next message, which must be the ward_terminated of an actor: `ward_expect_terminated(
 *  probe, WARD_SECOND, child)`. */
#define ward_expect_terminated(probe, timeout_ms, who)                                             \
	ward_probe_expect_terminated((probe), (timeout_ms), (who), __FILE__, __LINE__)
/** Takes the next failure of a child: `ward_expect_failure(probe, WARD_SECOND, child, &bad_name)`.
 *  See ward_probe_expect_failure(). */
#define ward_expect_failure(probe, timeout_ms, child, failure_class)                               \
	ward_probe_expect_failure((probe), (timeout_ms), (child), (failure_class), __FILE__,       \
				  __LINE__)
/** Drops messages of a type on arrival: `ward_ignore(probe, tick)`. */
#define ward_ignore(probe, T) ward_probe_ignore((probe), &ward_type_##T)
#ifndef __cplusplus
/** Sends a message as the probe: `ward_probe_tell(probe, to, deposit, .cents = 5)`. */
#define ward_probe_tell(probe, to, ...) ward_probe_send((probe), (to), WARD_BODY(__VA_ARGS__))
/** Replies to the sender of the message that was taken last: `ward_probe_reply(probe, balance,
 *  .cents = 5)`. */
#define ward_probe_reply(probe, ...)                                                               \
	ward_probe_send((probe), ward_probe_sender(probe), WARD_BODY(__VA_ARGS__))
#endif
#endif
