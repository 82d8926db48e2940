/* SPDX-License-Identifier: MIT
 *
 * test_speed.c - the same struct by ward, by calls of libei written by hand, and by protobuf-c,
 * in turn; each figure is the fastest of WARD_CODEC_ROUNDS rounds.
 *
 * Bounds: TERM takes 1.2 times as long as libei at most, WIRE no longer than protobuf-c, in both
 * directions.
 */
#include <ei.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ward/testkit.h>

#include "deposit.pb-c.h"
#include "samples.h"

enum { TIMES = 20000 };

static struct {
	struct deposit in, out;
	Deposit message;
	char term[256];
	unsigned char packed[256];
	int term_size;
	size_t packed_size;
	ward_bytes encoded_term, encoded_wire;
} trip;

/* The compiler must not know that the body is the same each time. */
static void touch(void *at)
{
	__asm__ volatile("" : : "r"(at) : "memory");
}

/* ---- ward --------------------------------------------------------------------------------- */

static bool ward_write(ward_format format, ward_bytes *to)
{
	to->size = 0;
	return ward_encode(format, samples[0].type, &trip.in, sizeof trip.in, to) == WARD_OK;
}

static bool ward_read(ward_format format, const ward_bytes *from)
{
	return ward_decode(format, samples[0].type, from->data, from->size, &trip.out,
			   sizeof trip.out, NULL) == WARD_OK;
}

static bool write_term(void)
{
	return ward_write(WARD_FORMAT_TERM, &trip.encoded_term);
}

static bool read_term(void)
{
	return ward_read(WARD_FORMAT_TERM, &trip.encoded_term);
}

static bool write_wire(void)
{
	return ward_write(WARD_FORMAT_WIRE, &trip.encoded_wire);
}

static bool read_wire(void)
{
	return ward_read(WARD_FORMAT_WIRE, &trip.encoded_wire);
}

/* ---- libei -------------------------------------------------------------------------------- */

static bool write_ei(void)
{
	char *term = trip.term;
	int at = 0, wrong = 0;

	wrong |= ei_encode_version(term, &at);
	wrong |= ei_encode_tuple_header(term, &at, 2);
	wrong |= ei_encode_atom(term, &at, "deposit");
	wrong |= ei_encode_map_header(term, &at, 5);
	wrong |= ei_encode_atom(term, &at, "account");
	wrong |= ei_encode_ulonglong(term, &at, trip.in.account);
	wrong |= ei_encode_atom(term, &at, "cents");
	wrong |= ei_encode_longlong(term, &at, trip.in.cents);
	wrong |= ei_encode_atom(term, &at, "note");
	wrong |= ei_encode_binary(term, &at, trip.in.note, (int)strlen(trip.in.note));
	wrong |= ei_encode_atom(term, &at, "rate");
	wrong |= ei_encode_double(term, &at, trip.in.rate);
	wrong |= ei_encode_atom(term, &at, "urgent");
	wrong |= ei_encode_boolean(term, &at, trip.in.urgent);
	trip.term_size = at;
	return wrong == 0;
}

static int read_ei_value(const char *key, const char *term, int *at)
{
	unsigned long long account;
	long long cents;
	int type, size, urgent, wrong = 0;
	long length;

	if (strcmp(key, "account") == 0) {
		wrong = ei_decode_ulonglong(term, at, &account);
		trip.out.account = account;
	} else if (strcmp(key, "cents") == 0) {
		wrong = ei_decode_longlong(term, at, &cents);
		trip.out.cents = cents;
	} else if (strcmp(key, "note") == 0) {
		wrong = ei_get_type(term, at, &type, &size);
		if (wrong != 0 || (size_t)size >= sizeof trip.out.note)
			return -1;
		wrong = ei_decode_binary(term, at, trip.out.note, &length);
		trip.out.note[length] = '\0';
	} else if (strcmp(key, "rate") == 0) {
		wrong = ei_decode_double(term, at, &trip.out.rate);
	} else if (strcmp(key, "urgent") == 0) {
		wrong = ei_decode_boolean(term, at, &urgent);
		trip.out.urgent = urgent != 0;
	} else {
		wrong = ei_skip_term(term, at);
	}
	return wrong;
}

static bool read_ei(void)
{
	int version, arity, at = 0;
	char name[MAXATOMLEN];

	memset(&trip.out, 0, sizeof trip.out);
	if (ei_decode_version(trip.term, &at, &version) != 0 ||
	    ei_decode_tuple_header(trip.term, &at, &arity) != 0 || arity != 2 ||
	    ei_decode_atom(trip.term, &at, name) != 0 || strcmp(name, "deposit") != 0 ||
	    ei_decode_map_header(trip.term, &at, &arity) != 0)
		return false;
	while (arity-- > 0) {
		if (ei_decode_atom(trip.term, &at, name) != 0 ||
		    read_ei_value(name, trip.term, &at) != 0)
			return false;
	}
	return true;
}

