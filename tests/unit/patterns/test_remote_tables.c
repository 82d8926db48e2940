/* SPDX-License-Identifier: MIT
 *
 * test_remote_tables.c - what a stand-in and the host of its guest say to each other has tables
 * (S189).
 *
 * Method: values by seed, in all formats, whole and cut at each byte.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/selection.h>
#include <ward/testkit.h>

#include "patterns/remote/wire.h"

enum { SEEDS = 500, CUT_SEEDS = 40 };

static const ward_format formats[] = {WARD_FORMAT_WIRE, WARD_FORMAT_TERM, WARD_FORMAT_JSON};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const ward_type *const types[] = {
	&ward_type_wardi_guest_start,     &ward_type_wardi_guest_started,
	&ward_type_wardi_guest_give_up,   &ward_type_wardi_guest_watch,
	&ward_type_wardi_guest_make,      &ward_type_wardi_guest_ready,
	&ward_type_wardi_guest_failed,    &ward_type_wardi_guest_ended,
	&ward_type_wardi_guest_body,      &ward_type_wardi_guest_no_body,
	&ward_type_wardi_guest_ask_again, &ward_type_wardi_guest_verdict,
	&ward_type_ward_represented,      &ward_type_ward_identify,
	&ward_type_ward_identity,         &ward_type_ward_exited,
	&ward_type_wardi_guest_pact,
};
enum { TYPES = sizeof types / sizeof types[0] };

/* Room for the largest of them. */
struct room {
	_Alignas(16) unsigned char bytes[1024];
};

static void make(const ward_type *type, uint64_t seed, struct room *body)
{
	memset(body, 0, sizeof *body);
	ward_assert(type->size <= sizeof body->bytes);
	if (type->size > 0)
		ward_assert_ok(
			ward_value_random(type, seed, body->bytes, sizeof body->bytes, NULL));
}

static ward_bytes written(ward_format format, const ward_type *type, const struct room *body)
{
	ward_bytes out = {.data = NULL};

	ward_assert_ok(ward_encode(format, type, body->bytes, type->size, &out));
	return out;
}

WARD_TEST(tables_of_children_elsewhere_are_right, "S189")
{
	for (int i = 0; i < TYPES; i++) {
		ward_assert_ok(ward_codec_check(types[i]));
		ward_assert(types[i]->size == 0 || types[i]->codec != NULL);
	}
}

WARD_TEST(what_is_said_is_read_as_it_was_written, "S175", "S189")
{
	for (int i = 0; i < TYPES * FORMATS; i++) {
		const ward_type *type = types[i / FORMATS];

		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct room body, back;
			size_t size;

			make(type, seed, &body);
			ward_bytes out = written(formats[i % FORMATS], type, &body);
			ward_assert_ok(ward_decode(formats[i % FORMATS], type, out.data, out.size,
						   back.bytes, sizeof back.bytes, &size));
			ward_assert(
				ward_value_same(type, body.bytes, type->size, back.bytes, size));
			ward_bytes_finish(&out);
		}
	}
}

WARD_TEST(what_is_cut_anywhere_is_refused_and_leaves_nothing, "S178", "S189")
{
	static const struct room zeros;

	for (int i = 0; i < TYPES * CUT_SEEDS; i++) {
		const ward_type *type = types[i / CUT_SEEDS];
		struct room body, back;

		make(type, (uint64_t)(i % CUT_SEEDS), &body);
		ward_bytes out = written(WARD_FORMAT_WIRE, type, &body);
		for (size_t size = 0; size < out.size; size++) {
			/* A copy of that size, so that a read behind it is found. */
			unsigned char *cut = malloc(size + 1);

			ward_assert(cut != NULL);
			memcpy(cut, out.data, size);
			ward_assert_err(ward_decode(WARD_FORMAT_WIRE, type, cut, size, back.bytes,
						    sizeof back.bytes, NULL),
					WARD_EINVAL);
			ward_assert(memcmp(&back, &zeros, type->size) == 0);
			free(cut);
		}
		ward_bytes_finish(&out);
	}
}

/* A pointer means nothing elsewhere, so a class goes by its names. */
WARD_TEST(class_of_a_failure_is_not_written, "S190")
{
	struct wardi_guest_failed failed = {.number = 1, .why = {.chain = "/a/b", .text = "c"}};
	struct wardi_guest_failed back;

	failed.why.failure_class = &ward_exception;
	ward_bytes out = {.data = NULL};
	ward_assert_ok(ward_encode(WARD_FORMAT_WIRE, &ward_type_wardi_guest_failed, &failed,
				   sizeof failed, &out));
	ward_assert_ok(ward_decode(WARD_FORMAT_WIRE, &ward_type_wardi_guest_failed, out.data,
				   out.size, &back, sizeof back, NULL));
	ward_assert(back.why.failure_class == NULL);
	ward_assert_str(back.why.chain, "/a/b");
	ward_bytes_finish(&out);
}

WARD_TEST(value_that_means_nothing_is_not_read, "S176")
{
	static const unsigned char directive[] = {1, 1 << 3, 1, 2 << 3, 9, 0};
	static const unsigned char standing[] = {1, 1 << 3, 1, 2 << 3, 3, 0};
	struct wardi_guest_verdict verdict;
	struct ward_represented told;

	ward_assert_err(ward_decode(WARD_FORMAT_WIRE, &ward_type_wardi_guest_verdict, directive,
				    sizeof directive, &verdict, sizeof verdict, NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "directive");
	ward_assert_err(ward_decode(WARD_FORMAT_WIRE, &ward_type_ward_represented, standing,
				    sizeof standing, &told, sizeof told, NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "standing");
}

WARD_TEST(later_version_is_read_and_none_is_refused, "S177")
{
	/* A version, the number of the token, and a row that is not known here. */
	static const unsigned char later[] = {2, 1 << 3, 7, 9 << 3, 1, 0};
	static const unsigned char none[] = {0, 1 << 3, 7, 0};
	static const unsigned char beyond[] = {0x80, 0x80, 4, 1 << 3, 7, 0};
	struct wardi_guest_give_up body;
	const ward_type *type = &ward_type_wardi_guest_give_up;

	ward_assert_ok(
		ward_decode(WARD_FORMAT_WIRE, type, later, sizeof later, &body, sizeof body, NULL));
	ward_assert_eq(body.token, 7);
	ward_assert_err(
		ward_decode(WARD_FORMAT_WIRE, type, none, sizeof none, &body, sizeof body, NULL),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "version");
	ward_assert_err(ward_decode(WARD_FORMAT_WIRE, type, beyond, sizeof beyond, &body,
				    sizeof body, NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "version");
}

WARD_TEST(props_are_for_this_process, "S189")
{
	struct wardi_guest_bring bring = {.start = {.protocol = WARDI_REMOTE_PROTOCOL}};
	ward_bytes out = {.data = NULL};

	ward_assert_err(ward_encode(WARD_FORMAT_WIRE, &ward_type_wardi_guest_bring, &bring,
				    sizeof bring, &out),
			WARD_ELOCAL);
	ward_assert_part(ward_err_detail(), "wardi_guest_bring");
	ward_assert_eq(out.size, 0);
	ward_bytes_finish(&out);
}

WARD_TEST_MAIN
