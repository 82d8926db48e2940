/* SPDX-License-Identifier: MIT
 *
 * test_codec.c - what a decoder refuses and accepts, byte by byte, and types without tables.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/testkit.h>

struct pair {
	uint64_t large;
	int64_t low;
	uint32_t late;
};
WARD_MESSAGE_FIELDS(pair, 2,
		    WARD_FIELD(UINT, pair, large, .min = INT64_C(9007199254740993),
			       .umax = UINT64_MAX - 1),
		    WARD_FIELD(INT, pair, low, .min = INT64_MIN + 1, .max = INT64_MAX - 1),
		    WARD_FIELD(UINT, pair, late, .since = 2));
struct point {
	int32_t x, y;
};
WARD_MESSAGE_FIELDS_TUPLE(point, 1, WARD_FIELD(INT, point, x), WARD_FIELD(INT, point, y));
static const ward_field_name marks[] = {{"fragile", 1}, {"urgent", 2}, {NULL, 0}};
struct route {
	uint32_t marks;
	struct point points[2];
	uint8_t points_count;
	uint8_t end;
};
WARD_MESSAGE_FIELDS(route, 1, WARD_FIELD(MASK, route, marks, .names = marks),
		    WARD_FIELD(LIST, route, points, .fields = ward_fields_point,
			       WARD_COUNTED_BY(route, points_count)),
		    WARD_FIELD(UINT, route, end));
struct sheet {
	uint32_t number;
};
WARD_MESSAGE_FIELDS_UP_TO(sheet, 1, 16, WARD_FIELD(UINT, sheet, number),
			  WARD_TAIL_FIELD(sheet, text, .max = 9));
struct mail {
	ward_ref from;
};
WARD_MESSAGE_FIELDS(mail, 1, WARD_FIELD(REF, mail, from));
WARD_SIGNAL(halt);
struct local {
	int unused;
};
WARD_MESSAGE(local);

static const ward_format both[] = {WARD_FORMAT_TERM, WARD_FORMAT_WIRE};

static ward_err pair_trip(ward_format format, struct pair in)
{
	ward_bytes out = {.max = 100};
	struct pair back;
	ward_err err = ward_encode(format, &ward_type_pair, &in, sizeof in, &out);

	if (err == WARD_OK) {
		ward_assert_ok(ward_decode(format, &ward_type_pair, out.data, out.size, &back,
					   sizeof back, NULL));
		ward_assert(memcmp(&in.large, &back.large, 8) == 0 && in.low == back.low);
	}
	ward_bytes_finish(&out);
	return err;
}

WARD_TEST(bounds_are_exact_to_64_bits, "S176")
{
	static const struct {
		uint64_t large;
		int64_t low;
		ward_err err;
	} cases[] = {
		{UINT64_C(9007199254740993), 0, WARD_OK},
		{UINT64_C(9007199254740992), 0, WARD_EINVAL},
		{UINT64_C(9223372036854775808), INT64_MIN + 1, WARD_OK},
		{UINT64_MAX - 1, INT64_MAX - 1, WARD_OK},
		{UINT64_MAX, 0, WARD_EINVAL},
		{UINT64_MAX - 1, INT64_MIN, WARD_EINVAL},
		{UINT64_MAX - 1, INT64_MAX, WARD_EINVAL},
	};

	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			struct pair in;

			memset(&in, 0, sizeof in);
			in.large = cases[i].large;
			in.low = cases[i].low;
			ward_assert_err(pair_trip(both[f], in), cases[i].err);
			if (cases[i].err != WARD_OK)
				ward_assert_part(ward_err_detail(), "must be between");
		}
}

/* A term of a point, a pair or a signal, as somebody writes it. */
#define READ(T, bytes, body)                                                                       \
	ward_decode(WARD_FORMAT_TERM, &ward_type_##T, bytes, sizeof(bytes) - 1, body,              \
		    sizeof(struct T), NULL)
