/* SPDX-License-Identifier: MIT
 *
 * requester.h - one question to several routees, of which the first answer counts.
 */
#ifndef WARDI_REQUESTER_H
#define WARDI_REQUESTER_H

#include <ward/actor.h>
#include <ward/message.h>

#include "patterns/router/router.h"

/* The arguments of the actor that has the question: how long it may take, and whom to ask;
 * `count` routees follow, as the router has them at the question. */
struct wardi_request {
	ward_ref router;
	int64_t timeout_ms;
	int64_t interval_ms; /* from one routee to the next; 0: all are asked at once */
	uint64_t count;
	bool patterns; /* some of them stand for any number: nobody knows who is to answer */
};
extern const ward_type wardi_type_request;

static inline struct wardi_routee *wardi_request_routees(const struct wardi_request *request)
{
	return (struct wardi_routee *)(uintptr_t)(request + 1);
}

/* Its first message is the question, with the sender whom the answer is for. */
extern const ward_behavior wardi_requester;

#endif
