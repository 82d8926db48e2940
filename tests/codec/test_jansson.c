/* SPDX-License-Identifier: MIT
 *
 * test_jansson.c - JSON that ward writes, read by jansson, WARD_CODEC_VALUES of it; and as
 * jansson writes it again, in another layout, read by ward.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "spell.h"

static bool spell_object(struct spelling *to, const ward_field *fields, const json_t *object);

/* The bytes of base64 with padding, or false. */
static bool spell_base64(struct spelling *to, const char *text)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strlen(text), count = 0;
	unsigned char bytes[3];
	uint32_t bits = 0;

	if (length % 4 != 0)
		return false;
	spell_text(to, "b");
	for (size_t i = 0; i < length; i++) {
		const char *letter = strchr(letters, text[i]);

		if (letter == NULL && (text[i] != '=' || i + 2 < length))
			return false;
		bits = bits << 6 | (text[i] == '=' ? 0 : (uint32_t)(letter - letters));
		if (text[i] != '=')
			count = i % 4;
		if (i % 4 == 3) {
			struct spelling three = {NULL, 0, 0};

			bytes[0] = (unsigned char)(bits >> 16);
			bytes[1] = (unsigned char)(bits >> 8);
			bytes[2] = (unsigned char)bits;
			spell_binary(&three, bytes, count);
			spell_text(to, three.text + 1);
			free(three.text);
			bits = 0;
		}
	}
	return true;
}

/* A number, or beyond 2^53 a string of its digits. */
static bool spell_whole(struct spelling *to, const json_t *value)
{
	json_int_t number = json_integer_value(value), most = INT64_C(1) << 53;

	if (json_is_string(value)) {
		double about = strtod(json_string_value(value), NULL);

		spell_text(to, json_string_value(value));
		return about > 9e15 || about < -9e15;
	}
	spell_int(to, number);
	return json_is_integer(value) && number <= most && number >= -most;
}

static bool spell_names(struct spelling *to, const ward_field *row, const json_t *array)
{
	uint32_t mask = 0;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		const ward_field_name *name = row->names;

		while (name->name != NULL && strcmp(name->name, json_string_value(item)) != 0)
			name++;
		if (name->name == NULL)
			return false;
		mask |= (uint32_t)name->value;
	}
	spell_mask(to, row->names, mask);
	return json_is_array(array);
}

/* "#UID@PLACE" */
static bool spell_far(struct spelling *to, const json_t *value)
{
	unsigned long long uid = 0;
	unsigned words[4] = {0}; /* low, high, place, spare */
	ward_ref ref;

	if (!json_is_null(value) &&
	    sscanf(json_string_value(value), "#%llu@%u+%u", &uid, &words[2], &words[3]) < 2)
		return false;
	words[0] = (unsigned)uid;
	words[1] = (unsigned)(uid >> 32);
	memcpy(&ref, words, sizeof ref);
	spell_ref(to, ref);
	return true;
}

static bool spell_list(struct spelling *to, const ward_field *row, const json_t *array)
{
	const json_t *item;
	size_t i;

	spell_text(to, "[");
	json_array_foreach(array, i, item)
	{
		if (!spell_object(to, row->fields, item))
			return false;
		spell_text(to, ",");
	}
	spell_text(to, "]");
	return json_is_array(array);
}

static bool spell_letters(struct spelling *to, const json_t *value)
{
	const char *base64 = json_string_value(json_object_get(value, "base64"));

	if (json_is_null(value))
		spell_text(to, "aundefined");
	else if (base64 != NULL)
		return spell_base64(to, base64);
	else if (json_is_string(value))
		spell_binary(to, json_string_value(value), json_string_length(value));
	return json_is_null(value) || json_is_string(value);
}

