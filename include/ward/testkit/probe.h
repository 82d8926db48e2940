/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/probe.h - an actor in the hands of the test: it expects, answers, watches, decides.
 *
 *	ward_probe *probe = ward_probe_start(kit, "probe");
 *	ward_probe_tell(probe, bank, deposit, .account = 7, .cents = 5);
 *	const struct balance *now = ward_expect(probe, WARD_SECOND, balance);
 *	ward_assert_eq(now->cents, 5);
 *	ward_expect_none(probe, WARD_MINUTE);
 *
 * What a probe receives waits in its queue until the test expects it, in order. All that waits
 * takes a time in milliseconds of the system: virtual in a simulation, real on threads. An
 * expectation that is not met fails the test: it says what came instead, and from whom, and what
 * else waits. A probe that has failed the test so may be left as it is.
 *
 * At the end of the kit a message that nobody expected fails the test, and so does the failure of
 * a child: it is unread mail, and what nobody expected is what a test is there to find. Say what
 * does not matter: ward_probe_ignore(), ward_probe_forget(), or may_leave_mail of the kit.
 *
 * Threads: the one that started the kit. A body that is given is borrowed until this probe takes
 * its next message, or forwards this one; a failure of a child, until it takes the next of them.
 */
#ifndef WARD_TESTKIT_PROBE_H
#define WARD_TESTKIT_PROBE_H

#include <ward/testkit/kit.h>
#include <ward/watch.h>

WARD_BEGIN

/** A probe. Opaque; it goes with its kit. */
typedef struct ward_probe ward_probe;

/** Says of a body whether it is the one that is meant. */
typedef bool ward_probe_matches(void *arg, const void *body);

/** Starts a probe at the top; a name of NULL is generated.
 *
 *  A probe that fails (by an escalation, in a pilot) is treated by the strategy for actors at the
 *  top, user_strategy. At a restart what waits is kept, and comes behind what is in its mailbox. */
#define ward_probe_start(kit, name) ward_probe_start_at((kit), (name), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API WARD_MUST_USE ward_probe *ward_probe_start_at(ward_kit *kit, const char *name,
						       const char *file, int line);

/** The same with a strategy for its children: rules, scope and limit hold as for any parent. It is
 *  copied. What it leaves open waits for the test: that is all its rules have no row for, unless
 *  it has a `decide` or an `otherwise`. What it decides by itself is seen by the events only. A
 *  strategy that a spawn would refuse fails the test.
 *
 *	ward_probe_start_with(kit, "parent", &(ward_strategy){.scope = WARD_ALL_FOR_ONE,
 *							      .restarts_max = 3});
 */
