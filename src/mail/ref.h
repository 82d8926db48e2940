/* SPDX-License-Identifier: MIT
 *
 * ref.h - the parts of a ref: the place, which says whose it is; and those of a uid: the slot of a
 * cell, and the generation of a life in it.
 *
 * Only this header, message.h beside it and the public headers know the field `place_`: tools/tidy.
 */
#ifndef WARDI_REF_H
#define WARDI_REF_H

#include <ward/types.h>

/* Set in the place of refs that stand for a waiting thread instead of an actor. */
#define WARDI_PLACE_WAITER UINT32_C(0x80000000)
/* Set in the place of refs that stand for a question of an actor (ask.h). */
#define WARDI_PLACE_QUESTION UINT32_C(0x40000000)
#define WARDI_PLACE_FLAGS (WARDI_PLACE_WAITER | WARDI_PLACE_QUESTION)

static inline uint32_t wardi_uid_gen(uint64_t uid)
{
	return (uint32_t)(uid >> 32);
}

static inline uint32_t wardi_uid_slot(uint64_t uid)
{
	return (uint32_t)uid;
}

static inline ward_ref wardi_ref_make(uint64_t uid, uint32_t place)
{
	return (ward_ref){uid, place, 0};
}

static inline uint32_t wardi_ref_place(ward_ref ref)
{
	return ref.place_;
}

/* Returns true for an actor of the system whose place is `here`. Its waiters and questions are not
 * actors. */
static inline bool wardi_ref_is_here(uint32_t here, ward_ref ref)
{
	return ref.place_ == here;
}

static inline bool wardi_ref_is_waiter(uint32_t here, ward_ref ref)
{
	return ref.place_ == (here | WARDI_PLACE_WAITER);
}

static inline bool wardi_ref_is_question(uint32_t here, ward_ref ref)
{
	return ref.place_ == (here | WARDI_PLACE_QUESTION);
}

/* Returns true for an actor, a waiter or a question of the system whose place is `here`. */
static inline bool wardi_ref_is_within(uint32_t here, ward_ref ref)
{
	return (ref.place_ & ~WARDI_PLACE_FLAGS) == here;
}

/* Returns true if the ref stands for a waiter, or a question, of any system. */
static inline bool wardi_ref_has_flag(ward_ref ref, uint32_t flag)
{
	return (ref.place_ & flag) != 0;
}

#endif
