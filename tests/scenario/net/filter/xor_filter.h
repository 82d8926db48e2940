/* SPDX-License-Identifier: MIT
 *
 * xor_filter.h - a filter as TLS is one, of few lines: for tests of what is around a filter.
 *
 * A record is a letter, a length, and so many bytes, each of them changed. The client says H with
 * a word, the server h, the client K; then D is data, and E the end of one direction. A word that
 * is not "sesame" is refused, with A.
 */
#ifndef XOR_FILTER_H
#define XOR_FILTER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net/filter.h>

enum { XOR_MASK = 0x5a, XOR_MAX = 200 };

struct xor_options {
	const char *word;   /* of the client; NULL: it is the server */
	int *goes;          /* counts calls; NULL: not wanted */
	bool refuses;       /* `open` */
	bool forgets;       /* `goes` has no memory */
	ward_filtered says; /* `goes`, about the byte '!' */
	bool tells;         /* ... and tells the peer */
};

struct xor_state {
	const struct xor_options *options;
	bool greeted, open, ended;
	unsigned char part[2 + 255];
	size_t have;
};

static inline bool xor_put(ward_stream_bytes *to, char letter, const void *bytes, size_t size)
{
	unsigned char *at = ward_stream_bytes_room(to, 2 + size);

	if (at == NULL)
		return false;
	at[0] = (unsigned char)letter;
	at[1] = (unsigned char)size;
	for (size_t i = 0; i < size; i++)
		at[2 + i] = ((const unsigned char *)bytes)[i] ^ XOR_MASK;
	ward_stream_bytes_add(to, 2 + size);
	return true;
}

static inline void *xor_open(const void *options, char ret_text[WARD_FILTERED_TEXT])
{
	struct xor_state *me;

	if (((const struct xor_options *)options)->refuses) {
		snprintf(ret_text, WARD_FILTERED_TEXT, "no words today");
		return NULL;
	}
	me = calloc(1, sizeof *me);
	if (me != NULL)
		me->options = options;
	return me;
}

static inline ward_filtered xor_opened(struct xor_state *me)
{
	me->open = true;
	return WARD_FILTERED_OPEN;
}

static inline ward_filtered xor_record(struct xor_state *me, ward_stream_bytes *plain,
				       ward_stream_bytes *wire, char *ret_text)
{
	unsigned char *bytes = me->part + 2;
	size_t size = me->part[1];
	void *at;

	for (size_t i = 0; i < size; i++)
		bytes[i] ^= XOR_MASK;
	switch (me->part[0]) {
	case 'H':
		if (size == 6 && memcmp(bytes, "sesame", 6) == 0)
			return xor_put(wire, 'h', "", 0) ? WARD_FILTERED_MORE
							 : WARD_FILTERED_MEMORY;
		xor_put(wire, 'A', "", 0);
		snprintf(ret_text, WARD_FILTERED_TEXT, "the word is not %.*s", (int)size,
			 (char *)bytes);
		return WARD_FILTERED_REFUSED;
	case 'h':
		return xor_put(wire, 'K', "", 0) ? xor_opened(me) : WARD_FILTERED_MEMORY;
	case 'K':
		return xor_opened(me);
	case 'D':
		at = ward_stream_bytes_room(plain, size);
		if (at == NULL)
			return WARD_FILTERED_MEMORY;
		memcpy(at, bytes, size);
		ward_stream_bytes_add(plain, size);
		return WARD_FILTERED_MORE;
	case 'E':
		me->ended = true;
		return WARD_FILTERED_END;
	case 'A':
		snprintf(ret_text, WARD_FILTERED_TEXT, "the peer refused");
		return WARD_FILTERED_REFUSED;
	default:
		snprintf(ret_text, WARD_FILTERED_TEXT, "a record of %02x", me->part[0]);
		return WARD_FILTERED_WRONG;
	}
}

static inline ward_filtered xor_came(void *at, const void *bytes, size_t size,
				     ward_stream_bytes *plain, ward_stream_bytes *wire,
				     char ret_text[WARD_FILTERED_TEXT])
{
	struct xor_state *me = at;
	const char *word = me->options->word;
	ward_filtered all = WARD_FILTERED_MORE;

	if (!me->greeted && word != NULL && !xor_put(wire, 'H', word, strlen(word)))
		return WARD_FILTERED_MEMORY;
	me->greeted = true;
	for (size_t i = 0; i < size; i++) {
		ward_filtered said;

		me->part[me->have++] = ((const unsigned char *)bytes)[i];
		if (me->have < 2 || me->have < 2U + me->part[1])
			continue;
		me->have = 0;
		said = xor_record(me, plain, wire, ret_text);
		if (said > all)
			all = said;
		if (said > WARD_FILTERED_OPEN)
			break;
	}
	return all;
}

static inline ward_filtered xor_goes(void *at, const void *bytes, size_t size, bool end,
				     ward_stream_bytes *wire, char ret_text[WARD_FILTERED_TEXT])
{
	struct xor_state *me = at;
	const char *from = bytes;

	if (me->options->forgets)
		return WARD_FILTERED_MEMORY;
	if (me->options->says != 0 && memchr(from, '!', size) != NULL) {
		snprintf(ret_text, WARD_FILTERED_TEXT, "nothing is that urgent");
		if (me->options->tells)
			xor_put(wire, 'A', "", 0);
		return me->options->says;
	}
	if (me->options->goes != NULL)
		++*me->options->goes;
	while (size > 0) {
		size_t piece = size < XOR_MAX ? size : XOR_MAX;

		if (!xor_put(wire, 'D', from, piece))
			return WARD_FILTERED_MEMORY;
		from += piece;
		size -= piece;
	}
	return !end || xor_put(wire, 'E', "", 0) ? WARD_FILTERED_MORE : WARD_FILTERED_MEMORY;
}

static inline void xor_close(void *at)
{
	free(at);
}

static const ward_stream_filter xor_filter = {
	.name = "xor", .open = xor_open, .came = xor_came, .goes = xor_goes, .close = xor_close};

#endif
