/* SPDX-License-Identifier: MIT
 *
 * requester.h - one question to several routees; the first answer counts.
 */
#ifndef WARDI_REQUESTER_H
#define WARDI_REQUESTER_H

#include <ward/actor.h>
#include <ward/message.h>

#include "patterns/router/router.h"

/* The arguments of the actor: how long the question may take, and whom to ask. `count` routees
 * follow, as the router had them when the question came. */
struct wardi_request {
	ward_ref router;
	int64_t timeout_ms;
	int64_t interval_ms; /* between two routees; 0: asks all at once */
	uint64_t count;
	bool patterns; /* some paths are patterns, so the number of answers is unknown */
};
extern const ward_type wardi_type_request;

static inline struct wardi_routee *wardi_request_routees(const struct wardi_request *request)
{
	return (struct wardi_routee *)(uintptr_t)(request + 1);
}

/* Its first message is the question, with the sender that the answer is for. */
extern const ward_behavior wardi_requester;

#endif
