/* SPDX-License-Identifier: MIT
 *
 * value.c - reads one setting into one field; checks type and range, and reports what would be
 * right.
 *
 * Threads: as the config.
 */
#include "config/read/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ward/config.h>
#include <ward/text.h>

#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/reader.h"
#include "config/read/suggest.h"
#include "config/read/unit.h"

static const char *of_duration = "a duration: \"200 ms\", \"5 s\", \"2 min\", \"1 h\", "
				 "\"forever\", or a number of milliseconds";
static const char *of_size = "a size: \"64 KiB\", \"1 MiB\", \"1 GiB\", or a number of bytes";

const char *wardi_config_kind(const config_setting_t *setting)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_GROUP:
		return "a group";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "a whole number";
	case CONFIG_TYPE_FLOAT:
		return "a number with a point";
	case CONFIG_TYPE_STRING:
		return "a string";
	case CONFIG_TYPE_BOOL:
		return "true or false";
	case CONFIG_TYPE_ARRAY:
		return "an array";
	case CONFIG_TYPE_LIST:
		return "a list";
	default:
		return "nothing";
	}
}

/* Reports a wrong type. */
static void not_a(ward_config *config, const config_setting_t *setting, const char *what)
{
	wardi_config_wrong(config, setting, NULL, "is %s, must be %s", wardi_config_kind(setting),
			   what);
}

/* A hexadecimal number of 8 digits is unsigned. */
bool wardi_config_integer(const config_setting_t *setting, int64_t *ret_value)
{
	if (config_setting_type(setting) == CONFIG_TYPE_INT) {
		int value = config_setting_get_int(setting);

		*ret_value = config_setting_get_format(setting) == CONFIG_FORMAT_HEX
				     ? (int64_t)(uint32_t)value
				     : value;
		return true;
	}
	if (config_setting_type(setting) != CONFIG_TYPE_INT64)
		return false;
	*ret_value = config_setting_get_int64(setting);
	return true;
}

/* ---- ranges ------------------------------------------------------------------------------ */

/* A range that a field does not give is that of its kind; a maximum of 0 above a minimum, too. */
static bool is_unsigned(const ward_config_field *field)
{
	return field->kind == WARD_CONFIG_UINT || field->kind == WARD_CONFIG_SIZE;
}

static uint64_t unsigned_min(const ward_config_field *field)
{
	return field->umin != 0 ? field->umin : (uint64_t)field->min;
}

static uint64_t unsigned_max(const ward_config_field *field)
{
	return field->umax != 0 ? field->umax : (uint64_t)field->max;
}

static bool has_max(const ward_config_field *field)
{
	if (is_unsigned(field))
		return unsigned_max(field) != 0;
	return field->max != 0 || field->min < 0;
}

static bool holds(const ward_config_field *field, int64_t value)
{
	if (!is_unsigned(field))
		return (field->min == 0 && field->max == 0) ||
		       (value >= field->min && (!has_max(field) || value <= field->max));
	/* Without a range, one below 0 does not fit the member, which is reported then. */
	if (unsigned_min(field) == 0 && !has_max(field))
		return true;
	return value >= 0 && (uint64_t)value >= unsigned_min(field) &&
	       (!has_max(field) || (uint64_t)value <= unsigned_max(field));
}

static const char *min_text(const ward_config_field *field, char text[24])
{
	if (is_unsigned(field))
		snprintf(text, 24, "%" PRIu64, unsigned_min(field));
	else
		snprintf(text, 24, "%" PRId64, field->min);
	return text;
}

static const char *max_text(const ward_config_field *field, char text[24])
{
	if (is_unsigned(field))
		snprintf(text, 24, "%" PRIu64, unsigned_max(field));
	else
		snprintf(text, 24, "%" PRId64, field->max);
	return text;
}

