/* SPDX-License-Identifier: MIT
 *
 * codec.c - a message by its table: written into a buffer that has room, and read from it.
 *
 * What others take for the same struct is measured by `make codec`.
 */
#include <stdio.h>
#include <ward/codec.h>

#include "../pace.h"
#include "bench.h"

struct deposit {
	uint64_t account;
	int64_t cents;
	char note[24];
	double rate;
	bool urgent;
};
WARD_MESSAGE_FIELDS(deposit, 1, WARD_FIELD(UINT, deposit, account, .min = 1),
		    WARD_FIELD(INT, deposit, cents), WARD_FIELD(TEXT, deposit, note),
		    WARD_FIELD(FLOAT, deposit, rate), WARD_FIELD(BOOL, deposit, urgent));

static void report(const struct bench_load *load, const char *what, int64_t begin_ns)
{
	char name[48];

	snprintf(name, sizeof name, "%s%s", load->bench->name, what);
	bench_report(name, (double)(clock_span_ns() - begin_ns) / (double)load->n, "ns");
}

static int run_codec(const struct bench_load *load)
{
	ward_format format = (ward_format)load->bench->variant;
	struct deposit in = {
		.cents = -77, .note = "gr\xc3\xbc\xc3\x9f\x65", .rate = 0.5, .urgent = true};
	struct deposit out = in;
	ward_bytes bytes = {.max = 0};
	double pace = 0;
	int64_t begin_ns;

	pace_look(&pace);
	begin_ns = clock_span_ns();
	for (int64_t i = 0; i < load->n; i++) {
		in.account = ((uint64_t)1 << 40) + (uint64_t)i;
		bytes.size = 0;
		bench_must(ward_encode(format, &ward_type_deposit, &in, sizeof in, &bytes));
	}
	report(load, "", begin_ns);
	begin_ns = clock_span_ns();
	for (int64_t i = 0; i < load->n; i++)
		bench_must(ward_decode(format, &ward_type_deposit, bytes.data, bytes.size, &out,
				       sizeof out, NULL));
	report(load, "_read", begin_ns);
	pace_look(&pace);
	pace_report(pace);
	ward_bytes_finish(&bytes);
	return out.account == in.account ? 0 : 1;
}

const struct bench codec_benches[] = {
	{"codec_term", NULL, run_codec, 2 * 1000 * 1000, WARD_FORMAT_TERM,
	 "N messages of five fields written as terms; and read"},
	{"codec_json", NULL, run_codec, 1000 * 1000, WARD_FORMAT_JSON,
	 "N messages of five fields written as JSON; and read"},
	{"codec_wire", NULL, run_codec, 2 * 1000 * 1000, WARD_FORMAT_WIRE,
	 "N messages of five fields written in ward's own format; and read"},
	{0},
};
