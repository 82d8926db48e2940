/* SPDX-License-Identifier: MIT
 *
 * test_json.c - bodies as JSON: what is written, what is read, and what is refused.
 *
 * Method: texts that are written out here, in blocks of their exact size; and 10,000 values that
 * come back as they were.
 */
#include "parcel.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include <ward/extend.h>

struct deposit {
	uint64_t account;
	int64_t cents;
	char note[24];
};
WARD_MESSAGE_FIELDS(deposit, 1, WARD_FIELD(UINT, deposit, account, .min = 1),
		    WARD_FIELD(INT, deposit, cents), WARD_OPTIONAL_FIELD(TEXT, deposit, note));

struct rate {
	double value;
};
WARD_MESSAGE_FIELDS(rate, 1, WARD_FIELD(FLOAT, rate, value));

struct page_in {
	struct page page;
	char text[196];
};

/* Returns the body as JSON, ended by 0. Static. */
static const char *json(const ward_type *type, const void *body, size_t size)
{
	static char text[8192];
	ward_bytes out = {.max = sizeof text - 1};

	ward_assert_ok(ward_encode(WARD_FORMAT_JSON, type, body, size, &out));
	memcpy(text, out.data, out.size);
	text[out.size] = '\0';
	ward_bytes_finish(&out);
	return text;
}

/* Reads from a block of the exact size, so that a byte too many is found. */
static ward_err read_bytes(const ward_type *type, const void *text, size_t count, void *body,
			   size_t room, size_t *ret_size)
{
	char *exact = malloc(count);
	ward_err err;

	memcpy(exact, text, count);
	err = ward_decode(WARD_FORMAT_JSON, type, exact, count, body, room, ret_size);
	free(exact);
	return err;
}

static void refused(const ward_type *type, const char *text, const char *wanted)
{
	union {
		struct parcel parcel;
		struct deposit deposit;
		struct page_in page;
	} body;

	ward_assert_err(read_bytes(type, text, strlen(text), &body, sizeof body, NULL),
			WARD_EINVAL);
	ward_assert_str(ward_err_detail(), wanted);
}

static struct deposit read_deposit(const char *text)
{
	struct deposit deposit;

	ward_assert_ok(
		read_bytes(&ward_type_deposit, text, strlen(text), &deposit, sizeof deposit, NULL));
	return deposit;
}

/* ---- what is written --------------------------------------------------------------------- */

WARD_TEST(a_body_is_an_object_with_the_keys_in_order, "S181")
{
	const struct deposit deposit = {7, -5, "rent"};

	ward_assert_str(json(&ward_type_deposit, &deposit, sizeof deposit),
			"{\"deposit\":{\"account\":7,\"cents\":-5,\"note\":\"rent\"}}");
	ward_assert_str(json(&ward_type_stop, NULL, 0), "{\"stop\":{}}");
}

WARD_TEST(each_kind_has_its_form, "S181")
{
	char to[] = "\xc3\xa9";
	struct parcel parcel = {
		.paid = true,
		.zone = 255,
		.balance = INT64_MIN,
		.number = UINT64_MAX,
		.bytes = 4096,
		.weight = 0.1,
		.part = 0.5,
		.to = to,
		.note = "\"\\\n",
		.wait_ms = WARD_FOREVER,
		.speed = SPEED_FAST,
		.marks = 3,
		.sender = {81, 4, 0},
		.size = {640, -128},
		.stamp = {1, 2, 3, 4, 5},
		.code_count = 1,
		.code = {255},
		.pieces_count = 1,
		.late = 5,
	};

	ward_assert_str(
		json(&ward_type_parcel, &parcel, sizeof parcel),
		"{\"parcel\":{\"paid\":true,\"zone\":255,\"balance\":\"-9223372036854775808\","
		"\"number\":\"18446744073709551615\",\"bytes\":4096,\"weight\":0.1,\"part\":0.5,"
		"\"to\":\"\xc3\xa9\",\"note\":\"\\\"\\\\\\n\",\"wait_ms\":\"forever\","
		"\"speed\":\"fast\",\"marks\":[\"fragile\",\"heavy\"],\"sender\":\"#81@4\","
		"\"size\":{\"width\":640,\"turn\":-128},\"stamp\":\"AQIDBAU=\",\"code\":\"/w==\","
		"\"pieces\":[{\"label\":null,\"size\":{\"width\":0,\"turn\":0}}],\"late\":5}}");
}

