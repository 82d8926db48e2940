/* SPDX-License-Identifier: MIT
 *
 * ref.c - refs taken apart and put together, for those who bring them to other systems.
 *
 * Threads: no state.
 */
#include "mail/ref.h"

#include <ward/association.h>

ward_ref_kind ward_ref_kind_of(ward_ref ref)
{
	if (ward_ref_is_nobody(ref))
		return WARD_REF_NOBODY;
	if (wardi_ref_has_flag(ref, WARDI_PLACE_WAITER))
		return WARD_REF_THREAD;
	return wardi_ref_has_flag(ref, WARDI_PLACE_QUESTION) ? WARD_REF_QUESTION : WARD_REF_ACTOR;
}

uint64_t ward_ref_number(ward_ref ref)
{
	return ref.uid;
}

ward_ref ward_ref_at(uint32_t place, ward_ref_kind kind, uint64_t number)
{
	static const uint32_t flags[] = {
		[WARD_REF_ACTOR] = 0,
		[WARD_REF_QUESTION] = WARDI_PLACE_QUESTION,
		[WARD_REF_THREAD] = WARDI_PLACE_WAITER,
	};

	if (kind == WARD_REF_NOBODY || (unsigned)kind >= sizeof flags / sizeof flags[0])
		return ward_nobody();
	return wardi_ref_make(number, (place & ~WARDI_PLACE_FLAGS) | flags[kind]);
}

uint32_t ward_ref_place(ward_ref ref)
{
	return wardi_ref_place(ref) & ~WARDI_PLACE_FLAGS;
}