static bool in_range(ward_config *config, const config_setting_t *setting,
		     const ward_config_field *field, int64_t value, const char *what)
{
	char least[24], most[24];

	if (holds(field, value))
		return true;
	if (has_max(field))
		wardi_config_wrong(config, setting, NULL, "%s is %lld, must be from %s to %s", what,
				   (long long)value, min_text(field, least), max_text(field, most));
	else
		wardi_config_wrong(config, setting, NULL, "%s is %lld, must be at least %s", what,
				   (long long)value, min_text(field, least));
	return false;
}

/* The range of a number with a point: low and high, else min and max. */
static bool number_in_range(ward_config *config, const config_setting_t *setting,
			    const ward_config_field *field, double value)
{
	bool given = field->low != 0 || field->high != 0;
	double low = given ? field->low : (double)field->min;
	double high = given ? field->high : (double)field->max;
	bool most = high != 0 || low <= 0;

	if ((low == 0 && high == 0) || (value >= low && (!most || value <= high)))
		return true;
	if (most)
		wardi_config_wrong(config, setting, NULL,
				   "the number is %.15g, must be from %.15g to %.15g", value, low,
				   high);
	else
		wardi_config_wrong(config, setting, NULL,
				   "the number is %.15g, must be at least %.15g", value, low);
	return false;
}

static bool duration_in_range(ward_config *config, const config_setting_t *setting,
			      const ward_config_field *field, int64_t ms)
{
	char least[48], most[48];

	if (holds(field, ms))
		return true;
	wardi_config_duration_text(field->min, least, sizeof least);
	if (!has_max(field)) {
		wardi_config_wrong(config, setting, NULL, "is too short, must be at least %s",
				   least);
		return false;
	}
	wardi_config_duration_text(field->max, most, sizeof most);
	wardi_config_wrong(config, setting, NULL, "must be from %s to %s", least, most);
	return false;
}

static bool size_in_range(ward_config *config, const config_setting_t *setting,
			  const ward_config_field *field, int64_t bytes)
{
	char given[48], least[48], most[48];

	if (holds(field, bytes))
		return true;
	wardi_config_size_text(bytes, given, sizeof given);
	wardi_config_size_text((int64_t)unsigned_min(field), least, sizeof least);
	wardi_config_size_text((int64_t)unsigned_max(field), most, sizeof most);
	if (has_max(field))
		wardi_config_wrong(config, setting, NULL, "is %s, must be from %s to %s", given,
				   least, most);
	else
		wardi_config_wrong(config, setting, NULL, "is %s, must be at least %s", given,
				   least);
	return false;
}

/* ---- whole numbers ----------------------------------------------------------------------- */

static int64_t signed_max(uint32_t size)
{
	return size >= 8 ? INT64_MAX : ((INT64_C(1) << (8 * size - 1)) - 1);
}

static bool fits(const ward_config_field *field, int64_t value)
{
	if (field->kind == WARD_CONFIG_INT)
		return value <= signed_max(field->size) && value >= -signed_max(field->size) - 1;
	return value >= 0 &&
	       (field->size >= 8 || value <= (int64_t)((UINT64_C(1) << (8 * field->size)) - 1));
}

static void store(void *out, uint32_t size, int64_t value)
{
	uint64_t bits = (uint64_t)value;
	uint8_t byte = (uint8_t)bits;
	uint16_t two = (uint16_t)bits;
	uint32_t four = (uint32_t)bits;

	switch (size) {
	case 1:
		memcpy(out, &byte, 1);
		break;
	case 2:
		memcpy(out, &two, 2);
		break;
	case 4:
		memcpy(out, &four, 4);
		break;
	default:
		memcpy(out, &bits, 8);
	}
}

/* The value is in the range of the field: stored, if the field has room. */
static void store_if_fits(ward_config *config, const config_setting_t *setting,
			  const ward_config_field *field, int64_t value, void *out)
{
	if (fits(field, value))
		store(out, field->size, value);
	else if (value < 0)
		wardi_config_wrong(config, setting, NULL, "the number is %lld, must be %s",
				   (long long)value,
				   field->kind == WARD_CONFIG_INT ? "larger" : "at least 0");
	else
		wardi_config_wrong(config, setting, NULL,
				   "the number is %lld, too large for its %u bytes",
				   (long long)value, field->size);
}