WARD_TEST(a_tail_is_base64, "S181")
{
	struct page_in in = {{9}, "abcd"};
	size_t size = 0;

	ward_assert_str(json(&ward_type_page, &in, sizeof in.page + 4),
			"{\"page\":{\"number\":9,\"text\":\"YWJjZA==\"}}");
	memset(&in, 1, sizeof in);
	ward_assert_ok(read_bytes(&ward_type_page, "{\"page\":{\"text\":\"YWJj\",\"number\":2}}",
				  35, &in, sizeof in.page + 3, &size));
	ward_assert_eq(size, sizeof in.page + 3);
	ward_assert_eq(in.page.number, 2);
	ward_assert(memcmp(in.text, "abc", 3) == 0);
	ward_assert_err(read_bytes(&ward_type_page, "{\"page\":{\"text\":\"YWJj\",\"number\":2}}",
				   35, &in, sizeof in.page + 2, &size),
			WARD_ESIZE);
}

WARD_TEST(whole_numbers_are_strings_where_a_double_loses_digits, "S181")
{
	struct deposit deposit = {(UINT64_C(1) << 53) - 1, -(INT64_C(1) << 53) + 1, ""};

	ward_assert_str(json(&ward_type_deposit, &deposit, sizeof deposit),
			"{\"deposit\":{\"account\":9007199254740991,\"cents\":-9007199254740991,"
			"\"note\":\"\"}}");
	deposit.account++;
	deposit.cents--;
	ward_assert_str(json(&ward_type_deposit, &deposit, sizeof deposit),
			"{\"deposit\":{\"account\":\"9007199254740992\",\"cents\":"
			"\"-9007199254740992\",\"note\":\"\"}}");
}

/* A byte that is not UTF-8 must not make a text that is no JSON. */
WARD_TEST(a_text_has_all_bytes, "S181")
{
	struct deposit deposit = {1, 0, ""}, back;

	for (int byte = 1; byte < 256; byte++) {
		const char *text;

		deposit.note[0] = (char)byte;
		text = json(&ward_type_deposit, &deposit, sizeof deposit);
		back = read_deposit(text);
		ward_assert_str(back.note, deposit.note);
		if (byte >= 0x80)
			ward_assert_part(text, "{\"base64\":\"");
		for (const char *at = text; *at != '\0'; at++)
			ward_assert((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f);
	}
}

WARD_TEST(doubles_come_back_bit_by_bit, "S181")
{
	static const double values[] = {0.0,     -0.0,     0.1,      1.0 / 3, 5e-324,
					DBL_MIN, DBL_MAX,  -DBL_MAX, 1e22,    9007199254740993.0,
					123.456, 2.5e-308, 4.35,     1e-7,    0x1.fffffffffffffp-1};

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct rate rate = {values[i]}, back;
		const char *text = json(&ward_type_rate, &rate, sizeof rate);

		ward_assert_ok(
			read_bytes(&ward_type_rate, text, strlen(text), &back, sizeof back, NULL));
		ward_assert(memcmp(&back.value, &values[i], sizeof(double)) == 0);
	}
	ward_assert_str(json(&ward_type_rate, &(struct rate){0.1}, sizeof(struct rate)),
			"{\"rate\":{\"value\":0.1}}");
}

/* A locale with another decimal point; not each machine has one. */
WARD_TEST(the_locale_does_not_matter)
{
	struct rate rate = {0.5}, back;
	const char *text;

	(void)setlocale(LC_ALL, "de_DE.UTF-8");
	text = json(&ward_type_rate, &rate, sizeof rate);
	ward_assert_str(text, "{\"rate\":{\"value\":0.5}}");
	ward_assert_ok(read_bytes(&ward_type_rate, text, strlen(text), &back, sizeof back, NULL));
	ward_assert(back.value == 0.5);
	(void)setlocale(LC_ALL, "C");
}