#define PAIR "\x83h\x02w\x04pairt"
#define LARGE                                                                                      \
	"w\x05large"                                                                               \
	"n\x08\0\0\0\0\0\0\0\0\x80"
#define LOW                                                                                        \
	"w\x03low"                                                                                 \
	"a\x07"

WARD_TEST(rows_of_later_versions_may_be_missing_others_not, "S177")
{
	struct pair pair;

	ward_assert_ok(READ(pair, PAIR "\0\0\0\x02" LARGE LOW, &pair));
	ward_assert(pair.large == UINT64_C(1) << 63 && pair.low == 7 && pair.late == 0);
	ward_assert_ok(READ(pair, PAIR "\0\0\0\x02" LOW LARGE, &pair));
	ward_assert_err(READ(pair, PAIR "\0\0\0\x01" LARGE, &pair), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "pair.low: is missing");
	ward_assert(pair.large == 0);
	ward_assert_err(READ(pair, PAIR "\0\0\0\x03" LARGE LOW LOW, &pair), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "pair.low: is there twice");
}

WARD_TEST(keys_that_no_row_has_are_skipped_however_deep, "S177")
{
	enum { DEEP = 100000 };
	static unsigned char bytes[DEEP * 2 + 100];
	static const char head[] = PAIR "\0\0\0\x03" LARGE LOW "w\x01z";
	struct pair pair;

	memcpy(bytes, head, sizeof head - 1);
	for (size_t i = 0; i < DEEP; i++)
		memcpy(bytes + sizeof head - 1 + 2 * i, "h\x01", 2);
	bytes[sizeof head - 1 + 2 * DEEP] = 'j';
	ward_assert_ok(ward_decode(WARD_FORMAT_TERM, &ward_type_pair, bytes, sizeof head + 2 * DEEP,
				   &pair, sizeof pair, NULL));
	ward_assert_err(ward_decode(WARD_FORMAT_TERM, &ward_type_pair, bytes,
				    sizeof head - 1 + 2 * DEEP, &pair, sizeof pair, NULL),
			WARD_EINVAL);
}

/* What binary_to_term() takes for []. */
WARD_TEST(list_of_no_elements_may_have_a_head, "S177")
{
	static const char bytes[] = "\x83h\x02w\x05routet\0\0\0\x03w\x05marksl\0\0\0\0j"
				    "w\x06pointsl\0\0\0\0jw\x03"
				    "enda\x07";
	struct route route;

	ward_assert_ok(ward_decode(WARD_FORMAT_TERM, &ward_type_route, bytes, sizeof bytes - 1,
				   &route, sizeof route, NULL));
	ward_assert(route.marks == 0 && route.points_count == 0 && route.end == 7);
}

WARD_TEST(record_is_read_by_its_order)
{
	struct point point = {3, -4}, back;
	ward_bytes out = {.max = 0};

	ward_assert_ok(ward_encode(WARD_FORMAT_TERM, &ward_type_point, &point, sizeof point, &out));
	ward_assert_eq(out.size, 17);
	ward_assert(memcmp(out.data,
			   "\x83h\x03w\x05pointa\x03"
			   "b\xff\xff\xff\xfc",
			   17) == 0);
	ward_assert_ok(ward_decode(WARD_FORMAT_TERM, &ward_type_point, out.data, out.size, &back,
				   sizeof back, NULL));
	ward_assert(back.x == 3 && back.y == -4);
	ward_bytes_finish(&out);
}

WARD_TEST(signal_needs_no_table_other_types_do, "S175")
{
	ward_bytes out = {.max = 0};
	struct local body = {0};

	ward_assert_ok(ward_encode(WARD_FORMAT_TERM, &ward_type_halt, NULL, 0, &out));
	ward_assert_ok(
		ward_decode(WARD_FORMAT_TERM, &ward_type_halt, out.data, out.size, NULL, 0, NULL));
	ward_assert_err(ward_encode(WARD_FORMAT_TERM, &ward_type_local, &body, sizeof body, &out),
			WARD_ELOCAL);
	ward_assert_part(ward_err_detail(), "local");
	ward_assert_err(ward_encode((ward_format)9, &ward_type_local, &body, sizeof body, &out),
			WARD_EINVAL);
	ward_bytes_finish(&out);
}