#define ward_probe_start_with(kit, name, ...)                                                      \
	ward_probe_start_with_at((kit), (name), __VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API WARD_MUST_USE ward_probe *ward_probe_start_with_at(ward_kit *kit, const char *name,
							    const ward_strategy *strategy,
							    const char *file, int line);

/** Returns its ref. */
WARD_API ward_ref ward_probe_ref(const ward_probe *probe);

/* ---- expecting --------------------------------------------------------------------------- */

/** What is expected, for the plain verbs. */
typedef struct ward_expectation {
	const ward_type *type;       /* NULL: of any type */
	ward_probe_matches *matches; /* NULL: whatever the body is */
	void *arg;
	const char *file; /* for the report */
	int line;
} ward_expectation;

/** Takes the next message, which must be that one, within timeout_ms; returns its body. The plain
 *  form of ward_expect() and ward_expect_where(). */
WARD_API const void *ward_probe_expect(ward_probe *probe, int64_t timeout_ms,
				       const ward_expectation *expected);

/** Takes messages until one is that one, and drops the others. The plain ward_fish(). */
WARD_API const void *ward_probe_fish(ward_probe *probe, int64_t timeout_ms,
				     const ward_expectation *expected);

/** Lets that much time pass; fails the test if anything arrives, or waits already. */
WARD_API void ward_probe_expect_none(ward_probe *probe, int64_t for_ms, const char *file, int line);

/** Takes the next message, which must tell that `who` is gone. The plain form of
 *  ward_expect_terminated(). */
WARD_API const struct ward_terminated *ward_probe_expect_terminated(ward_probe *probe,
								    int64_t timeout_ms,
								    ward_ref who, const char *file,
								    int line);

/** Returns the sender of the message that was taken last, or nobody. */
WARD_API ward_ref ward_probe_sender(const ward_probe *probe);

/** Returns how many messages wait to be expected. */
WARD_API size_t ward_probe_count(const ward_probe *probe);

/** Drops all that waits to be expected. */
WARD_API void ward_probe_forget(ward_probe *probe);

/** Drops messages of this type on arrival, from now on; an auto-pilot sees them all the same. */
WARD_API void ward_probe_ignore(ward_probe *probe, const ward_type *type);

/* ---- acting, as the probe: asynchronous, in order with each other -------------------------- */

/** Sends as the probe. The plain form of ward_probe_tell() and ward_probe_reply().
 *  Ownership: takes what the body owns. */
#define ward_probe_send(probe, to, ...)                                                            \
	ward_probe_send_at((probe), (to), __VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_send_at(ward_probe *probe, ward_ref to, const ward_type *type,
				 const void *body, size_t size, const char *file, int line);

/** Passes the message that was taken last on, with its first sender; once. */
#define ward_probe_forward(probe, to) ward_probe_forward_at((probe), (to), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_forward_at(ward_probe *probe, ward_ref to, const char *file, int line);

/** Watches, so that ward_expect_terminated() has something to expect. */
#define ward_probe_watch(probe, who) ward_probe_watch_at((probe), (who), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_watch_at(ward_probe *probe, ward_ref who, const char *file, int line);

/** Ends the watch: a notice that waits is dropped, too. */
#define ward_probe_unwatch(probe, who) ward_probe_unwatch_at((probe), (who), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_unwatch_at(ward_probe *probe, ward_ref who, const char *file, int line);

/** Runs fn(self, arg) as the probe, and moves until that has happened, however it ended. */
#define ward_probe_do(probe, ...) ward_probe_do_at((probe), __VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_do_at(ward_probe *probe,
			       void (*fn)(ward_self *self, void *arg) WARD_NOEXCEPT, void *arg,
			       const char *file, int line);

/** What an auto-pilot wants next. */
typedef enum ward_pilot {
	WARD_PILOT_KEEP = 0, /* it has the next message, too; this one waits to be expected */
	WARD_PILOT_EAT = 1,  /* the same, and this one is done with */
	WARD_PILOT_END = 2   /* no auto-pilot from the next message on */
} ward_pilot;

/** Lets a function see each message on arrival, before it waits to be expected; NULL ends that. It
 *  runs as the probe and may answer, forward, take, spawn; what it forwards or takes does not wait.
 *  Moves until it is set: the one before is not called any more then. */
#define ward_probe_set_pilot(probe, ...)                                                           \
	ward_probe_set_pilot_at((probe), __VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_set_pilot_at(ward_probe *probe,
				      ward_pilot (*pilot)(ward_self *self, void *arg,
							  const ward_msg *msg) WARD_NOEXCEPT,
				      void *arg, const char *file, int line);

/* ---- as a parent ------------------------------------------------------------------------- */

/** A failure of a child, which waits for the test's decision. */
typedef struct ward_probe_failure {
	ward_ref child;
	const ward_failure_class *failure_class;
	const char *text;
} ward_probe_failure;

/** ward_probe_spawn(probe, &worker, .name = "one"): spawns a child of the probe, and moves until it
 *  is there; fails the test if refused. */
#define ward_probe_spawn(probe, ...) ward_probe_spawn_props(probe, WARD_PROPS(__VA_ARGS__))
/** The same with props that are there already. */
#define ward_probe_spawn_props(probe, props)                                                       \
	ward_probe_spawn_at((probe), (props), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API ward_ref ward_probe_spawn_at(ward_probe *probe, const ward_props *props, const char *file,
				      int line);

/** Takes the next failure of a child that its strategy leaves to the test, as that of
 *  ward_probe_start() does with all: it must be of this child (nobody: of any) and of this
 *  class or one below it (NULL: of any). The child is suspended until ward_probe_decide(). The
 *  plain form of ward_expect_failure(). */
WARD_API const ward_probe_failure *
ward_probe_expect_failure(ward_probe *probe, int64_t timeout_ms, ward_ref child,
			  const ward_failure_class *failure_class, const char *file, int line);

/** Decides about a child that has failed, and runs turns until the decision is made, not until it
 *  is carried out; fails the test if ward_decide() refuses it. WARD_ESCALATE makes the probe
 *  fail. */
#define ward_probe_decide(probe, child, directive)                                                 \
	ward_probe_decide_at((probe), (child), (directive), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_probe_decide_at(ward_probe *probe, ward_ref child, ward_directive directive,
				   const char *file, int line);

/** From now on failures of children are decided so at once; WARD_UNDECIDED: by the default
 *  decider; WARD_LATER: by the test again. */
WARD_API void ward_probe_decide_always(ward_probe *probe, ward_directive directive);

WARD_END

/** ward_expect(probe, WARD_SECOND, balance): const struct balance *, the next message. */
#define ward_expect(probe, timeout_ms, T) ward_expect_where(probe, timeout_ms, T, NULL, NULL)
/** The same for a body of which matches(arg, body) holds. */
#define ward_expect_where(probe, timeout_ms, T, matches, arg)                                      \
	WARD_EXPECT_(ward_probe_expect, probe, timeout_ms, T, matches, arg)
/** Drops what comes before it. A NULL for matches: the first of the type. */
#define ward_fish(probe, timeout_ms, T, matches, arg)                                              \
	WARD_EXPECT_(ward_probe_fish, probe, timeout_ms, T, matches, arg)
#define WARD_EXPECT_(take, probe, timeout_ms, T, matches, arg)                                     \
	((const struct T *)ward_probe_take_((take), (probe), (timeout_ms), &ward_type_##T,         \
					    (matches), (arg), __FILE__, __LINE__))
/* Behind the macros: C++ has no compound literals to point at. */
WARD_UNUSED static inline const void *
ward_probe_take_(const void *(*take)(ward_probe *probe, int64_t timeout_ms,
				     const ward_expectation *expected),
		 ward_probe *probe, int64_t timeout_ms, const ward_type *type,
		 ward_probe_matches *matches, void *arg, const char *file, int line)
{
	const ward_expectation expected = {type, matches, arg, file, line};

	return take(probe, timeout_ms, &expected);
}
/** ward_expect_none(probe, WARD_SECOND): nothing comes within a second. */
#define ward_expect_none(probe, for_ms)                                                            \
	ward_probe_expect_none((probe), (for_ms), __FILE__, __LINE__)
/** ward_expect_terminated(probe, WARD_SECOND, child). */
#define ward_expect_terminated(probe, timeout_ms, who)                                             \
	ward_probe_expect_terminated((probe), (timeout_ms), (who), __FILE__, __LINE__)
/** ward_expect_failure(probe, WARD_SECOND, child, &bad_name). */
#define ward_expect_failure(probe, timeout_ms, child, failure_class)                               \
	ward_probe_expect_failure((probe), (timeout_ms), (child), (failure_class), __FILE__,       \
				  __LINE__)
/** ward_ignore(probe, tick): drops each tick on arrival. */
#define ward_ignore(probe, T) ward_probe_ignore((probe), &ward_type_##T)
#ifndef __cplusplus
/** ward_probe_tell(probe, to, deposit, .cents = 5): as the probe. */
#define ward_probe_tell(probe, to, ...) ward_probe_send((probe), (to), WARD_BODY(__VA_ARGS__))
/** ward_probe_reply(probe, balance, .cents = 5): to the sender of what was taken last. */
#define ward_probe_reply(probe, ...)                                                               \
	ward_probe_send((probe), ward_probe_sender(probe), WARD_BODY(__VA_ARGS__))
#endif
#endif
