/* SPDX-License-Identifier: MIT
 *
 * tls_pair.h - both sides of TLS, joined in memory: no stream, no descriptor.
 */
#ifndef TLS_PAIR_H
#define TLS_PAIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/tls.h>

#include "net/stream/stream.h"

/* ---- certificates ------------------------------------------------------------------------ */

static char pair_folder[64];

static inline void pair_remove(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", pair_folder);
	(void)!system(command);
}

/* The path of a file of tests/tls/certificates; it stays valid. */
static inline const char *pair_file(const char *name)
{
	char path[128];

	if (pair_folder[0] == '\0') {
		char command[512];

		snprintf(pair_folder, sizeof pair_folder, "/tmp/ward-tls-XXXXXX");
		ward_assert(mkdtemp(pair_folder) != NULL);
		atexit(pair_remove);
		snprintf(command, sizeof command, "%s '%s'", WARD_CERTIFICATES, pair_folder);
		ward_assert_eq(system(command), 0);
	}
	snprintf(path, sizeof path, "%s/%s", pair_folder, name);
	return strdup(path);
}

/* Of this name, with its key. */
static inline ward_tls_files pair_files(const char *name, const char *authorities)
{
	char key[64];
	ward_tls_files files = {0};

	if (name != NULL) {
		snprintf(key, sizeof key, "%s.pem", name);
		files.certificate = pair_file(key);
		snprintf(key, sizeof key, "%s.key", name);
		files.key = pair_file(key);
	}
	if (authorities != NULL)
		files.authorities = pair_file(authorities);
	return files;
}

static inline void pair_files_end(ward_tls_files *files)
{
	ward_tls_unload(files);
	free((void *)(uintptr_t)files->certificate);
	free((void *)(uintptr_t)files->key);
	free((void *)(uintptr_t)files->authorities);
}

/* ---- two sides --------------------------------------------------------------------------- */

struct side {
	const ward_stream_filter *filter;
	void *at;
	struct wardi_buffer wire, plain;
	ward_filtered said; /* the last one that is not WARD_FILTERED_MORE */
	char text[WARD_FILTERED_TEXT];
};

struct pair {
	struct side client, server;
	size_t piece; /* bytes of the wire at a time; 0: random */
};

static inline ward_stream_bytes *side_bytes(struct wardi_buffer *buffer)
{
	return (ward_stream_bytes *)buffer;
}

static inline void side_note(struct side *side, ward_filtered said)
{
	if (said != WARD_FILTERED_MORE)
		side->said = said;
}

static inline void side_came(struct side *side, const void *bytes, size_t size)
{
	if (side->said < WARD_FILTERED_END)
		side_note(side, side->filter->came(side->at, bytes, size, side_bytes(&side->plain),
						   side_bytes(&side->wire), side->text));
}

static inline void side_begin(struct side *side, const ward_stream_filter *filter,
			      const ward_tls_options *options)
{
	*side = (struct side){.filter = filter};
	side->at = filter->open(options, side->text);
	ward_assert_str(side->text, "");
	ward_assert(side->at != NULL);
	side_came(side, NULL, 0);
}

static inline void side_end(struct side *side)
{
	if (side->at != NULL)
		side->filter->close(side->at);
	wardi_buffer_free(&side->wire);
	wardi_buffer_free(&side->plain);
	*side = (struct side){0};
}

static inline void side_write(struct side *side, const void *bytes, size_t size, bool end)
{
	side_note(side, side->filter->goes(side->at, bytes, size, end, side_bytes(&side->wire),
					   side->text));
}

static inline bool side_pass(struct pair *pair, struct side *from, struct side *to)
{
	size_t count = wardi_buffer_count(&from->wire);
	size_t piece = pair->piece != 0 ? pair->piece : 1 + (size_t)random() % 3000;

	if (count == 0)
		return false;
	if (piece > count)
		piece = count;
	side_came(to, wardi_buffer_bytes(&from->wire), piece);
	wardi_buffer_drop(&from->wire, piece);
	return true;
}

/* Until nothing moves. */
static inline void pair_run(struct pair *pair)
{
	bool moves = true;

	while (moves) {
		moves = side_pass(pair, &pair->client, &pair->server);
		moves |= side_pass(pair, &pair->server, &pair->client);
	}
}

static inline void pair_begin(struct pair *pair, size_t piece, const ward_tls_options *client,
			      const ward_tls_options *server)
{
	pair->piece = piece;
	side_begin(&pair->server, &ward_tls_server, server);
	side_begin(&pair->client, &ward_tls_client, client);
	pair_run(pair);
}

static inline void pair_end(struct pair *pair)
{
	side_end(&pair->client);
	side_end(&pair->server);
}

static inline struct ward_tls_info side_look(const struct side *side)
{
	struct wardi_filtering filtering = {.filter = side->filter, .at = side->at};
	struct wardi_stream_rare rare = {.filtering = &filtering};
	ward_stream stream = {.rare = &rare};
	struct ward_tls_info info;

	ward_assert(ward_tls_look(&stream, &info));
	return info;
}

/* What has come, as a text; it is taken. */
static inline const char *side_text(struct side *side)
{
	static char text[256];
	size_t count = wardi_buffer_count(&side->plain);

	snprintf(text, sizeof text, "%.*s", (int)count,
		 count > 0 ? (char *)wardi_buffer_bytes(&side->plain) : "");
	wardi_buffer_free(&side->plain);
	return text;
}

#endif
