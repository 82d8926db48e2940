/* SPDX-License-Identifier: MIT
 *
 * limits.c - the limits of time of a stream, with one timer and without a look at the clock.
 *
 * A tick comes at a quarter of the shortest limit that applies. It adds that time to each count
 * for which nothing has happened since the last tick. So a count is never more than the time that
 * has passed, and less by one tick at most: a limit is never early.
 */
#include "net/stream/limits.h"

#include <stdio.h>
#include <ward/ward.h>

#include "net/stream/failing.h"
#include "net/stream/options.h"

enum { QUARTER = 4, SLOWEST_MS = 1 << 30, PARTING_MS = 2 * WARD_SECOND };

/* ---- which limits apply ------------------------------------------------------------------ */

static bool waits_for_first(const ward_stream *stream)
{
	return !stream->greeted && !stream->ended && stream->rare->pipe == NULL &&
	       stream->options->first_ms != 0;
}

static bool waits_for_frame(const ward_stream *stream)
{
	return wardi_stream_has_bytes(stream) && !stream->whole && !stream->ended &&
	       stream->options->frame_ms != 0;
}

static bool waits_for_peer(const ward_stream *stream)
{
	return (wardi_stream_unsent(stream) > 0 || stream->closing) &&
	       stream->rare->opening == NULL;
}

/* One that was refused has less time to read why: until then the actor does not fail. */
static int64_t peer_ms(const ward_stream *stream)
{
	int64_t limit = wardi_write_ms(stream->options);

	return wardi_filtering_parts(stream) && limit > PARTING_MS ? PARTING_MS : limit;
}

/* While it connects, that has limits of its own. */
static bool may_be_idle(const ward_stream *stream)
{
	return stream->rare->opening == NULL;
}

static void shorten(int64_t *limit, int64_t other)
{
	if (other != 0 && other < *limit)
		*limit = other;
}

static uint32_t tick_of(const ward_stream *stream)
{
	int64_t limit = INT64_MAX;

	if (stream->dead)
		return 0;
	if (may_be_idle(stream))
		shorten(&limit, stream->options->idle_ms);
	if (waits_for_first(stream))
		shorten(&limit, stream->options->first_ms);
	if (waits_for_frame(stream))
		shorten(&limit, stream->options->frame_ms);
	if (waits_for_peer(stream))
		shorten(&limit, peer_ms(stream));
	if (limit == INT64_MAX)
		return 0;
	limit = (limit + QUARTER - 1) / QUARTER;
	return limit < SLOWEST_MS ? (uint32_t)limit : SLOWEST_MS;
}

void wardi_limits_watch(ward_self *self, ward_stream *stream)
{
	uint32_t tick_ms = tick_of(stream);
	ward_timer timer = {.key = (uint64_t)(uintptr_t)stream + 1, .after_ms = tick_ms};
	struct wardi_stream_word tick = {stream};

	if (tick_ms == 0 || (stream->tick_ms != 0 && stream->tick_ms <= tick_ms))
		return;
	if (ward_noted_(self, ward_try_timer_start(self, &timer, &wardi_type_stream_tick, &tick,
						   sizeof tick)))
		stream->tick_ms = tick_ms;
}

/* ---- a tick ------------------------------------------------------------------------------ */

static void count(uint32_t *counter, bool counts, uint32_t passed_ms)
{
	if (!counts)
		*counter = 0;
	else if (*counter < UINT32_MAX - passed_ms)
		*counter += passed_ms;
}

static bool passed(uint32_t counter, int64_t limit)
{
	return limit != 0 && counter >= limit;
}

static void fail(ward_self *self, ward_stream *stream, const ward_failure_class *failure_class,
		 const char *call, const char *what, int64_t limit)
{
	char text[96];

	snprintf(text, sizeof text, "%s for %lld.%03lld s", what, (long long)(limit / WARD_SECOND),
		 (long long)(limit % WARD_SECOND));
	wardi_stream_lose(self, stream, failure_class, call, 0, text);
}

static void judge(ward_self *self, ward_stream *stream)
{
	const ward_stream_options *options = stream->options;

	if (passed(stream->stuck, peer_ms(stream))) {
		if (stream->closing && wardi_stream_unsent(stream) == 0)
			stream->ended = true; /* it was told, and has had its time */
		else if (wardi_filtering_shakes(stream))
			fail(self, stream, &ward_peer_idle, "read", "the handshake has not ended",
			     wardi_write_ms(options));
		else
			fail(self, stream, &ward_peer_slow, "write", "it has read nothing",
			     wardi_write_ms(options));
	} else if (passed(stream->first, options->first_ms)) {
		fail(self, stream, &ward_peer_idle, "read", "no first frame", options->first_ms);
	} else if (passed(stream->begun, options->frame_ms)) {
		fail(self, stream, &ward_peer_idle, "read", "a frame has not ended",
		     options->frame_ms);
	} else if (passed(stream->idle, options->idle_ms)) {
		fail(self, stream, &ward_peer_idle, "read", "nothing came", options->idle_ms);
	}
}

void wardi_limits_tick(ward_self *self, ward_stream *stream)
{
	uint32_t passed_ms = stream->tick_ms;

	stream->tick_ms = 0;
	count(&stream->idle, may_be_idle(stream) && !stream->active, passed_ms);
	count(&stream->first, waits_for_first(stream), passed_ms);
	count(&stream->begun, waits_for_frame(stream) && stream->unchanged, passed_ms);
	count(&stream->stuck, waits_for_peer(stream) && !stream->moved, passed_ms);
	stream->active = stream->moved = false;
	stream->unchanged = waits_for_frame(stream);
	judge(self, stream);
}
