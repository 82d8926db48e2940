/* SPDX-License-Identifier: MIT
 *
 * outgoing.h - what goes to another place, as a message in the mailbox of the association's actor.
 */
#ifndef WARDI_OUTGOING_H
#define WARDI_OUTGOING_H

#include <ward/association.h>

#include "mail/message.h"

enum { WARDI_LIFE_MAX = 0xffffff };

/* The body of most outgoing messages. Their sender is `from`. */
struct wardi_outgoing {
	uint32_t kind : 7;   /* a ward_control */
	uint32_t silent : 1; /* SELECT: a miss makes no dead letter */
	uint32_t life : 24;  /* of the association for which it was made */
	uint32_t weight;     /* for how many messages it counts in a bounded mailbox */
	ward_ref to;
	union {
		struct {
			struct ward_msg *msg; /* SEND, SELECT; NULL: it was opened */
			char *path;           /* SELECT: an allocation */
		};
		struct {
			uint64_t number; /* LINK, UNLINK */
			union {
				uint64_t other_number; /* UNLINK */
				uint64_t stand_in;     /* WATCH, LINK: a uid of the peer; or 0 */
			};
		};
		uint32_t dead; /* UNHEARD: a ward_reason */
	};
	struct wardi_pool *pool; /* of the system, to free what is in it */
};
extern const ward_type wardi_type_outgoing;

/* TERMINATED, LINK_EXIT, EXIT: the larger ones. */
struct wardi_outgoing_end {
	uint32_t kind : 8;
	uint32_t life : 24;
	uint32_t to_place;
	uint64_t to_uid;
	union {
		struct {
			const ward_failure_class *failure_class;
			ward_end end;
			char name[WARD_END_NAME];
		};
		ward_exit_reason reason;
	};
};
extern const ward_type wardi_type_outgoing_end;

static inline bool wardi_msg_is_outgoing(const struct ward_msg *msg)
{
	const ward_type *type = wardi_msg_type(msg);

	return type == &wardi_type_outgoing || type == &wardi_type_outgoing_end;
}

/* For how many messages this one counts in a bounded mailbox, if it is not auto-received. */
static inline uint32_t wardi_msg_weight(const struct ward_msg *msg)
{
	if (__builtin_expect(wardi_msg_type(msg) != &wardi_type_outgoing, 1))
		return 1;
	return ((const struct wardi_outgoing *)wardi_msg_bytes(msg))->weight;
}

/* Makes a control message, which the caller completes. NULL: no memory. */
struct ward_msg *wardi_outgoing_make(struct wardi_source from, ward_control kind, ward_ref sender,
				     ward_ref to);
/* The same for TERMINATED, LINK_EXIT and EXIT. */
struct ward_msg *wardi_outgoing_end_make(struct wardi_source from, ward_control kind,
					 ward_ref sender, ward_ref to);

static inline struct wardi_outgoing *wardi_outgoing_of(const struct ward_msg *msg)
{
	return wardi_msg_bytes(msg);
}

static inline struct wardi_outgoing_end *wardi_outgoing_end_of(const struct ward_msg *msg)
{
	return wardi_msg_bytes(msg);
}

/* Makes what takes the place of an outgoing message in the mailbox of the actor that stands in for
 * its receiver: the token points to it. NULL: no memory. */
struct ward_msg *wardi_detour_make(struct wardi_source from, ward_ref stand_in);

/* Returns where it goes, whichever of the two it is. */
ward_ref wardi_outgoing_to(const struct ward_msg *msg);
/* The life of the association that passes it on; any other one loses it. */
uint32_t wardi_outgoing_life(const struct ward_msg *msg);
void wardi_outgoing_set_life(struct ward_msg *msg, uint32_t life);
/* Frees the path of a SELECT. */
void wardi_outgoing_free_path(struct wardi_outgoing *out);

#endif
