/* SPDX-License-Identifier: MIT
 *
 * samples.h - the messages of these tests: each kind of field, nested, in lists, with bounds; and
 * the values of them.
 */
#ifndef TESTS_CODEC_SAMPLES_H
#define TESTS_CODEC_SAMPLES_H

#include <ward/codec.h>

struct deposit {
	uint64_t account;
	int64_t cents;
	char note[24];
	double rate;
	bool urgent;
};

/* A type, and the formats that it has. */
struct sample {
	const ward_type *type;
	bool json;
	bool flat; /* WARD_FORMAT_MEMORY, too */
};

/* A NULL type ends them. The first is that of struct deposit. */
extern const struct sample samples[];

enum { FORMATS = 3 };
/* TERM, JSON, WIRE. */
extern const ward_format formats[FORMATS];
const char *format_name(ward_format format);
bool sample_has(const struct sample *sample, ward_format format);
size_t sample_count(void);

/* A value on the heap, exactly as large as it is. */
struct value {
	const ward_type *type;
	void *body;
	size_t size;
};

/* Draws one from a seed; value_finish() frees it, and what it owns. */
struct value value_random(const ward_type *type, uint64_t seed);
/* Reads one into a body of the room that ward_decode_room() says; after an error there is none. */
ward_err value_decode(struct value *value, ward_format format, const ward_type *type,
		      const void *bytes, size_t count);
void value_finish(struct value *value);

/* WARD_CODEC_VALUES, or how many a test has by default. */
unsigned long how_many(const char *variable, unsigned long by_default);

/* What the table says of a body, asked by a walk of the tests' own: NULL, or the key of a row that
 * it does not hold to. */
const char *value_wrong(const struct value *value);

#endif