static void whole(ward_config *config, const config_setting_t *setting,
		  const ward_config_field *field, void *out)
{
	int64_t value;

	if (!wardi_config_integer(setting, &value))
		not_a(config, setting, "a whole number");
	else if (in_range(config, setting, field, value, "the number"))
		store_if_fits(config, setting, field, value, out);
}

/* Reports a text that is not what it must be: `value` says why. */
static void not_read(ward_config *config, const config_setting_t *setting, int64_t value,
		     const char *unit, const char *what)
{
	const char *text = config_setting_get_string(setting);

	if (value == WARDI_UNIT_PART)
		wardi_config_wrong(config, setting, NULL, "\"%.*s\" must be whole %s",
				   WARD_TEXT_FIT(text, 64), unit);
	else
		wardi_config_wrong(config, setting, NULL, "\"%.*s\" is not %s",
				   WARD_TEXT_FIT(text, 64), what);
}

static void of_bytes(ward_config *config, const config_setting_t *setting,
		     const ward_config_field *field, void *out)
{
	const char *text = config_setting_get_string(setting);
	int64_t value = 0;

	if (wardi_config_integer(setting, &value) ||
	    (text != NULL && wardi_config_size(text, &value))) {
		if (size_in_range(config, setting, field, value))
			store_if_fits(config, setting, field, value, out);
	} else if (text != NULL)
		not_read(config, setting, value, "bytes", of_size);
	else
		not_a(config, setting, of_size);
}

static void duration(ward_config *config, const config_setting_t *setting,
		     const ward_config_field *field, void *out)
{
	const char *text = config_setting_get_string(setting);
	int64_t ms = 0;

	if (wardi_config_integer(setting, &ms) && ms < 0)
		wardi_config_wrong(config, setting, NULL, "is negative, must be %s", of_duration);
	else if (wardi_config_integer(setting, &ms) ||
		 (text != NULL && wardi_config_duration(text, &ms))) {
		if (duration_in_range(config, setting, field, ms))
			memcpy(out, &ms, sizeof ms);
	} else if (text != NULL)
		not_read(config, setting, ms, "milliseconds", of_duration);
	else
		not_a(config, setting, of_duration);
}

/* ---- other values ------------------------------------------------------------------------ */

static void boolean(ward_config *config, const config_setting_t *setting, void *out)
{
	bool value = config_setting_get_bool(setting) != 0;

	if (config_setting_type(setting) == CONFIG_TYPE_BOOL)
		memcpy(out, &value, sizeof value);
	else
		not_a(config, setting, "true or false");
}

static void number(ward_config *config, const config_setting_t *setting,
		   const ward_config_field *field, void *out)
{
	int64_t integer;
	double value;

	if (wardi_config_integer(setting, &integer))
		value = (double)integer;
	else if (config_setting_type(setting) == CONFIG_TYPE_FLOAT)
		value = config_setting_get_float(setting);
	else {
		not_a(config, setting, "a number");
		return;
	}
	if (!isfinite(value))
		wardi_config_wrong(config, setting, NULL, "a number that is too large");
	else if (number_in_range(config, setting, field, value))
		memcpy(out, &value, sizeof value);
}

static void string(ward_config *config, const config_setting_t *setting,
		   const ward_config_field *field, void *out)
{
	const char *text = config_setting_get_string(setting);
	size_t length;

	if (text == NULL) {
		not_a(config, setting, "a string");
		return;
	}
	length = strlen(text);
	if (!in_range(config, setting, field, (int64_t)length, "the length of the string"))
		return;
	if (field->kind == WARD_CONFIG_STRING)
		memcpy(out, &text, sizeof text);
	else if (length < field->size)
		memcpy(out, text, length + 1);
	else
		wardi_config_wrong(config, setting, NULL,
				   "the string has %zu bytes, there is room for %u", length,
				   field->size - 1);
}

static bool is_list(const config_setting_t *setting)
{
	return config_setting_is_array(setting) || config_setting_is_list(setting);
}