static bool spell_row(struct spelling *to, const ward_field *row, const json_t *value)
{
	switch (row->kind) {
	case WARD_FIELD_BOOL:
		spell_text(to, json_is_true(value) ? "atrue" : "afalse");
		return json_is_boolean(value);
	case WARD_FIELD_DURATION:
		if (!json_is_string(value) || strcmp(json_string_value(value), "forever") != 0)
			return spell_whole(to, value);
		spell_text(to, "ainfinity");
		return true;
	case WARD_FIELD_FLOAT:
		spell_float(to, json_number_value(value));
		return json_is_number(value);
	case WARD_FIELD_STRING:
	case WARD_FIELD_TEXT:
		return spell_letters(to, value);
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		return json_is_string(value) && spell_base64(to, json_string_value(value));
	case WARD_FIELD_ENUM:
		spell_text(to, "a");
		spell_text(to, json_string_value(value));
		return true;
	case WARD_FIELD_MASK:
		return spell_names(to, row, value);
	case WARD_FIELD_REF:
		return spell_far(to, value);
	case WARD_FIELD_GROUP:
		return spell_object(to, row->fields, value);
	case WARD_FIELD_LIST:
		return spell_list(to, row, value);
	default:
		return spell_whole(to, value);
	}
}

/* All its keys, in the order of spell.h, and none besides. */
static bool spell_object(struct spelling *to, const ward_field *fields, const json_t *object)
{
	size_t keys = 0;

	spell_text(to, "{");
	for (const ward_field *const *row = spell_order(fields); *row != NULL; row++) {
		const json_t *value = json_object_get(object, (*row)->key);

		if (value == NULL)
			continue;
		keys++;
		spell_text(to, (*row)->key);
		spell_text(to, " ");
		if (!spell_row(to, *row, value))
			return false;
		spell_text(to, ";");
	}
	spell_text(to, "}");
	return keys == json_object_size(object);
}

/* A record of Erlang has a map in JSON, too. */
static bool reads(struct spelling *told, const json_t *root, const struct value *value)
{
	const ward_codec *codec = value->type->codec;
	const char *name = codec != NULL ? codec->atom : value->type->name;
	const json_t *object = json_object_get(root, name);

	told->size = 0;
	spell_text(told, name);
	if (json_object_size(root) != 1 || object == NULL)
		return false;
	if (codec == NULL)
		return json_object_size(object) == 0;
	return spell_object(told, codec->fields, object) &&
	       spell_same(told, value, SPELL_MAPS, "jansson");
}

static bool comes_back(const json_t *root, const struct value *value, size_t flags)
{
	char *text = json_dumps(root, flags);
	struct value back;
	bool same;

	ward_assert(text != NULL);
	ward_assert_ok(value_decode(&back, WARD_FORMAT_JSON, value->type, text, strlen(text)));
	same = ward_value_same(value->type, value->body, value->size, back.body, back.size);
	value_finish(&back);
	free(text);
	return same;
}

WARD_TEST(json_jansson_reads_and_writes_the_same_values)
{
	static const size_t layouts[] = {JSON_INDENT(3), JSON_COMPACT | JSON_SORT_KEYS,
					 JSON_ENSURE_ASCII, JSON_ESCAPE_SLASH};
	unsigned long count = how_many("WARD_CODEC_VALUES", 2000), differ = 0;
	struct spelling told = {NULL, 0, 0};
	ward_bytes out = {.max = 0};

	ward_test_allow_s(300);
	for (unsigned long i = 0; i < count; i++) {
		struct value value =
			value_random(samples[i % sample_count()].type, i / sample_count() + 1);
		json_error_t error;
		json_t *root;

		out.size = 0;
		ward_assert_ok(
			ward_encode(WARD_FORMAT_JSON, value.type, value.body, value.size, &out));
		root = json_loadb((const char *)out.data, out.size,
				  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
		if (root == NULL)
			printf("%s: %.*s\n", error.text, (int)out.size, (const char *)out.data);
		if (root == NULL || !reads(&told, root, &value) ||
		    !comes_back(root, &value, layouts[i / sample_count() % 4]))
			differ++;
		json_decref(root);
		value_finish(&value);
	}
	free(told.text);
	ward_bytes_finish(&out);
	printf("%lu objects both ways, %lu differ\n", count, differ);
	ward_assert_eq(differ, 0);
}

WARD_TEST_MAIN;
