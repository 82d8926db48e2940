/* SPDX-License-Identifier: MIT
 *
 * term_get.h - the single terms of Erlang's external format, read within their bounds.
 */
#ifndef WARDI_TERM_GET_H
#define WARDI_TERM_GET_H

#include "codec/get.h"
#include "codec/term.h"

/* An integer of at most 64 bits and a sign. */
struct wardi_term_integer {
	uint64_t magnitude;
	bool negative;
};

/* An atom or a binary, within the bytes. */
struct wardi_term_word {
	const unsigned char *text;
	size_t size;
};

/* A text or bytes: a binary, a string, or a list of characters. */
struct wardi_term_chars {
	const unsigned char *at;
	uint32_t count; /* of bytes, or of characters */
	size_t size;    /* of what wardi_term_chars_copy() writes */
	unsigned char form;
	bool utf8; /* characters become UTF-8; otherwise each is a byte */
};

/* Each reads one term, and goes behind it. WARD_EINVAL: it is another, or has no end. The texts say
 * what the field wants. */
ward_err wardi_term_get_integer(struct wardi_get *get, const ward_field *field,
				struct wardi_term_integer *ret);
/* An integer is a float, too. */
ward_err wardi_term_get_float(struct wardi_get *get, const ward_field *field, double *ret);
ward_err wardi_term_get_word(struct wardi_get *get, const ward_field *field,
			     struct wardi_term_word *ret);
ward_err wardi_term_get_chars(struct wardi_get *get, const ward_field *field, bool utf8,
			      struct wardi_term_chars *ret);
void wardi_term_chars_copy(const struct wardi_term_chars *chars, unsigned char *to);
/* The number of elements; a list has a tail behind them, unless it is empty: then it has been read
 * to its end. */
ward_err wardi_term_get_tuple(struct wardi_get *get, uint32_t *ret_count);
ward_err wardi_term_get_map(struct wardi_get *get, const ward_field *field, uint32_t *ret_count);
ward_err wardi_term_get_list(struct wardi_get *get, const ward_field *field, uint32_t *ret_count);
ward_err wardi_term_get_nil(struct wardi_get *get, const ward_field *field);

static inline bool wardi_term_word_is(const struct wardi_term_word *word, const char *text)
{
	return strlen(text) == word->size && memcmp(text, word->text, word->size) == 0;
}

/* Whether an atom is next; its end need not be there. */
static inline bool wardi_term_is_atom(const struct wardi_get *get)
{
	return get->at < get->end &&
	       (*get->at == WARDI_TERM_SMALL_ATOM || *get->at == WARDI_TERM_ATOM ||
		*get->at == WARDI_TERM_OLD_SMALL_ATOM || *get->at == WARDI_TERM_OLD_ATOM);
}

#endif
