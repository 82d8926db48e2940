/* SPDX-License-Identifier: MIT
 *
 * timers.pml - a model of timers.c and the part of park.c that it needs: who arms, who sleeps until
 * when, and who serves whose wheel.
 *
 * Each wheel has one timer, since only the earliest counts here. A deadline is a number, and the
 * clock goes up to TICKS at any time. A worker that is busy arms, disarms and looks at the clock in
 * any order; then it is idle, and takes the seat or sleeps outside it. A timer that fires makes its
 * server busy: the server has a runnable now.
 *
 *	WORKERS		number of workers; each has a wheel
 *	ARMS		number of timers that a worker arms in all
 *	GUESTS		number of threads outside that arm one timer each, in the last wheel
 *
 *	REPEATS		a timer that fires is armed again in fire(), once each
 *	STUCK		a worker that has become busy may stay so forever, the last worker excepted
 *
 * Checked: when nothing but the clock can go on, and the clock has come to its end, every timer has
 * fired or was disarmed; none fires early; somebody who is not stuck has the seat. REACHED marks
 * steps that the search must reach.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ARMS
#define ARMS 2
#endif
#ifndef GUESTS
#define GUESTS 0
#endif
#ifndef TICKS
#define TICKS 2
#endif

#define WHEELS (WORKERS + 1) /* the last: of threads outside */
#define OUTSIDE WORKERS
#define NEVER 200 /* no timer; no limit to a sleep */
#define AWAKE 0   /* of seat_until: it does not sleep */
#define NOBODY 100

