/* SPDX-License-Identifier: MIT
 *
 * link_record.h - the record of a link, and the table where it is found by its pair.
 */
#ifndef WARDI_LINK_RECORD_H
#define WARDI_LINK_RECORD_H

#include "watch/link.h"

enum wardi_link_end { WARDI_LINKER, WARDI_LINKED, WARDI_LINK_ENDS };
enum wardi_link_state { WARDI_LINK_LIVES, WARDI_LINK_ENDED, WARDI_LINK_OVER };

struct wardi_link_part {
	struct wardi_watcher in_cell; /* that of the other end arrives with LINK */
	/* in_cell says which end it is; this word is the place of the actor */
	struct wardi_addressed over;
	uint64_t uid; /* frozen */
};

struct wardi_link {
	struct wardi_link_part ends[WARDI_LINK_ENDS];
	struct wardi_hash_link found; /* by the pair, until it is OVER */
	struct ward_msg *msg;         /* NULL: the message is in a mailbox */
	uint8_t refs;
	uint8_t state;
	bool said[WARDI_LINK_ENDS];   /* that end is about to go, and msg has its reason */
	bool listed[WARDI_LINK_ENDS]; /* by the holder of that end; so each is a byte of its own */
	/* Frozen: the end of another place, where the association's actor is in its stead; then it
	 * is a struct wardi_far_link. WARDI_LINK_ENDS: none. */
	uint8_t far_end;
};

_Static_assert(sizeof(struct wardi_link) <= 144, "a link fits a block of 144");

struct wardi_far_link {
	struct wardi_link link;
	uint64_t owner;          /* frozen: the association's actor; 0: it was closed */
	struct ward_msg *order;  /* the LINK for the peer, until it is sent */
	struct ward_msg *detour; /* by which the exit of the end here goes; NULL: straight */
	/* under links_mu: the numbers of the LINKs that made it, here and there; 0: none */
	uint64_t number, other_number;
	bool gone; /* the association's holder: the far end has ended; a LINK is not sent */
};

struct wardi_link_pair {
	ward_ref linker, linked;
};

static inline ward_ref wardi_link_ref(const struct wardi_link *link, uint32_t which)
{
	return wardi_ref_make(link->ends[which].uid, link->ends[which].over.which);
}

static inline struct wardi_far_link *wardi_far_link_of(struct wardi_link *link)
{
	return wardi_container_of(link, struct wardi_far_link, link);
}

/* Returns the link of a part in the list of a cell, or of an OVER, and which end of it. */
static inline struct wardi_link *wardi_link_of_watcher(struct wardi_watcher *watcher,
						       uint32_t *ret_which)
{
	struct wardi_link_part *part = wardi_container_of(watcher, struct wardi_link_part, in_cell);

	*ret_which = watcher->arrival.which;
	return wardi_container_of(part - *ret_which, struct wardi_link, ends[0]);
}

static inline struct wardi_link *wardi_link_of_over(struct wardi_sysmsg *msg, uint32_t *ret_which)
{
	struct wardi_link_part *part = wardi_container_of(msg, struct wardi_link_part, over.node);

	return wardi_link_of_watcher(&part->in_cell, ret_which);
}

/* Of a LINK message, which only the other end gets. */
static inline struct wardi_link *wardi_link_of_arrival(struct wardi_sysmsg *msg)
{
	return wardi_container_of(msg, struct wardi_link, ends[WARDI_LINKED].in_cell.arrival.node);
}

static inline void wardi_links_lock(ward_system *system)
{
	wardi_mutex_lock(&system->links_mu);
}

static inline void wardi_links_unlock(ward_system *system)
{
	wardi_mutex_unlock(&system->links_mu);
}

/* Takes all memory that a link needs. The same for one with an end of another place. NULL: no
 * memory. */
struct wardi_link *wardi_link_make(struct ward_self *self);
struct wardi_link *wardi_link_make_far(struct ward_self *self, uint32_t far_end, ward_ref far_ref,
				       ward_ref near_ref);
/* Frees a link that was not entered. */
void wardi_link_free(struct ward_self *self, struct wardi_link *link);

/* Under links_mu. `enter`: the table has room, see wardi_link_make(). A pair may have a link that
 * lives beside one whose exit waits: that of an earlier life of the association. */
struct wardi_link *wardi_link_find(const ward_system *system, struct wardi_link_pair pair);
struct wardi_link *wardi_link_find_living(const ward_system *system, struct wardi_link_pair pair);
void wardi_link_enter(ward_system *system, struct wardi_link *link, struct wardi_link_pair pair);
void wardi_link_move_to_over(ward_system *system, struct wardi_link *link);
/* Releases `count` references and links_mu; the last one frees the link. */
void wardi_link_unlock_unref(ward_system *system, struct wardi_source from, struct wardi_link *link,
			     unsigned count);

/* Whether the pair is linked already; if not, enters the link, unless it is NULL. */
bool wardi_link_is_there(ward_system *system, struct wardi_link_pair pair, struct wardi_link *link);

/* Holder of that end. delist() returns how many references to the link the caller has now. */
void wardi_link_enlist(struct wardi_cell *cell, struct wardi_link *link, uint32_t which);
unsigned wardi_link_delist(struct wardi_cell *cell, struct wardi_link *link, uint32_t which);

/* Sends LINK to the linked end; nobody is there: the link ends with NOPROC, or UNREACHED. */
void wardi_link_send(struct ward_self *self, struct wardi_link *link);
/* Sends OVER to that end. Takes a reference, which travels with the message. */
void wardi_link_send_over(struct ward_self *self, struct wardi_link *link, uint32_t to);
/* OVER has reached nobody. Takes its reference. */
void wardi_link_over_in_vain(struct ward_self *self, struct wardi_link *link);
/* One end is gone: notifies the other end, unless the link is over. Takes the reference. */
void wardi_link_end_and_tell(struct ward_self *self, struct wardi_link *link, uint32_t which,
			     const ward_exit_reason *reason);
/* LINK has found nobody: as for wardi_link_send(). Takes its reference. */
void wardi_link_answer_gone(struct ward_self *self, struct wardi_link *link);

#endif