static void not_written(const ward_type *type, const void *body, size_t size, const char *wanted)
{
	ward_bytes out = {.data = NULL};

	ward_assert_ok(ward_bytes_add(&out, "x", 1));
	ward_assert_err(ward_encode(WARD_FORMAT_JSON, type, body, size, &out), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), wanted);
	ward_assert_eq(out.size, 1);
	ward_bytes_finish(&out);
}

WARD_TEST(values_that_their_rows_forbid_are_not_written, "S181")
{
	struct parcel parcel = {
		.zone = 1, .part = 0.5, .speed = SPEED_SLOW, .code_count = 1, .late = 5};
#define WRONG(member, value, wanted)                                                               \
	do {                                                                                       \
		struct parcel wrong = parcel;                                                      \
		wrong.member = (value);                                                            \
		not_written(&ward_type_parcel, &wrong, sizeof wrong, (wanted));                    \
	} while (0)

	WRONG(zone, 0, "\"parcel\": zone: 0 must be from 1 to 255");
	WRONG(weight, NAN, "weight: the number is not finite");
	WRONG(weight, INFINITY, "weight: the number is not finite");
	WRONG(part, 0.8, "part: 0.8");
	WRONG(wait_ms, -1, "wait_ms: -1 must be from 0");
	WRONG(speed, (enum speed)4, "speed: 4 has no name");
	WRONG(marks, 4, "marks: the bits 0x4 have no name");
	WRONG(size.width, 1001, "size.width: 1001 must be from 0 to 1000");
	WRONG(code_count, 10, "code: 10 bytes, must be from 1 to 9");
	WRONG(code_count, 0, "code: 0 bytes, must be from 1 to 9");
	WRONG(pieces_count, 4, "pieces: 4 items, must be from 0 to 3");
	WRONG(late, 4, "late: 4 must be from 5 to 9");
	memset(parcel.note, 'x', sizeof parcel.note);
	WRONG(zone, 1, "note: the text does not end with 0");
#undef WRONG
}

/* ---- what is read ------------------------------------------------------------------------ */

WARD_TEST(keys_come_in_any_order_and_unknown_ones_are_skipped, "S182")
{
	struct deposit deposit = read_deposit(
		" { \"deposit\" : { \"cents\" : -5 , \"of\" : {\"a\": [1, 2.5e-3, null, "
		"{\"\\u00e9\": \"\\ud83d\\ude00\"}], \"b\": {}},\r\n\t\"account\" : \"7\" } } ");

	ward_assert_eq(deposit.account, 7);
	ward_assert_eq(deposit.cents, -5);
	ward_assert_str(deposit.note, "");
	deposit =
		read_deposit("{\"deposit\":{\"\\u0061ccount\":1,\"cents\":\"-9223372036854775808\","
			     "\"note\":\"\\u00e9\\/\\ud83d\\ude00\\t\"}}");
	ward_assert_eq(deposit.cents, INT64_MIN);
	ward_assert_str(deposit.note, "\xc3\xa9/\xf0\x9f\x98\x80\t");
}

#define DEPOSIT(text) "{\"deposit\":{" text "}}"