WARD_TEST(maximum_of_a_buffer_is_exact, "S178")
{
	struct pair in = {.large = UINT64_MAX - 1};

	for (size_t f = 0; f < 2; f++) {
		ward_bytes all = {.max = 0}, fits = {.max = 0}, less = {.max = 0};

		ward_assert_ok(ward_encode(both[f], &ward_type_pair, &in, sizeof in, &all));
		fits.max = all.size;
		less.max = all.size - 1;
		ward_assert_ok(ward_encode(both[f], &ward_type_pair, &in, sizeof in, &fits));
		ward_assert_err(ward_encode(both[f], &ward_type_pair, &in, sizeof in, &less),
				WARD_ESIZE);
		ward_assert_eq(less.size, 0);
		ward_bytes_finish(&all);
		ward_bytes_finish(&fits);
		ward_bytes_finish(&less);
	}
}

WARD_TEST(tail_is_read_up_to_its_room, "S178")
{
	_Alignas(16) unsigned char body[16] = {1, 0, 0, 0, 'a', 'b', 'c'}, back[16];

	for (size_t f = 0; f < 2; f++) {
		ward_bytes out = {.max = 0};
		size_t size;

		ward_assert_ok(ward_encode(both[f], &ward_type_sheet, body, 7, &out));
		ward_assert_ok(
			ward_decode(both[f], &ward_type_sheet, out.data, out.size, back, 7, &size));
		ward_assert(size == 7 && memcmp(body, back, 7) == 0);
		ward_assert_err(
			ward_decode(both[f], &ward_type_sheet, out.data, out.size, back, 6, &size),
			WARD_ESIZE);
		ward_assert_err(ward_encode(both[f], &ward_type_sheet, body, 14, &out),
				WARD_EINVAL);
		ward_assert_err(ward_encode(both[f], &ward_type_sheet, body, 17, &out), WARD_ESIZE);
		ward_bytes_finish(&out);
	}
}

static ward_err put_ref(void *arg, ward_format format, ward_ref ref, ward_bytes *out)
{
	*(ward_ref *)arg = ref;
	return format == WARD_FORMAT_TERM ? ward_bytes_add(out,
							   "w\x03"
							   "far",
							   5)
					  : ward_bytes_add(out, "far", 3);
}

static ward_err get_ref(void *arg, ward_format format, const void *bytes, size_t count,
			ward_ref *ret_ref)
{
	bool right = format == WARD_FORMAT_TERM ? count == 5 : count == 3;

	(void)bytes;
	*ret_ref = *(ward_ref *)arg;
	return right ? WARD_OK : WARD_EINVAL;
}

WARD_TEST(refs_are_written_by_those_who_know_their_place, "S180")
{
	struct mail in = {.from = ward_nobody()}, back;
	ward_ref seen;
	ward_codec_refs refs = {.arg = &seen, .put = put_ref, .get = get_ref};
	ward_bytes out = {.max = 0};

	memset(&in.from, 7, 12);
	ward_assert_ok(
		ward_encode_refs(WARD_FORMAT_WIRE, &refs, &ward_type_mail, &in, sizeof in, &out));
	ward_assert_ok(ward_decode_refs(WARD_FORMAT_WIRE, &refs, &ward_type_mail, out.data,
					out.size, &back, sizeof back, NULL));
	ward_assert(ward_ref_equal(in.from, back.from) && ward_ref_equal(in.from, seen));
	ward_bytes_finish(&out);
}

WARD_TEST_MAIN;
