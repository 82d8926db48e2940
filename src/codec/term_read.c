/* SPDX-License-Identifier: MIT
 *
 * term_read.c - reads bodies from terms of Erlang, and accepts what an Erlang program writes for
 * the same value: an integer for a float, a string for a binary, binaries as keys.
 */
#include <string.h>

#include "codec/member.h"
#include "codec/term.h"
#include "codec/term_get.h"
#include "codec/term_read.h"
#include "codec/term_skip.h"
#include "mail/ref.h"

static ward_err get_map(struct wardi_get *get, const ward_field *of, const ward_field *fields,
			unsigned char *body);

static ward_err wrong(struct wardi_get *get, const ward_field *field, const char *what)
{
	return wardi_walk_wrong(wardi_get_here(get), field, WARD_EINVAL, "%s", what);
}

static ward_err get_int(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	struct wardi_term_integer integer;
	ward_err err = wardi_term_get_integer(get, field, &integer);

	if (err != WARD_OK)
		return err;
	if (integer.magnitude > (uint64_t)INT64_MAX + integer.negative)
		return wrong(get, field, "an integer of more than 64 bits");
	return wardi_get_set_int(get, field, at,
				 integer.negative ? (int64_t)-integer.magnitude
						  : (int64_t)integer.magnitude);
}

static ward_err get_uint(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	struct wardi_term_integer integer;
	ward_err err = wardi_term_get_integer(get, field, &integer);

	if (err != WARD_OK)
		return err;
	if (integer.negative)
		return wrong(get, field, "must not be negative");
	return wardi_get_set_uint(get, field, at, integer.magnitude);
}

static ward_err get_float(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	double value;
	ward_err err = wardi_term_get_float(get, field, &value);

	return err == WARD_OK ? wardi_get_set_float(get, field, at, value) : err;
}

static ward_err get_bool(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	struct wardi_term_word word;
	ward_err err = wardi_term_get_word(get, field, &word);
	bool value;

	if (err != WARD_OK)
		return err;
	value = wardi_term_word_is(&word, "true");
	if (!value && !wardi_term_word_is(&word, "false"))
		return wrong(get, field, "must be true or false");
	memcpy(at, &value, sizeof value);
	return WARD_OK;
}

static ward_err get_duration(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	struct wardi_term_word word;
	ward_err err;

	if (!wardi_term_is_atom(get))
		return get_int(get, field, at);
	err = wardi_term_get_word(get, field, &word);
	if (err != WARD_OK)
		return err;
	if (!wardi_term_word_is(&word, "infinity"))
		return wrong(get, field, "must be an integer or infinity");
	return wardi_get_set_int(get, field, at, WARD_FOREVER);
}

static ward_err get_name(struct wardi_get *get, const ward_field *field,
			 const ward_field_name **ret_name)
{
	struct wardi_term_word word;
	ward_err err = wardi_term_get_word(get, field, &word);

	if (err != WARD_OK)
		return err;
	*ret_name = wardi_name_find(field, (const char *)word.text, word.size);
	if (*ret_name == NULL)
		return wardi_walk_name_wrong(wardi_get_here(get), field, (const char *)word.text,
					     word.size, 0);
	return WARD_OK;
}

static ward_err get_enum(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	const ward_field_name *name;
	ward_err err = get_name(get, field, &name);

	if (err == WARD_OK)
		wardi_member_set(at, field->size, (uint64_t)name->value);
	return err;
}

static ward_err get_mask(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	const ward_field_name *name;
	uint32_t count, mask = 0;
	ward_err err = wardi_term_get_list(get, field, &count);
	bool empty = err == WARD_OK && count == 0;

	for (; err == WARD_OK && count > 0; count--) {
		err = get_name(get, field, &name);
		if (err == WARD_OK)
			mask |= (uint32_t)name->value;
	}
	if (err == WARD_OK && !empty)
		err = wardi_term_get_nil(get, field);
	if (err == WARD_OK)
		wardi_member_set(at, 4, mask);
	return err;
}

/* Consumes an atom that stands for no value. */
static ward_err get_nothing(struct wardi_get *get, const ward_field *field, const char *or_what)
{
	struct wardi_term_word word;
	ward_err err = wardi_term_get_word(get, field, &word);

	if (err != WARD_OK)
		return err;
	if (wardi_term_word_is(&word, "undefined") || wardi_term_word_is(&word, "nil"))
		return WARD_OK;
	return wrong(get, field, or_what);
}

