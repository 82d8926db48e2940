/* SPDX-License-Identifier: MIT
 *
 * term_write.h - writes a body as a term.
 */
#ifndef WARDI_TERM_WRITE_H
#define WARDI_TERM_WRITE_H

#include <ward/codec.h>

/* The body has the size `size`, which the type allows. On an error *out is unchanged, except for
 * its room. `refs` may be NULL. */
ward_err wardi_term_encode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *body, size_t size, ward_bytes *out);

#endif