static void strings(ward_config *config, const config_setting_t *setting,
		    const ward_config_field *field, void *out)
{
	int count = is_list(setting) ? config_setting_length(setting) : 0;
	const char **texts = NULL;

	if (!is_list(setting)) {
		not_a(config, setting, "a list of strings: [\"one\", \"two\"]");
		return;
	}
	if (!in_range(config, setting, field, count, "the number of strings"))
		return;
	texts = wardi_config_make(config, ((size_t)count + 1) * sizeof *texts);
	for (int i = 0; texts != NULL && i < count; i++) {
		texts[i] = config_setting_get_string_elem(setting, i);
		if (texts[i] == NULL) {
			wardi_config_wrong(config, setting, NULL, "entry %d must be a string",
					   i + 1);
			return;
		}
	}
	memcpy(out, &texts, sizeof texts);
}

/* ---- words ------------------------------------------------------------------------------- */

void wardi_config_no_name(ward_config *config, const config_setting_t *at, const char *word,
			  const ward_config_name *names)
{
	struct wardi_config_words words = {0};
	char text[WARDI_CONFIG_TEXT];

	for (; names->name != NULL; names++)
		wardi_config_word(config, &words, names->name);
	wardi_config_suggest(&words, word, "must be one of", text, sizeof text);
	wardi_config_wrong(config, at, NULL, "\"%.*s\" is unknown; %s", WARD_TEXT_FIT(word, 64),
			   text);
}

static const ward_config_name *find_name(const ward_config_name *names, const char *word)
{
	for (; names->name != NULL; names++)
		if (strcmp(names->name, word) == 0)
			return names;
	return NULL;
}

static void one_of(ward_config *config, const config_setting_t *setting,
		   const ward_config_field *field, void *out)
{
	const char *word = config_setting_get_string(setting);
	const ward_config_name *name;

	if (word == NULL) {
		not_a(config, setting, "a string, one of its names");
		return;
	}
	name = find_name(field->names, word);
	if (name != NULL)
		store(out, field->size, name->value);
	else
		wardi_config_no_name(config, setting, word, field->names);
}

static void mask(ward_config *config, const config_setting_t *setting,
		 const ward_config_field *field, void *out)
{
	uint32_t value = 0;
	int count = is_list(setting) ? config_setting_length(setting) : 0;

	if (!is_list(setting))
		not_a(config, setting, "a list of names: [\"one\", \"two\"]");
	for (int i = 0; i < count; i++) {
		const char *word = config_setting_get_string_elem(setting, i);
		const ward_config_name *name = word != NULL ? find_name(field->names, word) : NULL;

		if (word == NULL)
			wardi_config_wrong(config, setting, NULL, "entry %d must be a string",
					   i + 1);
		else if (name == NULL)
			wardi_config_no_name(config, setting, word, field->names);
		else
			value |= (uint32_t)name->value;
	}
	memcpy(out, &value, sizeof value);
}

void wardi_config_value(ward_config *config, const config_setting_t *setting,
			const ward_config_field *field, void *out)
{
	switch ((int)field->kind) {
	case WARD_CONFIG_BOOL:
		boolean(config, setting, out);
		break;
	case WARD_CONFIG_INT:
	case WARD_CONFIG_UINT:
		whole(config, setting, field, out);
		break;
	case WARD_CONFIG_FLOAT:
		number(config, setting, field, out);
		break;
	case WARD_CONFIG_STRING:
	case WARD_CONFIG_TEXT:
		string(config, setting, field, out);
		break;
	case WARD_CONFIG_STRINGS:
		strings(config, setting, field, out);
		break;
	case WARD_CONFIG_DURATION:
		duration(config, setting, field, out);
		break;
	case WARD_CONFIG_SIZE:
		of_bytes(config, setting, field, out);
		break;
	case WARD_CONFIG_ENUM:
		one_of(config, setting, field, out);
		break;
	case WARD_CONFIG_MASK:
		mask(config, setting, field, out);
		break;
	default:
		break;
	}
}
