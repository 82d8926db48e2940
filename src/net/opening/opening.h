/* SPDX-License-Identifier: MIT
 *
 * opening.h - from an address to a connected socket: a machine that belongs to one incarnation.
 *
 *	opening.c	tries, and the pauses between them
 *	race.c		the addresses of one try: in turn, and the first that connects wins
 *	look_up.c	names, by a child that may block
 *	simulated.c	one try in the network of a simulation
 *
 *	            the address                    the first socket
 *	  PAUSING ---------------> RACING ------------------------------> OPEN
 *	     ^  \                  ^   \
 *	     |   \ a name          |    \ none is left, or connect_ms have passed
 *	     |    +---> LOOKING ---+     \
 *	     |             \              \
 *	     +--------------+--------------+----> OVER: no further try
 *
 * It begins in PAUSING, without a pause. Its owner passes each message of the actor to it, and gets
 * the step that follows. In the network of a simulation there is no socket but the end of a wire,
 * which races alone.
 *
 * The runtime ends its timers, its question and its watches with the incarnation; its sockets are
 * closed by wardi_opening_free(), which the owner defers.
 */
#ifndef WARDI_NET_OPENING_H
#define WARDI_NET_OPENING_H

#include <ward/actor.h>

#include "net/address/address.h"
#include "net/address/names.h"
#include "net/address/refusal.h"

/* How to connect. Zero is the default. */
struct wardi_opening_how {
	int64_t connect_ms;     /* of one try, with the look-up; 10 s */
	int64_t min_backoff_ms; /* the first pause; 100 ms */
	int64_t max_backoff_ms; /* 10 s, at least min_backoff_ms */
	double random_factor;
	uint32_t tries_max; /* in a row; 0: no limit */
};

struct wardi_end;

enum wardi_opening_state {
	WARDI_PAUSING,
	WARDI_LOOKING,
	WARDI_RACING,
	WARDI_OPEN, /* `end` or `fd` */
	WARDI_OVER
};

/* The sockets of a try. */
struct wardi_race {
	struct wardi_names names;
	size_t next; /* of the names: the next one to begin with */
	struct wardi_racer {
		int fd;
		uint32_t at; /* its address, of the names */
	} racers[WARDI_NAMES_MAX];
	uint32_t count; /* of the racers */
};

struct wardi_opening {
	struct wardi_address address;
	char text[WARD_ADDRESS_TEXT]; /* the address as it was given */
	struct wardi_opening_how how; /* with the defaults */
	enum wardi_opening_state state;
	uint32_t tries;  /* in this row */
	uint32_t pauses; /* in this row */
	int64_t pause_ms;
	bool asked;      /* a look-up is under way; it may outlast its try */
	ward_ref looker; /* its child */
	struct wardi_race race;
	int fd;
	struct wardi_end *end;            /* RACING or OPEN in a simulation; NULL: none */
	struct wardi_net_refusal refusal; /* of the last try; .call NULL: none */
};

/* Negative times, or a maximum below the minimum. `whom` begins the text of the refusal. */
ward_err wardi_opening_check(const struct wardi_opening_how *how, const char *whom);

/* An address that cannot be connected to. */
ward_err wardi_opening_check_address(const char *address);

/* Begins. Errors: WARD_EINVAL an address that cannot be connected to; WARD_ENOMEM. */
ward_err wardi_opening_begin(ward_self *self, const char *address,
			     const struct wardi_opening_how *how,
			     struct wardi_opening **ret_opening);

/* What has come of a message. */
enum wardi_opening_step {
	WARDI_STEP_OTHER, /* it is not about the opening */
	WARDI_STEP_ON,
	WARDI_STEP_RETRY, /* a try has failed, and another one follows: `refusal`, `pause_ms` */
	WARDI_STEP_OPEN,  /* it is to be taken */
	WARDI_STEP_OVER   /* the last try has failed: `refusal` */
};
enum wardi_opening_step wardi_opening_take(ward_self *self, struct wardi_opening *opening,
					   const ward_msg *msg);

/* Of an OPEN one: the end of a wire, which is the caller's, and is not watched; NULL: it has a
 * descriptor. */
struct wardi_end *wardi_opening_take_end(struct wardi_opening *opening);
/* Of another OPEN one: the descriptor, which is the caller's, and is not watched. */
int wardi_opening_take_fd(struct wardi_opening *opening, struct wardi_peer *ret_peer);

/* Of an OPEN one whose connection has ended, or was not taken: RETRY, or OVER. */
enum wardi_opening_step wardi_opening_again(ward_self *self, struct wardi_opening *opening);
/* The connection has lasted: a new row begins. */
void wardi_opening_lasts(struct wardi_opening *opening);
/* Ends a pause; of an OVER one: begins again. */
enum wardi_opening_step wardi_opening_hurry(ward_self *self, struct wardi_opening *opening);

/* Ends what goes on: OVER. */
void wardi_opening_cancel(ward_self *self, struct wardi_opening *opening);
/* Frees it; its incarnation has ended, or it is OPEN or OVER. */
void wardi_opening_free(struct wardi_opening *opening);

/* What is said about OVER: the refusal, and the number of tries. */
enum { WARDI_OPENING_WHY = 200 };
const char *wardi_opening_why(const struct wardi_opening *opening,
			      char ret_text[WARDI_OPENING_WHY]);

/* The key of its timer; the next one is that of the race. */
static inline uint64_t wardi_opening_key(const struct wardi_opening *opening)
{
	return (uint64_t)(uintptr_t)opening;
}

/* What its timers send. */
struct wardi_opening_due {
	struct wardi_opening *opening;
	bool of_race;
};
extern const ward_type wardi_type_opening_due;

#endif
