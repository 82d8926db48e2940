/* SPDX-License-Identifier: MIT
 *
 * tally.c - the connections of one listener that are open.
 */
#include "net/stream/tally.h"

#include <stdlib.h>
#include <ward/ward.h>

#include "net/stream/stream.h"

const ward_type wardi_type_tally_changed = {
	.name = "ward.tally_changed",
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};

static void change(atomic_uint *count, unsigned by)
{
	atomic_fetch_add_explicit(count, by, memory_order_relaxed);
}

struct wardi_tally *wardi_tally_make(ward_ref listener)
{
	struct wardi_tally *tally = calloc(1, sizeof *tally);

	if (tally == NULL)
		return NULL;
	tally->shared.tally = tally;
	tally->listener = listener;
	atomic_init(&tally->holders, 1);
	return tally;
}

void wardi_tally_release(struct wardi_tally *tally)
{
	/* Release, acquire: the last holder frees what all others have changed. */
	if (atomic_fetch_sub_explicit(&tally->holders, 1, memory_order_acq_rel) == 1)
		free(tally);
}

static void set(ward_stream *stream, struct wardi_tally *tally)
{
	if (stream->rare->own)
		stream->rare->tally = tally;
	else
		stream->rare = tally != NULL ? &tally->shared : WARDI_STREAM_NO_RARE;
}

void wardi_tally_add(struct wardi_tally *tally, ward_stream *stream)
{
	set(stream, tally);
	change(&tally->holders, 1);
	change(&tally->open, 1);
	change(&tally->unstarted, 1);
}

void wardi_tally_started(ward_stream *stream)
{
	if (stream->rare->tally != NULL && !stream->started)
		change(&stream->rare->tally->unstarted, -1U);
	stream->started = true;
}

static void tell(ward_self *self, ward_ref listener)
{
	if (!ward_ref_is_nobody(listener))
		ward_send(self, listener, &wardi_type_tally_changed, NULL, 0);
}

void wardi_tally_given(ward_self *self, ward_stream *stream)
{
	if (stream->rare->tally != NULL && !stream->away) {
		change(&stream->rare->tally->away, 1);
		tell(self, stream->rare->tally->listener);
	}
	stream->away = true;
}

void wardi_tally_aborted(ward_self *self, ward_stream *stream)
{
	ward_ref listener =
		stream->rare->tally != NULL ? stream->rare->tally->listener : ward_nobody();

	wardi_tally_closed(stream);
	tell(self, listener);
}

void wardi_tally_closed(ward_stream *stream)
{
	struct wardi_tally *tally = stream->rare->tally;

	if (tally == NULL)
		return;
	set(stream, NULL);
	if (!stream->started)
		change(&tally->unstarted, -1U);
	if (stream->away)
		change(&tally->away, -1U);
	change(&tally->open, -1U);
	wardi_tally_release(tally);
}
