/* SPDX-License-Identifier: MIT
 *
 * ref.h - the parts of a uid: the slot of a cell, and the generation of a life in it.
 */
#ifndef WARDI_REF_H
#define WARDI_REF_H

#include <stdint.h>

static inline uint32_t wardi_uid_gen(uint64_t uid)
{
	return (uint32_t)(uid >> 32);
}

static inline uint32_t wardi_uid_slot(uint64_t uid)
{
	return (uint32_t)uid;
}

#endif
