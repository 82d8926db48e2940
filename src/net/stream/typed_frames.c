/* SPDX-License-Identifier: MIT
 *
 * typed_frames.c - bodies of messages as frames of a stream.
 *
 * A frame that came lies at any address. Its body is moved to an aligned place in front of it,
 * where only bytes are that were handed out before. The block itself is aligned, so there always is
 * such a place.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/net/typed.h>
#include <ward/ward.h>

#include "net/framing/typed.h"
#include "net/stream/failing.h"

enum { ON_STACK = 1024 };

/* ---- writing ----------------------------------------------------------------------------- */

static bool carries_types(const ward_stream *stream)
{
	const ward_framing *framing =
		stream->rare->framing != NULL ? stream->rare->framing : &stream->options->framing;

	return framing->kind == WARD_FRAMING_PREFIX || framing->kind == WARD_FRAMING_FIXED;
}

static void write_frame(ward_self *self, ward_stream *stream, unsigned char *frame, int index,
			const void *body, size_t size)
{
	frame[0] = (unsigned char)index;
	if (body != NULL && size > 0)
		memcpy(frame + 1, body, size);
	else
		memset(frame + 1, 0, size);
	ward_stream_write_frame(self, stream, frame, size + 1);
}

void ward_stream_send(ward_self *self, ward_stream *stream, const ward_type *type, const void *body,
		      size_t size)
{
	int index = stream != NULL ? wardi_types_find(stream->options->types, type) : 0;
	unsigned char small[ON_STACK], *frame = small;

	if (stream == NULL)
		return;
	if (body == NULL && size == 0 && type != NULL)
		size = type->size;
	if (index < 0 || !wardi_typed_fits(type, size) || !carries_types(stream)) {
		(void)!ward_failed(self, &ward_misuse, "ward_stream_send: %s: %s",
				   type != NULL ? type->name : "NULL",
				   index < 0 ? "the options of the stream do not have this type"
				   : !wardi_typed_fits(type, size)
					   ? "a body has not this size"
					   : "the framing of the stream must be WARD_PREFIX");
		return;
	}
	if (size >= sizeof small)
		frame = malloc(size + 1);
	if (frame == NULL) {
		wardi_stream_fail(self, stream, &ward_out_of_memory, "write", ENOMEM, NULL);
		return;
	}
	write_frame(self, stream, frame, index, body, size);
	if (frame != small)
		free(frame);
}

/* ---- reading ----------------------------------------------------------------------------- */

const void *ward_frame_body(ward_self *self, ward_stream *stream, const ward_frame *frame,
			    const ward_type *type)
{
	const ward_type *const *types;
	unsigned char *at, index = 0;
	const ward_type *has;
	char wrong[96];

	if (stream == NULL || stream->left || frame == NULL || frame->text == NULL)
		return NULL;
	types = stream->options->types;
	if (wardi_types_find(types, type) < 0) {
		(void)!ward_failed(
			self, &ward_misuse,
			"ward_frame_body: the options of the stream do not have the type "
			"%s",
			type != NULL ? type->name : "NULL");
		return NULL;
	}
	at = (unsigned char *)frame->text;
	if (frame->size > 0)
		index = stream->aligned ? wardi_typed_body(at)[frame->size - 1] : at[0];
	has = wardi_typed_read(types, index, frame->size, wrong);
	if (has == NULL) {
		wardi_stream_lose(self, stream, &ward_bad_frame, "frame", 0, wrong);
		return NULL;
	}
	if (!ward_type_same(has, type))
		return NULL;
	if (!stream->aligned && wardi_typed_align(at, frame->size) != at + 1)
		stream->aligned = true;
	return wardi_typed_body(at);
}
