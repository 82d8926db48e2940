/* SPDX-License-Identifier: MIT
 *
 * hooks.h - calling the user's hooks under a save point of their own.
 */
#ifndef WARDI_HOOKS_H
#define WARDI_HOOKS_H

#include <ward/simulation.h>

#include "cell/self.h"

enum wardi_hook_kind {
	WARDI_HOOK_INIT,
	WARDI_HOOK_PRE_START,
	WARDI_HOOK_POST_STOP,
	WARDI_HOOK_PRE_RESTART,
	WARDI_HOOK_POST_RESTART,
	WARDI_HOOK_DECIDE
};

struct wardi_call {
	enum wardi_hook_kind kind;
	const ward_failure *why;       /* pre_restart, post_restart, decide */
	const ward_strategy *strategy; /* decide */
	ward_ref child;                /* decide */
	ward_directive directive;      /* decide: the answer */
	/* hooks.c's own */
	ward_fault_kind fault; /* simulated: what a simulation does to it */
	ward_result result;
};

/* Whether the behaviour has this hook at all. */
static inline bool wardi_has_hook(const ward_behavior *behavior, enum wardi_hook_kind kind)
{
	switch (kind) {
	case WARDI_HOOK_INIT:
		return behavior->init != NULL;
	case WARDI_HOOK_PRE_START:
		return behavior->pre_start != NULL;
	case WARDI_HOOK_POST_STOP:
		return behavior->post_stop != NULL;
	case WARDI_HOOK_POST_RESTART: /* by default pre_start */
		return behavior->post_restart != NULL || behavior->pre_start != NULL;
	default:
		return true; /* they have a default, or were looked up */
	}
}

/* Calls the hook, which the behaviour must have. False: the hook failed, by its result or by a
 * jump; the caller takes the failure from *ret_cause. */
bool wardi_guarded(struct ward_self *self, struct wardi_call *call,
		   struct wardi_failure *ret_cause);

/* The same for a hook that may call ward_stop_reason(). */
bool wardi_guarded_end(struct ward_self *self, struct wardi_call *call, ward_end why,
		       const ward_failure *failure, struct wardi_failure *ret_cause);

/* From a default hook: calls this hook of the behaviour, if there is one, as a part of the hook
 * that is running. */
ward_result wardi_call_within(struct ward_self *self, enum wardi_hook_kind kind);

#endif