WARD_TEST(what_is_wrong_is_named_with_byte_and_key, "S182")
{
	const ward_type *type = &ward_type_deposit;

	refused(type, "",
		"JSON, byte 0: is missing, the text ends here, must be an object with "
		"the name of the message");
	refused(type, "{\"withdrawal\":{}}", "JSON, byte 2: must be {\"deposit\": ...}");
	refused(type, "[1]",
		"JSON, byte 0: is an array, must be an object with the name of the "
		"message");
	refused(type, DEPOSIT("\"cents\":5"), "JSON, byte 22: account: is missing");
	refused(type, DEPOSIT("\"account\":1,\"cents\":5,\"cents\":5"),
		"JSON, byte 42: cents: is there twice");
	refused(type, DEPOSIT("\"account\":0"),
		"JSON, byte 23: account: is 0, must be from 1 to 18446744073709551615");
	refused(type, DEPOSIT("\"account\":-1"),
		"JSON, byte 24: account: is -1, must be from 1 to 18446744073709551615");
	refused(type, DEPOSIT("\"account\":1.0"),
		"JSON, byte 22: account: must be a whole number of at most 64 bits, without a "
		"point");
	refused(type, DEPOSIT("\"account\":18446744073709551616"),
		"JSON, byte 22: account: must be a whole number of at most 64 bits, without a "
		"point");
	refused(type, DEPOSIT("\"cents\":9223372036854775808"),
		"JSON, byte 39: cents: is 9223372036854775808, must be from -9223372036854775808 "
		"to 9223372036854775807");
	refused(type, DEPOSIT("\"account\":true"),
		"JSON, byte 22: account: is true or false, must be a whole number");
	refused(type, DEPOSIT("\"note\":\"123456789012345678901234\""),
		"JSON, byte 45: note: has 24 bytes, must have 0 to 23");
	refused(type, DEPOSIT("\"note\":\"\\u0000\""),
		"JSON, byte 27: note: a text cannot hold \\u0000");
	refused(type, DEPOSIT("\"note\":{\"base64\":\"AA==\"}"),
		"JSON, byte 36: note: a text cannot hold a byte of 0");
	refused(type, DEPOSIT("\"note\":{\"base64\":\"YQ=\"}"),
		"JSON, byte 30: note: must be base64, with '=' at the end");
	refused(type, DEPOSIT("\"note\":null"),
		"JSON, byte 19: note: is null, must be a string, or {\"base64\": \"...\"}");
	refused(type, DEPOSIT("\"account\":1,\"cents\":2") " 3",
		"JSON, byte 36: behind the "
		"message is more");
	refused(type, "{\"deposit\":{\"account\":1,\"cents\":2},\"x\":3}",
		"JSON, byte 34: here must be '}': an object is one message");
}

/* All that a deposit must have, and something else. */
#define WITH(text) DEPOSIT("\"account\":1,\"cents\":2," text)

WARD_TEST(what_is_no_json_is_refused, "S182")
{
	static const char *const texts[] = {
		DEPOSIT("\"account\":01"),
		DEPOSIT("\"account\":+1"),
		DEPOSIT("\"account\":1,"),
		DEPOSIT("\"account\":1 \"cents\":2"),
		DEPOSIT("\"account\" 1"),
		DEPOSIT("account:1"),
		WITH("\"x\":.5"),
		WITH("\"x\":1."),
		WITH("\"x\":1e"),
		WITH("\"x\":-"),
		WITH("\"x\":nul"),
		WITH("\"x\":\"\\x\""),
		WITH("\"x\":\"\\ud83d\""),
		WITH("\"x\":\"\\ud83d\\u0041\""),
		WITH("\"x\":\"\\ude00\""),
		WITH("\"x\":\"\\u00g0\""),
		WITH("\"x\":\"\t\""),
		WITH("\"x\":\"\xff\""),
		WITH("\"x\":\"\xed\xa0\x80\""),
		WITH("\"x\":[1,]"),
		WITH("\"x\":[1"),
		WITH("\"x\":{\"a\"}"),
		WITH("\"x\":\"a"),
		"\xef\xbb\xbf" WITH("\"x\":1"),
	};
	struct deposit deposit;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		ward_assert_err(read_bytes(&ward_type_deposit, texts[i], strlen(texts[i]), &deposit,
					   sizeof deposit, NULL),
				WARD_EINVAL);
		ward_assert_part(ward_err_detail(), "JSON, byte ");
		ward_assert(strstr(ward_err_detail(), "missing") == NULL ||
			    strstr(ward_err_detail(), "ends here") != NULL);
	}
}

WARD_TEST(bytes_have_one_text, "S182")
{
	static const char *const texts[] = {
		"Y===",     "====", "YR==", "YWJ=", "YW=Q",      "=YWJ",
		"YQ==YQ==", "YQ",   "Y-==", "YQ= ", "Y\\u00e9=", "YWJj\\n"};
	char text[64];

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		snprintf(text, sizeof text, "{\"deposit\":{\"note\":{\"base64\":\"%s\"}}}",
			 texts[i]);
		refused(&ward_type_deposit, text,
			"JSON, byte 30: note: must be base64, with '=' at the end");
	}
	ward_assert_str(read_deposit("{\"deposit\":{\"account\":1,\"cents\":0,\"note\":{\"base64\":"
				     "\"\\u0059Q=\\u003d\"}}}")
				.note,
			"a");
}

