/* SPDX-License-Identifier: MIT
 *
 * biased_lock.pml - a model of the leaning lock of biased_lock.c, with the one thing that makes it hard: what the
 * owner stores waits in its processor for a while, and it loads meanwhile.
 *
 * The owner's stores go through `stores`, in order, to memory at any time after. Guests store and
 * exchange in memory at once: what they do is an RMW, or follows one. membarrier() is a moment at
 * which the owner's stores are all in memory.
 *
 *	GUESTS		how many there are, which come VISITS times each
 *	ENTRIES		how often the owner enters
 *
 * Checked: never two inside; who enters finds in memory what the one before it has stored there (an
 * owner is inside until its store of busy = 0 is in memory); that nobody waits for ever, in the end
 * states. REACHED says that the search came to a step.
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

/* Says once, when the search first comes here: tools/model wants to see all of them. */
#define REACHED(what)                                                                              \
	c_code { { static int seen; if (!seen++) printf("reached: " #what "\n"); } }

/* To `stores`: which word, and what it becomes. DEPART is busy = 0 by one who was inside. */
mtype = { BUSY, ACK, DEPART };

bool busy;
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
		fi
	od
}

inline wardi_biased_lock_enter_slowly()
{
	do
	:: stores ! BUSY(0);
		wait_for_guests();
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

	do
	:: entries < ENTRIES ->
		entries++;
		stores ! BUSY(1);
		seen = want;
		if
		:: seen == 0
		:: else -> REACHED(owner_waits); wardi_biased_lock_enter_slowly()
		fi;
		/* What the last one has stored is in memory by the time this is: in order. */
		atomic {
			assert(guests_inside == 0);
			owner_inside++
		}
		assert(guests_inside == 0);
		stores ! DEPART(0)
	:: else -> break
	od
}

/* ---- guests ------------------------------------------------------------------------------ */

inline wardi_biased_lock_visit(ret_inside)
{
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
	:: ret_inside ->
		if
		:: ack == claim -> REACHED(guest_acknowledged)
		:: true -> /* not soon enough */
#ifndef NO_BARRIER
			empty(stores);
#endif
			!busy;
			REACHED(guest_after_the_barrier)
		fi
	:: else
	fi
}

proctype guest()
{
	byte visits, claim;
	bool inside;

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
			want = 0
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
