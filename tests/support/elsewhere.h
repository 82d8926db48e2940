/* SPDX-License-Identifier: MIT
 *
 * elsewhere.h - refs of actors that live elsewhere, with the numbers of actors here.
 */
#ifndef SUPPORT_ELSEWHERE_H
#define SUPPORT_ELSEWHERE_H

#include <ward/extend.h>

/* The ref of the actor with this number in a system that nobody is connected with. */
static inline ward_ref ref_elsewhere(ward_ref ref)
{
	return ward_ref_at(ward_ref_place(ref) + 1, ward_ref_kind_of(ref), ward_ref_number(ref));
}

#endif