WARD_TEST(what_is_skipped_has_at_most_64_levels, "S182")
{
	char text[256];
	struct deposit deposit;

	for (int levels = 61; levels <= 64; levels++) {
		size_t at = (size_t)sprintf(text, "{\"deposit\":{\"account\":1,\"cents\":2,\"x\":");

		memset(text + at, '[', (size_t)levels);
		memset(text + at + levels, ']', (size_t)levels);
		strcpy(text + at + 2 * levels, "}}");
		ward_assert_err(read_bytes(&ward_type_deposit, text, strlen(text), &deposit,
					   sizeof deposit, NULL),
				levels <= 62 ? WARD_OK : WARD_EINVAL);
	}
}

/* What comes must fit the table; the key of an item has its index. */
WARD_TEST(groups_lists_names_and_refs_are_checked, "S182")
{
#define PARCEL(text) "{\"parcel\":{" text "}}"
	const ward_type *type = &ward_type_parcel;

	refused(type, PARCEL("\"size\":{\"width\":1001}"),
		"JSON, byte 31: size.width: is 1001, must be from 0 to 1000");
	refused(type,
		PARCEL("\"pieces\":[{\"label\":\"a\",\"size\":{\"width\":1,\"turn\":1}},{\"label\":"
		       "5}]"),
		"JSON, byte 72: pieces[1].label: is a number, must be a string, or {\"base64\": "
		"\"...\"}");
	refused(type, PARCEL("\"speed\":\"quick\""),
		"JSON, byte 20: speed: unknown; must be one of \"slow\", \"fast\"");
	refused(type, PARCEL("\"marks\":[\"light\"]"),
		"JSON, byte 21: marks: unknown; must be one of \"fragile\", \"heavy\", \"both\", "
		"\"top\"");
	refused(type, PARCEL("\"stamp\":\"AQID\""),
		"JSON, byte 25: stamp: has 3 bytes, must have "
		"5 to 5");
	refused(type, PARCEL("\"part\":0.2"),
		"JSON, byte 21: part: is 0.20000000000000001, must be from 0.25 to 0.75");
	refused(type, PARCEL("\"weight\":1e999"),
		"JSON, byte 25: weight: the number is too large, or too long");
	refused(type, PARCEL("\"sender\":\"#1\""),
		"JSON, byte 24: sender: must be a ref, \"#UID@PLACE\", or null");
	refused(type, PARCEL("\"sender\":\"#1@4294967296\""),
		"JSON, byte 35: sender: must be a ref, \"#UID@PLACE\", or null");
#undef PARCEL
}

/* ---- all of it --------------------------------------------------------------------------- */

static void round_trip(const ward_type *type, uint64_t seed, void *body, void *back, size_t room)
{
	ward_bytes out = {.data = NULL}, again = {.data = NULL};
	size_t size, back_size;

	ward_assert_ok(ward_value_random(type, seed, body, room, &size));
	ward_assert_ok(ward_encode(WARD_FORMAT_JSON, type, body, size, &out));
	ward_assert_ok(read_bytes(type, out.data, out.size, back, room, &back_size));
	ward_assert(ward_value_same(type, body, size, back, back_size));
	ward_assert_ok(ward_encode(WARD_FORMAT_JSON, type, back, back_size, &again));
	ward_assert_eq(out.size, again.size);
	ward_assert(memcmp(out.data, again.data, out.size) == 0);
	ward_bytes_finish(&out);
	ward_bytes_finish(&again);
	if (type->drop != NULL) {
		type->drop(body);
		type->drop(back);
	}
}

WARD_TEST(values_come_back_as_they_were, "S181", "S182")
{
	struct parcel parcel, other;
	struct page_in page, other_page;

	for (uint64_t seed = 0; seed < 10000; seed++) {
		round_trip(&ward_type_parcel, seed, &parcel, &other, sizeof parcel);
		round_trip(&ward_type_page, seed, &page, &other_page, sizeof page);
	}
}

WARD_TEST(each_truncation_is_refused, "S182")
{
	struct parcel parcel, back;
	ward_bytes out = {.data = NULL};

	ward_assert_ok(ward_value_random(&ward_type_parcel, 2, &parcel, sizeof parcel, NULL));
	ward_assert_ok(
		ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, &parcel, sizeof parcel, &out));
	for (size_t count = 0; count < out.size; count++)
		ward_assert_err(
			read_bytes(&ward_type_parcel, out.data, count, &back, sizeof back, NULL),
			WARD_EINVAL);
	ward_type_parcel.drop(&parcel);
	ward_bytes_finish(&out);
}