/* Prints once, when the search first comes here: tools/model expects all of them. */
#define REACHED(what)                                                                              \
	c_code { { static int seen; if (!seen++) printf("reached: " #what "\n"); } }

byte clock = 1;

/* Each under the lock of its wheel; `next` is read without it. */
bool locked[WHEELS];
byte armed[WHEELS]; /* the deadline */
byte repeats[WHEELS];
byte next[WHEELS]; /* nothing in the wheel is due before */

/* Under mu. */
bool mu;
byte seated = NOBODY;
byte seat_until = AWAKE;
bool woken;            /* the poller's */
bool asleep[WORKERS];  /* outside the seat */
bool to_sit[WORKERS];  /* the order that ends it */

bool idle[WORKERS]; /* the worker's own: it will look at its wheel before it sleeps */
bool stuck[WORKERS];

#define lock_mu() atomic { !mu -> mu = true }
#define unlock_mu() mu = false
#define lock(i) atomic { !locked[i] -> locked[i] = true }
#define unlock(i) locked[i] = false

/* ---- timers.c ---------------------------------------------------------------------------- */

/* Under the wheel's lock: the earliest deadline is earlier now. */
inline tell(at)
{
	lock_mu();
	if
	:: seat_until > at && seat_until != AWAKE ->
		seat_until = AWAKE;
		woken = true;
		REACHED(timer_wakes_the_seat)
	:: else
	fi;
	unlock_mu()
}

inline arm(i, deadline)
{
	/* One step: no other thread looks at armed[] without the lock. */
	atomic { !locked[i] -> locked[i] = true; armed[i] = deadline }
	if
	:: deadline < next[i] ->
#ifdef TELLS_FIRST
		tell(deadline);
		next[i] = deadline;
#else
		next[i] = deadline;
#ifndef TELLS_NOBODY
		tell(deadline);
#endif
#endif
		locked[i] = false
	:: atomic { else -> locked[i] = false; REACHED(arms_behind_a_stale_next) }
	fi;
	deadline = 0
}

/* `next` stays, too early at most. */
inline disarm(i)
{
	atomic { !locked[i] -> armed[i] = NEVER }
}

/* What is due fires; under the wheel's lock. */
inline fire(i)
{
	if
	:: armed[i] <= now ->
		assert(armed[i] <= clock);
		armed[i] = NEVER;
		fired = true;
		if
		:: repeats[i] > 0 && now <= TICKS ->
			repeats[i]--;
			armed[i] = now + 1; /* without a word: `next` only rises below */
			REACHED(armed_again)
		:: else
		fi
	:: else -> REACHED(nothing_was_due)
	fi
}

/* Serves a wheel of which something may be due at `now`, the server's last look at the clock. */
inline serve(i)
{
	if
	:: next[i] <= now ->
		atomic { !locked[i] -> locked[i] = true }
#ifdef FORGETS_NEXT_FIRST
		next[i] = NEVER;
#endif
		atomic { fire(i) }
#ifdef PUBLISHES_LATE
		atomic { first = armed[i]; locked[i] = false }
		atomic { next[i] = first; first = 0 }
#else
		atomic { next[i] = armed[i]; locked[i] = false }
#endif
	:: else
	fi
}

inline serve_all()
{
	atomic { now = clock; at = 0 }
	do
	:: atomic { at < WHEELS && next[at] > now -> at++ }
	:: at < WHEELS && next[at] <= now -> serve(at); at++
	:: atomic { at == WHEELS -> at = 0; now = 0; break }
	od
}

/* ---- park.c ------------------------------------------------------------------------------ */

/* The seat sleeps until the first timer of all; one slot longer for the wheel of a worker that is
 * busy, and serves its own. */
inline find_until()
{
	until = NEVER;
	do
	:: atomic {
		at < WHEELS ->
		first = next[at];
#ifdef GRACE
		if
		:: at < WORKERS && at != id && !idle[at] && first != NEVER -> first++
		:: else
		fi;
#endif
		if
		:: first < until -> until = first
		:: else
		fi;
		first = 0;
		at++
	}
	:: atomic { at == WHEELS -> at = 0; break }
	od
}

/* Under mu, the seat is free: somebody who sleeps takes it. */
inline hand_the_seat_over()
{
	atomic {
		do
		:: at < WORKERS && !asleep[at] -> at++
		:: else -> break
		od;
		if
		:: at < WORKERS ->
			asleep[at] = false;
			to_sit[at] = true;
			seated = at;
			REACHED(seat_handed_over)
		:: else
		fi;
		at = 0
	}
}

/* Called and returns with mu. */
inline sleep_outside()
{
	atomic {
		asleep[id] = true;
#ifdef GRACE
		if
		:: seat_until != AWAKE && seat_until > next[id] ->
			seat_until = AWAKE;
			woken = true;
			REACHED(sleeper_wakes_the_seat)
		:: else
		fi;
#endif
		mu = false
	}
end_asleep:
	atomic { to_sit[id] && !mu -> mu = true; to_sit[id] = false }
}

/* Called with mu; returns without, with something to run. */
inline sit()
{
	do
	:: true ->
#ifdef LOOKS_BEFORE_MU
		mu = false;
		find_until();
		lock_mu();
#else
		find_until();
#endif
		if
		:: atomic {
			until > clock ->
			woken = false;
			seat_until = until;
			until = 0;
			mu = false
		   }
end_seated:	   atomic {
			(woken || (seat_until != AWAKE && clock >= seat_until)) && !mu ->
			seat_until = AWAKE;
			woken = false
		   }
		:: atomic { until <= clock -> until = 0; mu = false }
		fi;
		serve_all();
		if
		:: fired -> lock_mu(); break
		:: else -> lock_mu()
		fi
	od;
	seated = NOBODY;
#ifndef SEAT_LEFT_EMPTY
	hand_the_seat_over();
#endif
	mu = false
}

inline find_work()
{
	atomic { idle[id] = true; fired = false }
	serve_all();
	if
	:: !fired ->
		lock_mu();
		if
		:: seated == NOBODY -> seated = id
		:: else -> sleep_outside()
		fi;
		sit()
	:: else -> REACHED(found_before_the_sleep)
	fi;
	atomic { idle[id] = false; fired = false }
}

inline choose(ret)
{
	atomic {
		if
		:: clock < TICKS -> ret = clock + 1
		:: true -> ret = TICKS
		fi
	}
}

proctype worker(byte id)
{
	byte arms = ARMS, until, now, at, first, deadline;
	bool fired;

	do
	:: atomic { arms > 0 -> arms--; choose(deadline) }
		arm(id, deadline);
		if
		:: disarm(id)
		:: true
		fi;
		if
		:: atomic { now = clock; at = id }
			serve(at); /* a busy worker looks at its own wheel */
			atomic { now = 0; at = 0; fired = false }
		:: true
		fi
	:: find_work()
#ifdef STUCK
	:: atomic { id < WORKERS - 1 -> stuck[id] = true }
end_stuck:	false
#endif
	od
}

proctype guest()
{
	byte deadline;

	choose(deadline);
	arm(OUTSIDE, deadline);
	if
	:: disarm(OUTSIDE)
	:: true
	fi
}

proctype passing_time()
{
	do
	:: clock < TICKS + 2 -> clock++
	:: else -> break
	od
}

proctype check()
{
	byte i;

	timeout;
	do
	:: i < WHEELS -> assert(armed[i] == NEVER); i++
	:: else -> break
	od;
	assert(seated != NOBODY);
	assert(!stuck[seated])
}

init
{
	byte i;

	atomic {
		do
		:: i < WHEELS ->
			armed[i] = NEVER;
			next[i] = NEVER;
#ifdef REPEATS
			repeats[i] = 1;
#endif
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < WORKERS -> run worker(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < GUESTS -> run guest(); i++
		:: else -> break
		od;
		run passing_time();
		run check()
	}
}