static ward_err get_chars(struct wardi_get *get, const ward_field *field, unsigned char *body)
{
	bool is_text = field->kind == WARD_FIELD_TEXT || field->kind == WARD_FIELD_STRING;
	struct wardi_term_chars chars;
	unsigned char *to;
	ward_err err;

	if (field->kind == WARD_FIELD_STRING && wardi_term_is_atom(get))
		return get_nothing(get, field, "must be a binary, a string, or undefined");
	err = wardi_term_get_chars(get, field, is_text, &chars);
	if (err == WARD_OK)
		err = wardi_get_place(get, field, body, chars.size, &to);
	if (err != WARD_OK)
		return err;
	wardi_term_chars_copy(&chars, to);
	if (is_text && memchr(to, 0, chars.size) != NULL)
		return wrong(get, field, "a text has no 0 in it");
	return WARD_OK;
}

static ward_err get_foreign_ref(struct wardi_get *get, const ward_field *field, ward_ref *ret)
{
	const ward_codec_refs *refs = get->walk.refs;
	const unsigned char *start = get->at;
	ward_err err = wardi_term_skip(get, field);

	if (err != WARD_OK)
		return err;
	return refs->get(refs->arg, WARD_FORMAT_TERM, start, (size_t)(get->at - start), ret);
}

static ward_err get_pid(struct wardi_get *get, const ward_field *field, ward_ref *ret)
{
	struct wardi_term_word node;
	ward_err err;

	if (get->at < get->end && *get->at != WARDI_TERM_NEW_PID)
		return wrong(get, field, "must be a pid, or undefined");
	if (wardi_get_left(get) < 2)
		return wardi_get_ended(get, field);
	get->at++;
	if (!wardi_term_is_atom(get))
		return wrong(get, field, "must be a pid, which has the name of a node");
	err = wardi_term_get_word(get, field, &node);
	if (err == WARD_OK)
		err = wardi_get_need(get, field, 12);
	if (err != WARD_OK)
		return err;
	if (!wardi_term_word_is(&node, WARDI_TERM_NODE))
		return wardi_walk_wrong(wardi_get_here(get), field, WARD_EFOREIGN,
					"a pid of the node '%.*s' means nothing here",
					node.size > 60 ? 60 : (int)node.size, node.text);
	*ret = wardi_ref_make((uint64_t)wardi_load_be32(get->at + 4) << 32 |
				      wardi_load_be32(get->at),
			      wardi_load_be32(get->at + 8));
	if (ward_ref_is_nobody(*ret))
		return wrong(get, field, "is a pid of no system: nobody is undefined");
	get->at += 12;
	return WARD_OK;
}

static ward_err get_ref(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	ward_ref ref = ward_nobody();
	ward_err err;

	if (wardi_term_is_atom(get))
		err = get_nothing(get, field, "must be a pid, or undefined");
	else if (get->walk.refs != NULL)
		err = get_foreign_ref(get, field, &ref);
	else
		err = get_pid(get, field, &ref);
	if (err == WARD_OK)
		memcpy(at, &ref, sizeof ref);
	return err;
}

static ward_err get_group(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	ward_err err = wardi_walk_down(&get->walk, field);

	if (err == WARD_OK)
		err = get_map(get, NULL, field->fields, at);
	if (err == WARD_OK)
		wardi_walk_up(&get->walk);
	return err;
}

static ward_err get_items(struct wardi_get *get, const ward_field *field, unsigned char *at,
			  uint32_t count)
{
	ward_err err = wardi_walk_down(&get->walk, field);

	for (uint32_t i = 0; err == WARD_OK && i < count; i++) {
		get->walk.level[get->walk.depth - 1].index = i;
		err = get_map(get, NULL, field->fields, at + (size_t)i * field->item);
	}
	if (err == WARD_OK)
		wardi_walk_up(&get->walk);
	return err;
}