/* Rows that are missing where they may be, and are not written again. */
WARD_TEST(a_row_of_a_later_version_may_be_missing, "S182")
{
	struct parcel parcel = {
		.zone = 1, .part = 0.5, .speed = SPEED_SLOW, .code_count = 1, .late = 0};
	const char *text = json(&ward_type_parcel, &parcel, sizeof parcel);

	ward_assert(strstr(text, "late") == NULL);
	ward_assert_ok(
		read_bytes(&ward_type_parcel, text, strlen(text), &parcel, sizeof parcel, NULL));
	ward_assert_eq(parcel.late, 0);
	ward_type_parcel.drop(&parcel);
}

/* Any bytes: an error, or a value that the table allows. */
WARD_TEST(mutations_do_no_harm, "S182")
{
	struct parcel parcel, back;
	ward_bytes out = {.data = NULL};
	uint64_t state = 88172645463325252u;

	for (uint64_t seed = 0; seed < 20000; seed++) {
		out.size = 0;
		ward_assert_ok(ward_value_random(&ward_type_parcel, seed % 500, &parcel,
						 sizeof parcel, NULL));
		ward_assert_ok(ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, &parcel,
					   sizeof parcel, &out));
		ward_type_parcel.drop(&parcel);
		for (int i = 0; i < 2; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			out.data[state % out.size] = (unsigned char)(state >> 40);
		}
		if (read_bytes(&ward_type_parcel, out.data, out.size, &back, sizeof back, NULL) !=
		    WARD_OK)
			continue;
		out.size = 0;
		ward_assert_ok(
			ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, &back, sizeof back, &out));
		ward_type_parcel.drop(&back);
	}
	ward_bytes_finish(&out);
}

/* ---- refs by others ---------------------------------------------------------------------- */

static ward_err put_ref(void *arg, ward_format format, ward_ref ref, ward_bytes *out)
{
	char text[64];
	int length = sprintf(text, "[%d, %" PRIu64 "]", format, ref.uid + *(uint64_t *)arg);

	return ward_bytes_add(out, text, (size_t)length);
}

static ward_err get_ref(void *arg, ward_format format, const void *bytes, size_t count,
			ward_ref *ret_ref)
{
	char text[64] = "";
	uint64_t uid;
	int read_format;

	memcpy(text, bytes, count);
	if (sscanf(text, "[%d, %" PRIu64 "]", &read_format, &uid) != 2 ||
	    read_format != (int)format)
		return WARD_EFOREIGN;
	*ret_ref = (ward_ref){uid - *(uint64_t *)arg, 9, 0};
	return WARD_OK;
}

struct letter {
	ward_ref from;
};
WARD_MESSAGE_FIELDS(letter, 1, WARD_FIELD(REF, letter, from));

WARD_TEST(refs_are_written_by_who_knows_better, "S181")
{
	uint64_t shift = 1000;
	const ward_codec_refs refs = {.arg = &shift, .put = put_ref, .get = get_ref};
	struct letter letter = {{5, 1, 0}};
	ward_bytes out = {.data = NULL};

	ward_assert_ok(ward_encode_refs(WARD_FORMAT_JSON, &refs, &ward_type_letter, &letter,
					sizeof letter, &out));
	ward_assert_eq(out.size, 29);
	ward_assert(memcmp(out.data, "{\"letter\":{\"from\":[2, 1005]}}", out.size) == 0);
	ward_assert_ok(ward_decode_refs(WARD_FORMAT_JSON, &refs, &ward_type_letter, out.data,
					out.size, &letter, sizeof letter, NULL));
	ward_assert_eq(letter.from.uid, 5);
	ward_assert_eq(ward_ref_place(letter.from), 9);
	ward_assert_err(ward_decode_refs(WARD_FORMAT_JSON, &refs, &ward_type_letter,
					 "{\"letter\":{\"from\":[3]}}", 23, &letter, sizeof letter,
					 NULL),
			WARD_EFOREIGN);
	ward_bytes_finish(&out);
}

WARD_TEST_MAIN
