/* SPDX-License-Identifier: MIT
 *
 * xor_peer.h - the other end of a stream with the xor filter, in the hands of a test.
 */
#ifndef XOR_PEER_H
#define XOR_PEER_H

#include "../stream_scene.h"
#include "xor_filter.h"

static const struct xor_options xor_client = {.word = "sesame"};

static struct xor_peer {
	struct xor_state *state;
	struct wardi_buffer plain;
	ward_filtered said; /* the highest one so far */
	bool hung_up;       /* the connection has ended */
	char text[WARD_FILTERED_TEXT];
} xor_peer;

static inline ward_stream_bytes *xor_bytes(struct wardi_buffer *buffer)
{
	return (ward_stream_bytes *)buffer;
}

/* `piece` bytes at a time. */
static inline void xor_send(struct wardi_buffer *wire, size_t piece)
{
	while (wardi_buffer_count(wire) > 0) {
		size_t size = wardi_buffer_count(wire) < piece ? wardi_buffer_count(wire) : piece;
		ssize_t sent = send(scene.peer, wardi_buffer_bytes(wire), size, MSG_NOSIGNAL);

		if (sent < 0)
			break;
		wardi_buffer_drop(wire, (size_t)sent);
		if (piece < 100)
			scene_run();
	}
	wardi_buffer_free(wire);
}

static inline void xor_pass(const void *bytes, size_t size, size_t piece)
{
	struct wardi_buffer wire = {0};
	ward_filtered said = xor_came(xor_peer.state, bytes, size, xor_bytes(&xor_peer.plain),
				      xor_bytes(&wire), xor_peer.text);

	if (said > xor_peer.said)
		xor_peer.said = said;
	xor_send(&wire, piece);
}

/* Reads and answers until nothing moves. */
static inline void xor_run(size_t piece)
{
	unsigned char bytes[4096];
	ssize_t got;

	scene_run();
	while ((got = recv(scene.peer, bytes, sizeof bytes, 0)) > 0) {
		xor_pass(bytes, (size_t)got, piece);
		scene_run();
	}
	xor_peer.hung_up = got == 0 || errno != EAGAIN;
}

/* Connects, and says the first word. */
static inline void xor_begin(const struct xor_options *client, size_t piece)
{
	xor_peer = (struct xor_peer){.state = xor_open(client, xor_peer.text)};
	xor_pass(NULL, 0, piece);
}

static inline void xor_shake(void)
{
	xor_begin(&xor_client, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_eq(xor_peer.said, WARD_FILTERED_OPEN);
}

static inline void xor_write(const char *text, bool end, size_t piece)
{
	struct wardi_buffer wire = {0};

	xor_goes(xor_peer.state, text, strlen(text), end, xor_bytes(&wire), xor_peer.text);
	xor_send(&wire, piece);
}

static inline void xor_say(const char *text)
{
	xor_write(text, false, SIZE_MAX);
	xor_run(SIZE_MAX);
}

/* What has come and nobody has asked for. "(E)": the filter's end; "(end)": that of the connection,
 * or a reset. */
static inline const char *xor_answers(void)
{
	static char text[4096];
	size_t count = wardi_buffer_count(&xor_peer.plain);

	snprintf(text, sizeof text, "%.*s%s%s", (int)count,
		 count > 0 ? (char *)wardi_buffer_bytes(&xor_peer.plain) : "",
		 xor_peer.state->ended ? "(E)" : "", xor_peer.hung_up ? "(end)" : "");
	wardi_buffer_free(&xor_peer.plain);
	return text;
}

static inline void xor_finish(void)
{
	scene_finish();
	wardi_buffer_free(&xor_peer.plain);
	if (xor_peer.state != NULL)
		xor_close(xor_peer.state);
	xor_peer = (struct xor_peer){0};
}

/* The text of the only failure. */
static inline const char *xor_failure(void)
{
	static char text[640];
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);

	text[0] = '\0';
	if (event != NULL)
		ward_event_format(event, text, sizeof text);
	return text;
}

#endif
