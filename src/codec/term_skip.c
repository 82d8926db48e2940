/* SPDX-License-Identifier: MIT
 *
 * term_skip.c - goes behind any term: what a newer sender adds.
 *
 * A term is a head, bytes, and further terms. So one number, of the terms that are still to come,
 * stands for a stack; each of them has a byte at least.
 */
#include "codec/term_skip.h"
#include "codec/term_get.h"

/* What follows the first byte of a term. */
struct shape {
	unsigned char known;
	unsigned char fixed;   /* bytes, the count included */
	unsigned char counter; /* bytes of the count, the first of them; 0: none */
	unsigned char each;    /* bytes for each one that is counted; 0: a term */
	unsigned char terms;   /* terms behind them */
	unsigned char more;    /* terms for each one that is counted */
	unsigned char behind;  /* bytes behind the first of the terms, which is a node */
};

static const struct shape shapes[256] = {
	[WARDI_TERM_SMALL_INTEGER] = {.known = 1, .fixed = 1},
	[WARDI_TERM_INTEGER] = {.known = 1, .fixed = 4},
	[WARDI_TERM_FLOAT] = {.known = 1, .fixed = 8},
	[WARDI_TERM_OLD_FLOAT] = {.known = 1, .fixed = 31},
	[WARDI_TERM_SMALL_BIG] = {.known = 1, .fixed = 2, .counter = 1, .each = 1},
	[WARDI_TERM_LARGE_BIG] = {.known = 1, .fixed = 5, .counter = 4, .each = 1},
	[WARDI_TERM_SMALL_ATOM] = {.known = 1, .fixed = 1, .counter = 1, .each = 1},
	[WARDI_TERM_OLD_SMALL_ATOM] = {.known = 1, .fixed = 1, .counter = 1, .each = 1},
	[WARDI_TERM_ATOM] = {.known = 1, .fixed = 2, .counter = 2, .each = 1},
	[WARDI_TERM_OLD_ATOM] = {.known = 1, .fixed = 2, .counter = 2, .each = 1},
	[WARDI_TERM_BINARY] = {.known = 1, .fixed = 4, .counter = 4, .each = 1},
	[WARDI_TERM_BIT_BINARY] = {.known = 1, .fixed = 5, .counter = 4, .each = 1},
	[WARDI_TERM_STRING] = {.known = 1, .fixed = 2, .counter = 2, .each = 1},
	[WARDI_TERM_NIL] = {.known = 1},
	[WARDI_TERM_SMALL_TUPLE] = {.known = 1, .fixed = 1, .counter = 1, .more = 1},
	[WARDI_TERM_LARGE_TUPLE] = {.known = 1, .fixed = 4, .counter = 4, .more = 1},
	[WARDI_TERM_LIST] = {.known = 1, .fixed = 4, .counter = 4, .more = 1, .terms = 1},
	[WARDI_TERM_MAP] = {.known = 1, .fixed = 4, .counter = 4, .more = 2},
	[WARDI_TERM_PID] = {.known = 1, .terms = 1, .behind = 9},
	[WARDI_TERM_NEW_PID] = {.known = 1, .terms = 1, .behind = 12},
	[WARDI_TERM_PORT] = {.known = 1, .terms = 1, .behind = 5},
	[WARDI_TERM_NEW_PORT] = {.known = 1, .terms = 1, .behind = 8},
	[WARDI_TERM_V4_PORT] = {.known = 1, .terms = 1, .behind = 12},
	[WARDI_TERM_OLD_REFERENCE] = {.known = 1, .terms = 1, .behind = 5},
	[WARDI_TERM_EXPORT] = {.known = 1, .terms = 3},
};

static ward_err unknown(struct wardi_get *get, const ward_field *field)
{
	return wardi_walk_wrong(wardi_get_here(get), field, WARD_EINVAL,
				"no term begins with the byte %u", *get->at);
}

static ward_err skip_bytes(struct wardi_get *get, const ward_field *field, uint64_t count)
{
	if (wardi_get_left(get) < count)
		return wardi_get_ended(get, field);
	get->at += count;
	return WARD_OK;
}

/* The node in a pid, a port or a reference, and the bytes behind it. */
static ward_err skip_node(struct wardi_get *get, const ward_field *field, uint64_t behind)
{
	struct wardi_term_word node;
	ward_err err;

	if (!wardi_term_is_atom(get))
		return get->at == get->end ? wardi_get_ended(get, field) : unknown(get, field);
	err = wardi_term_get_word(get, field, &node);
	return err == WARD_OK ? skip_bytes(get, field, behind) : err;
}

/* A reference has the number of its words in front of the node, a fun has its own size. */
static ward_err skip_sized(struct wardi_get *get, const ward_field *field)
{
	unsigned first = *get->at;
	uint64_t size;

	if (wardi_get_left(get) < 5)
		return wardi_get_ended(get, field);
	if (first == WARDI_TERM_NEW_FUN) {
		size = wardi_load_be32(get->at + 1);
		return skip_bytes(get, field, size < 4 ? 5 : 1 + size);
	}
	size = 4 * (uint64_t)wardi_load_be16(get->at + 1);
	get->at += 3;
	return skip_node(get, field, size + (first == WARDI_TERM_REFERENCE ? 1 : 4));
}

/* One head with its bytes; its terms are added to *more. */
static ward_err skip_head(struct wardi_get *get, const ward_field *field, uint64_t *more)
{
	const struct shape *shape = &shapes[*get->at];
	uint64_t count = 0;
	ward_err err;

	if (*get->at == WARDI_TERM_REFERENCE || *get->at == WARDI_TERM_NEWER_REFERENCE ||
	    *get->at == WARDI_TERM_NEW_FUN)
		return skip_sized(get, field);
	if (!shape->known)
		return unknown(get, field);
	get->at++;
	if (shape->behind != 0)
		return skip_node(get, field, shape->behind);
	err = wardi_get_need(get, field, shape->fixed);
	if (err != WARD_OK)
		return err;
	for (unsigned i = 0; i < shape->counter; i++)
		count = count << 8 | get->at[i];
	*more += shape->terms + count * shape->more;
	return skip_bytes(get, field, shape->fixed + count * shape->each);
}

ward_err wardi_term_skip(struct wardi_get *get, const ward_field *field)
{
	uint64_t more = 1;
	ward_err err = WARD_OK;

	while (err == WARD_OK && more > 0) {
		if (wardi_get_left(get) < more)
			return wardi_get_ended(get, field);
		more--;
		err = skip_head(get, field, &more);
	}
	return err;
}
