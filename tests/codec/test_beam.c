/* SPDX-License-Identifier: MIT
 *
 * test_beam.c - terms both ways against Erlang: what ward writes is read by binary_to_term(), and
 * what term_to_binary() writes is read by ward, WARD_CODEC_VALUES values.
 *
 * beam.escript runs all the time, on a pair of pipes. It spells out each term that it reads, and
 * sends it back changed in ways that make no difference: with more keys, with integers for
 * floats, written in another manner.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ward/testkit.h>

#include "spell.h"

enum { AT_ONCE = 200, MANNERS = 5 };

static struct {
	pid_t pid;
	int to, from;
} beam;

static void start(void)
{
	int in[2], out[2];

	ward_assert(pipe(in) == 0 && pipe(out) == 0);
	beam.pid = fork();
	ward_assert(beam.pid >= 0);
	if (beam.pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		close(out[0]);
		execlp("escript", "escript", WARD_BEAM, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	beam.to = in[1];
	beam.from = out[0];
}

static void finish(void)
{
	int status;

	close(beam.to);
	close(beam.from);
	ward_assert(waitpid(beam.pid, &status, 0) == beam.pid);
	ward_assert_eq(status, 0);
}

static void write_whole(const unsigned char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(beam.to, bytes, size);

		ward_assert(n > 0);
		bytes += n;
		size -= (size_t)n;
	}
}

static void read_whole(unsigned char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = read(beam.from, bytes, size);

		ward_assert(n > 0);
		bytes += n;
		size -= (size_t)n;
	}
}

static void put_size(unsigned char *at, size_t size)
{
	for (size_t i = 0; i < 4; i++)
		at[i] = (unsigned char)(size >> (24 - 8 * i));
}

static size_t get_size(const unsigned char *at)
{
	return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* A part of the answer: its size, then its bytes. */
static const unsigned char *part(const unsigned char **at, size_t *size)
{
	const unsigned char *bytes = *at + 4;

	*size = get_size(*at);
	*at = bytes + *size;
	return bytes;
}

/* In a block of exactly its size. */
static bool comes_back(const struct value *value, const unsigned char *bytes, size_t size)
{
	static struct spelling is;
	unsigned char *block = malloc(size > 0 ? size : 1);
	struct value back;
	bool same;

	ward_assert(block != NULL);
	memcpy(block, bytes, size);
	ward_assert_ok(value_decode(&back, WARD_FORMAT_TERM, value->type, block, size));
	spell_value(&is, &back, SPELL_RECORDS);
	same = spell_same(&is, value, SPELL_RECORDS, value->type->name) &&
	       ward_value_same(value->type, value->body, value->size, back.body, back.size);
	value_finish(&back);
	free(block);
	return same;
}

static void append(ward_bytes *frame, const struct value *value, unsigned char manner)
{
	unsigned char head[5] = {0, 0, 0, 0, manner};
	size_t at = frame->size;

	ward_assert_ok(ward_bytes_add(frame, head, sizeof head));
	ward_assert_ok(ward_encode(WARD_FORMAT_TERM, value->type, value->body, value->size, frame));
	put_size(frame->data + at, frame->size - at - sizeof head);
}

/* Sends the values as one frame, and returns how many come back as others. */
static unsigned long exchange(const struct value *values, size_t count, unsigned char manner)
{
	unsigned char head[4], *answer;
	const unsigned char *at;
	unsigned long differ = 0;
	ward_bytes frame = {.max = 0};
	size_t size;

	for (size_t i = 0; i < count; i++)
		append(&frame, &values[i], manner);
	put_size(head, frame.size);
	write_whole(head, 4);
	write_whole(frame.data, frame.size);
	ward_bytes_finish(&frame);
	read_whole(head, 4);
	answer = malloc(get_size(head));
	ward_assert(answer != NULL);
	read_whole(answer, get_size(head));
	at = answer;
	for (size_t i = 0; i < count; i++) {
		static struct spelling told;
		const unsigned char *bytes = part(&at, &size);

		told.size = 0;
		spell_add(&told, (const char *)bytes, size);
		bytes = part(&at, &size);
		if (!spell_same(&told, &values[i], SPELL_RECORDS, "Erlang") ||
		    !comes_back(&values[i], bytes, size))
			differ++;
	}
	ward_assert(at == answer + get_size(head));
	free(answer);
	return differ;
}

WARD_TEST(term_erlang_reads_and_writes_the_same_values)
{
	unsigned long count = how_many("WARD_CODEC_VALUES", 2000), differ = 0;
	struct value values[AT_ONCE];

	ward_test_allow_s(300);
	start();
	for (unsigned long done = 0; done < count; done += AT_ONCE) {
		for (size_t i = 0; i < AT_ONCE; i++)
			values[i] = value_random(samples[(done + i) % sample_count()].type,
						 (done + i) / sample_count() + 1);
		differ += exchange(values, AT_ONCE, (unsigned char)(done / AT_ONCE % MANNERS));
		for (size_t i = 0; i < AT_ONCE; i++)
			value_finish(&values[i]);
	}
	finish();
	printf("%lu terms both ways, %lu differ\n", count, differ);
	ward_assert_eq(differ, 0);
}

WARD_TEST_MAIN;
