/* SPDX-License-Identifier: MIT
 *
 * typed.h - frames with the body of a message: one byte, the index of its type in a list, and the
 * bytes of the body. Functions of bytes: no actor, no memory.
 */
#ifndef WARDI_NET_TYPED_H
#define WARDI_NET_TYPED_H

#include <ward/message.h>

enum { WARDI_TYPES_MAX = 255, WARDI_TYPED_ALIGN = 16 };

/* NULL: the list can be used, or there is none; otherwise a text that says why not. */
const char *wardi_types_wrong(const ward_type *const *types);
/* The index of a type; -1: it is not in the list. */
int wardi_types_find(const ward_type *const *types, const ward_type *type);
/* Whether a body of this type may have that size. */
bool wardi_typed_fits(const ward_type *type, size_t size);

/* The type of a frame of `size` bytes with that index; NULL: it is none, and ret_wrong says why. */
const ward_type *wardi_typed_read(const ward_type *const *types, unsigned char index, size_t size,
				  char ret_wrong[96]);

/* Moves the body of a frame to the place before it that is aligned for any type, and its index
 * behind the body; does nothing if it is aligned. Returns the body. The bytes from there to the
 * frame, less than WARDI_TYPED_ALIGN, must be the caller's to overwrite. */
unsigned char *wardi_typed_align(unsigned char *frame, size_t size);
/* The place of the body of a frame, once it is aligned. */
unsigned char *wardi_typed_body(unsigned char *frame);

#endif
