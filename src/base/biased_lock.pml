/* SPDX-License-Identifier: MIT
 *
 * biased_lock.pml - a model of the leaning lock of biased_lock.c, with its one difficulty: the
 * owner's stores wait in its processor for a while, and the owner loads in the meantime.
 *
 * The owner's stores go through `stores`, in order, to memory at any time after. Guests store and
 * exchange in memory at once: each of their steps is an RMW, or follows one. membarrier() is a
 * moment at which the owner's stores are all in memory.
 *
 *	GUESTS		number of guests, with VISITS visits each
 *	ENTRIES		number of times the owner enters
 *
 *	REFUSES		the kernel may refuse the barrier, at any time
 *
 * Checked: never two inside; a thread that enters finds in memory the stores of the thread before
 * it (an owner is inside until its store of busy = 0 is in memory); nobody waits forever, in the
 * end states. REACHED marks steps that the search must reach.
 */
#ifndef GUESTS
#define GUESTS 2
#endif
#ifndef VISITS
#define VISITS 2
#endif
#ifndef ENTRIES
#define ENTRIES 2
#endif

/* Prints once, when the search first comes here: tools/model expects all of them. */
#define REACHED(what)                                                                              \
	c_code { { static int seen; if (!seen++) printf("reached: " #what "\n"); } }

/* Messages to `stores`: a word and its new value. DEPART is busy = 0 by a thread that was inside,
 * GIVE is taken = 0. */
mtype = { BUSY, ACK, DEPART, GIVE };

#define UPRIGHT 255

bool busy, taken;
byte want, claims, ack; /* want 0: WARDI_NO_CLAIM */
chan stores = [4] of { mtype, byte };

byte owner_inside; /* as others see it: until its last store is in memory */
byte guests_inside;

active proctype processor()
{
	byte value;

end:	do
	:: atomic { stores ? BUSY(value) -> busy = value }
	:: atomic { stores ? ACK(value) -> ack = value }
	:: atomic { stores ? DEPART(_) -> busy = false; owner_inside-- }
	:: atomic { stores ? GIVE(_) -> taken = false; owner_inside-- }
	od
}

/* ---- the owner --------------------------------------------------------------------------- */

inline wait_for_guests()
{
	do
	:: atomic { seen = want }
		if
		:: seen == 0 -> break
		:: else ->
#ifdef BARE_ACK
			stores ! ACK(1)
#else
			stores ! ACK(seen)
#endif
			if
			:: seen == UPRIGHT -> leans = false; break
			:: else
			fi
		fi
	od
}

inline wardi_biased_lock_enter_slowly()
{
	do
	:: stores ! BUSY(0);
		wait_for_guests();
		if
		:: !leans -> break
		:: else
		fi;
		stores ! BUSY(1);
#ifdef NO_LOOK_AFTER_THE_WAIT
		break
#else
		seen = want;
		if
		:: seen == 0 -> break
		:: else -> REACHED(owner_waits_again)
		fi
#endif
	od
}

active proctype owner()
{
	byte entries, seen;
	bool leans = true;

	do
	:: entries < ENTRIES ->
		entries++;
		if
		:: leans ->
			stores ! BUSY(1);
			seen = want;
			if
			:: seen == 0
			:: else -> REACHED(owner_waits); wardi_biased_lock_enter_slowly()
			fi
		:: else
		fi;
		/* An exchange: its stores are in memory by then. */
		if
		:: !leans ->
			atomic { empty(stores) && !taken -> taken = true }
			REACHED(owner_upright)
		:: else
		fi;
		/* Stores reach memory in order: those of the last thread inside are there before
		 * this one. */
		atomic {
			assert(guests_inside == 0);
			owner_inside++
		}
		assert(guests_inside == 0);
		if
		:: leans -> stores ! DEPART(0)
		:: else -> stores ! GIVE(0)
		fi
	:: else -> break
	od
}

/* ---- guests ------------------------------------------------------------------------------ */

/* Call after the claim is in `want`. */
inline wait_for_the_owner(ret_inside)
{
	if
	:: ack == claim -> REACHED(guest_acknowledged)
	:: true -> /* not soon enough */
#ifndef NO_BARRIER
		empty(stores);
#endif
		!busy;
		REACHED(guest_after_the_barrier)
#ifdef REFUSES
	:: true ->
		want = UPRIGHT;
		ret_inside = false;
		REACHED(guest_refused)
#endif
	fi
}

inline visit_upright(ret_inside)
{
	if
#ifdef NO_ACK_OF_UPRIGHT
	:: true ->
#else
	:: ack == UPRIGHT ->
#endif
		atomic { !taken -> taken = true };
		ret_inside = true;
		upright = true;
		REACHED(guest_upright)
	:: ack != UPRIGHT -> ret_inside = false
	fi
}

inline wardi_biased_lock_visit(ret_inside)
{
	if
	:: want == UPRIGHT -> visit_upright(ret_inside)
	:: want != UPRIGHT ->
		atomic { claims++; claim = claims }
		atomic {
			if
			:: want == 0 ->
				want = claim;
				ret_inside = true;
#ifdef BARE_ACK
				claim = 1;
				ack = 0
#endif
			:: else -> ret_inside = false; REACHED(guest_turned_away)
			fi
		}
		if
		:: ret_inside -> wait_for_the_owner(ret_inside)
		:: else
		fi
	fi
}

proctype guest()
{
	byte visits, claim;
	bool inside, upright;

	do
	:: visits < VISITS ->
		visits++;
		wardi_biased_lock_visit(inside);
		if
		:: inside ->
			atomic {
				assert(guests_inside == 0 && owner_inside == 0);
				guests_inside++
			}
			atomic {
				assert(owner_inside == 0);
				guests_inside--
			}
			if
			:: upright -> taken = false
			:: else -> want = 0
			fi
		:: else
		fi
	:: else -> break
	od
}

init
{
	byte i;

	atomic {
		do
		:: i < GUESTS -> run guest(); i++
		:: else -> break
		od
	}
}