/* ---- protobuf-c --------------------------------------------------------------------------- */

static bool write_protobuf(void)
{
	trip.message.account = trip.in.account;
	trip.message.cents = trip.in.cents;
	trip.message.note = trip.in.note;
	trip.message.rate = trip.in.rate;
	trip.message.urgent = trip.in.urgent;
	trip.packed_size = deposit__pack(&trip.message, trip.packed);
	return trip.packed_size > 0;
}

/* With the copy into the struct: a message of protobuf-c is one of its own. */
static bool read_protobuf(void)
{
	Deposit *message = deposit__unpack(NULL, trip.packed_size, trip.packed);
	size_t length;

	if (message == NULL)
		return false;
	length = strlen(message->note);
	if (length >= sizeof trip.out.note)
		return false;
	trip.out.account = message->account;
	trip.out.cents = message->cents;
	memcpy(trip.out.note, message->note, length + 1);
	trip.out.rate = message->rate;
	trip.out.urgent = message->urgent;
	deposit__free_unpacked(message, NULL);
	return true;
}

/* ---- in turn ------------------------------------------------------------------------------ */

struct way {
	const char *name;
	bool (*run)(void);
	double best; /* ns */
};

enum { TERM_OUT, EI_OUT, WIRE_OUT, PROTOBUF_OUT, TERM_IN, EI_IN, WIRE_IN, PROTOBUF_IN, WAYS };
static struct way ways[WAYS] = {
	{"TERM encode", write_term, 1e9}, {"ei_encode_*", write_ei, 1e9},
	{"WIRE encode", write_wire, 1e9}, {"protobuf-c pack", write_protobuf, 1e9},
	{"TERM decode", read_term, 1e9},  {"ei_decode_*", read_ei, 1e9},
	{"WIRE decode", read_wire, 1e9},  {"protobuf-c unpack", read_protobuf, 1e9},
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void run(struct way *way)
{
	double begin = now_ns(), took;
	bool well = true;

	for (int i = 0; i < TIMES; i++) {
		trip.in.account = (UINT64_C(1) << 40) + (uint64_t)i;
		touch(&trip);
		well = way->run() && well;
		touch(&trip);
	}
	took = (now_ns() - begin) / TIMES;
	ward_assert(well);
	if (took < way->best)
		way->best = took;
}

static bool is_same(void)
{
	return trip.in.account == trip.out.account && trip.in.cents == trip.out.cents &&
	       strcmp(trip.in.note, trip.out.note) == 0 && trip.in.rate == trip.out.rate &&
	       trip.in.urgent == trip.out.urgent;
}

/* Each way reads what its writer has written. */
static void check(void)
{
	for (int i = TERM_IN; i < WAYS; i++) {
		memset(&trip.out, 0xcd, sizeof trip.out);
		ward_assert(ways[i].run() && is_same());
	}
}

static double times(int ours, int theirs)
{
	double ratio = ways[ours].best / ways[theirs].best;

	printf("%s %.1f ns, %s %.1f ns: %.2f times\n", ways[ours].name, ways[ours].best,
	       ways[theirs].name, ways[theirs].best, ratio);
	return ratio;
}

static void measure(void)
{
	unsigned long rounds = how_many("WARD_CODEC_ROUNDS", 5);

	trip.in = (struct deposit){.account = 7,
				   .cents = -77,
				   .note = "gr\xc3\xbc\xc3\x9f\x65",
				   .rate = 0.5,
				   .urgent = true};
	deposit__init(&trip.message);
	for (unsigned long round = 0; round < rounds; round++) {
		for (int i = 0; i < WAYS; i++)
			run(&ways[i]);
	}
	check();
	ward_bytes_finish(&trip.encoded_term);
	ward_bytes_finish(&trip.encoded_wire);
}

WARD_TEST(term_is_as_fast_as_libei_by_hand)
{
	double out, in;

	measure();
	out = times(TERM_OUT, EI_OUT);
	in = times(TERM_IN, EI_IN);
	ward_assert(out <= 1.2 && in <= 1.2);
}

WARD_TEST(wire_is_as_fast_as_protobuf)
{
	double out, in;

	measure();
	out = times(WIRE_OUT, PROTOBUF_OUT);
	in = times(WIRE_IN, PROTOBUF_IN);
	ward_assert(out <= 1.0 && in <= 1.0);
}

WARD_TEST_MAIN;