/* The items are counted before the first is read, so that a drop finds the strings of all. */
static ward_err get_list(struct wardi_get *get, const ward_field *field, unsigned char *body)
{
	uint32_t count;
	ward_err err = wardi_term_get_list(get, field, &count);

	if (err != WARD_OK)
		return err;
	if (!wardi_count_fits(field, count))
		return wardi_walk_length_wrong(wardi_get_here(get), field, count, "items");
	wardi_member_set_count(field, body, count);
	if (count == 0)
		return WARD_OK;
	err = get_items(get, field, body + field->offset, count);
	return err == WARD_OK ? wardi_term_get_nil(get, field) : err;
}

static inline ward_err get_value(struct wardi_get *get, const ward_field *field,
				 unsigned char *body)
{
	unsigned char *at = body + field->offset;

	switch (field->kind) {
	case WARD_FIELD_INT:
		return get_int(get, field, at);
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return get_uint(get, field, at);
	case WARD_FIELD_FLOAT:
		return get_float(get, field, at);
	case WARD_FIELD_BOOL:
		return get_bool(get, field, at);
	case WARD_FIELD_TEXT:
	case WARD_FIELD_STRING:
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		return get_chars(get, field, body);
	case WARD_FIELD_DURATION:
		return get_duration(get, field, at);
	case WARD_FIELD_ENUM:
		return get_enum(get, field, at);
	case WARD_FIELD_MASK:
		return get_mask(get, field, at);
	case WARD_FIELD_REF:
		return get_ref(get, field, at);
	case WARD_FIELD_GROUP:
		return get_group(get, field, at);
	case WARD_FIELD_LIST:
		return get_list(get, field, body);
	default:
		return wardi_walk_kind_wrong(wardi_get_here(get), field);
	}
}

/* The key that is next in the table mostly is the next one in the map, too. */
static inline bool is_next_key(struct wardi_get *get, const ward_field *next)
{
	size_t size = next->key_size;

	if (size == 0 || wardi_get_left(get) < 2 + size || get->at[0] != WARDI_TERM_SMALL_ATOM ||
	    get->at[1] != size || !wardi_same_few(get->at + 2, next->key, size))
		return false;
	get->at += 2 + size;
	return true;
}

/* NULL: no row has this key. */
static ward_err find_key(struct wardi_get *get, const ward_field *fields, const ward_field **ret)
{
	struct wardi_term_word key;
	const unsigned char *start = get->at;
	ward_err err;

	*ret = NULL;
	if (!wardi_term_is_atom(get) && (start == get->end || *start != WARDI_TERM_BINARY))
		return wardi_term_skip(get, NULL); /* any term may be a key of a map */
	err = wardi_term_get_word(get, NULL, &key);
	if (err != WARD_OK)
		return err;
	for (; fields->kind != WARD_FIELD_END; fields++)
		if (wardi_key_is(fields, key.text, key.size)) {
			*ret = fields;
			break;
		}
	return WARD_OK;
}

static inline ward_err get_row(struct wardi_get *get, const ward_field *fields,
			       const ward_field *field, struct wardi_seen *seen,
			       unsigned char *body)
{
	if (!wardi_seen_add(seen, (size_t)(field - fields)))
		return wrong(get, field, "is there twice");
	return get_value(get, field, body);
}

static ward_err get_map(struct wardi_get *get, const ward_field *of, const ward_field *fields,
			unsigned char *body)
{
	struct wardi_seen seen = {.rows = {0}};
	const ward_field *next = fields;
	uint32_t count;
	ward_err err = wardi_term_get_map(get, of, &count);

	for (; err == WARD_OK && count > 0; count--) {
		const ward_field *field = next;

		if (field->kind == WARD_FIELD_END || !is_next_key(get, field)) {
			err = find_key(get, fields, &field);
			if (err != WARD_OK)
				return err;
		}
		if (field == NULL) {
			err = wardi_term_skip(get, NULL);
			continue;
		}
		next = field + 1;
		err = get_row(get, fields, field, &seen, body);
	}
	return err == WARD_OK ? wardi_seen_all(&seen, fields, get) : err;
}

/* The values of a record, without keys. */
static ward_err get_record(struct wardi_get *get, const ward_field *fields, uint32_t count,
			   unsigned char *body)
{
	struct wardi_seen seen = {.rows = {0}};
	const ward_field *field = fields;
	ward_err err = WARD_OK;

	for (; err == WARD_OK && count > 0; count--) {
		if (field->kind == WARD_FIELD_END) {
			err = wardi_term_skip(get, NULL);
			continue;
		}
		err = get_row(get, fields, field, &seen, body);
		field++;
	}
	return err == WARD_OK ? wardi_seen_all(&seen, fields, get) : err;
}

static const char *name_of(const ward_type *type)
{
	return type->codec != NULL && type->codec->atom != NULL ? type->codec->atom : type->name;
}

static ward_err get_message_name(struct wardi_get *get)
{
	struct wardi_term_word word;
	ward_err err;

	if (!wardi_term_is_atom(get))
		return get->at == get->end ? wardi_get_ended(get, NULL)
					   : wrong(get, NULL,
						   "must begin with the name of the "
						   "message, an atom");
	err = wardi_term_get_word(get, NULL, &word);
	if (err == WARD_OK && !wardi_term_word_is(&word, name_of(get->walk.type)))
		return wardi_walk_wrong(wardi_get_here(get), NULL, WARD_EINVAL,
					"is the message '%.*s'",
					word.size > 60 ? 60 : (int)word.size, word.text);
	return err;
}

/* A signal is an atom, or a tuple of its name and whatever a newer version adds. */
static ward_err get_signal(struct wardi_get *get)
{
	uint32_t count = 1;
	ward_err err = WARD_OK;

	if (!wardi_term_is_atom(get))
		err = wardi_term_get_tuple(get, &count);
	if (err == WARD_OK)
		err = get_message_name(get);
	for (; err == WARD_OK && count > 1; count--)
		err = wardi_term_skip(get, NULL);
	return err;
}

static ward_err get_by_hand(struct wardi_get *get)
{
	const ward_type *type = get->walk.type;
	struct wardi_term_word bytes;
	ward_err err;

	if (get->at < get->end && *get->at != WARDI_TERM_BINARY)
		return wrong(get, NULL, "must be its name and a binary");
	err = wardi_term_get_word(get, NULL, &bytes);
	return err == WARD_OK ? type->decode(bytes.text, bytes.size, get->body, type->size) : err;
}

static ward_err get_message(struct wardi_get *get)
{
	const ward_type *type = get->walk.type;
	bool record = type->codec != NULL && (type->codec->flags & WARD_CODEC_TUPLE) != 0;
	uint32_t count;
	ward_err err;

	if (type->codec == NULL && type->decode == NULL)
		return get_signal(get);
	err = wardi_term_get_tuple(get, &count);
	if (err == WARD_OK && count < (record ? 1 : 2))
		return wrong(get, NULL, "must be a tuple of its name and a map");
	if (err == WARD_OK)
		err = get_message_name(get);
	if (err != WARD_OK)
		return err;
	if (record)
		return get_record(get, type->codec->fields, count - 1, get->body);
	if (type->codec == NULL)
		err = get_by_hand(get);
	else
		err = get_map(get, NULL, type->codec->fields, get->body);
	for (; err == WARD_OK && count > 2; count--)
		err = wardi_term_skip(get, NULL);
	return err;
}

static void skip_version(struct wardi_get *get)
{
	if (get->at < get->end && *get->at == WARDI_TERM_VERSION)
		get->at++;
}

ward_err wardi_term_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, unsigned char *body,
			   size_t room, size_t *ret_size)
{
	struct wardi_get get;
	ward_err err;

	wardi_get_begin(&get, refs, type, bytes, count);
	get.body = body;
	get.room = room;
	get.size = type->size;
	skip_version(&get);
	err = get_message(&get);
	if (err == WARD_OK && get.at != get.end)
		err = wardi_walk_wrong(wardi_get_here(&get), NULL, WARD_EINVAL,
				       "%zu bytes behind its end", wardi_get_left(&get));
	*ret_size = get.size;
	return err;
}

bool wardi_term_name(const unsigned char *bytes, size_t count, const char **ret_name,
		     size_t *ret_size)
{
	static const ward_type none = {.name = ""};
	struct wardi_term_word word;
	struct wardi_get get;
	uint32_t elements;

	wardi_get_begin(&get, NULL, &none, bytes, count);
	skip_version(&get);
	if (!wardi_term_is_atom(&get) && wardi_term_get_tuple(&get, &elements) != WARD_OK)
		return false;
	if (!wardi_term_is_atom(&get) || wardi_term_get_word(&get, NULL, &word) != WARD_OK)
		return false;
	*ret_name = (const char *)word.text;
	*ret_size = word.size;
	return true;
}
