/* SPDX-License-Identifier: MIT
 *
 * watch.c - one actor watches a million: watching, its memory, unwatching, and their ends.
 */
#include "bench.h"
#include "resident.h"

WARD_SIGNAL(go);
WARD_SIGNAL(here);

static ward_result watched_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	ward_reply(self, msg, here);
	return WARD_DONE;
}

/* What a watch asks of the watched is done when the last of them answers. */
enum phase { MAKING, WATCHING, UNWATCHING, ENDING };

struct watcher {
	enum phase phase;
	int64_t begin_ns;
	int64_t resident;
	int64_t gone;
	ward_ref *refs;
	int64_t n;
};

static void make(ward_self *self, struct watcher *me)
{
	static const ward_behavior watched = {.name = "watched", .receive = watched_receive};

	me->n = bench_load_of(self)->n;
	me->refs = ward_alloc(self, (size_t)me->n * sizeof(*me->refs));
	for (int64_t i = 0; i < me->n; i++)
		bench_must(ward_try_spawn(self, WARD_PROPS(&watched), &me->refs[i]));
}

static void begin(ward_self *self, struct watcher *me, enum phase phase)
{
	me->phase = phase;
	me->resident = resident_bytes();
	me->begin_ns = bench_begin_ns(self);
}

static void ask_the_last(ward_self *self, const struct watcher *me)
{
	ward_tell(self, me->refs[me->n - 1], go);
}

/* Begins the next phase: all messages of this phase have been handled. */
static void next_phase(ward_self *self, struct watcher *me)
{
	switch (me->phase) {
	case MAKING:
		begin(self, me, WATCHING);
		for (int64_t i = 0; i < me->n; i++)
			bench_must(ward_try_watch(self, me->refs[i]));
		ask_the_last(self, me);
		break;
	case WATCHING:
		bench_report_since(self, "watch", me->begin_ns, me->n, "ns/watch");
		bench_report("mem_watch", (double)(resident_bytes() - me->resident) / (double)me->n,
			     "bytes/watch");
		begin(self, me, UNWATCHING);
		for (int64_t i = 0; i < me->n / 2; i++)
			ward_unwatch(self, me->refs[i]);
		ask_the_last(self, me);
		break;
	case UNWATCHING:
		bench_report_since(self, "unwatch", me->begin_ns, me->n / 2, "ns/unwatch");
		begin(self, me, ENDING);
		for (int64_t i = me->n / 2; i < me->n; i++)
			ward_stop(self, me->refs[i]);
		break;
	case ENDING:
		bench_report_since(self, "watch_end", me->begin_ns, me->n - me->n / 2, "ns/actor");
		ward_stop_self(self);
		break;
	}
}

static ward_result watcher_start(ward_self *self, void *state)
{
	struct watcher *me = state;

	make(self, me);
	ask_the_last(self, me);
	return WARD_DONE;
}

static ward_result watcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct watcher *me = state;

	if (ward_match(msg, here)) {
		next_phase(self, me);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	if (++me->gone == me->n - me->n / 2)
		next_phase(self, me);
	return WARD_DONE;
}

static const ward_behavior watcher = {
	.name = "watcher",
	.state_size = sizeof(struct watcher),
	.args = &ward_type_bench_load,
	.pre_start = watcher_start,
	.receive = watcher_receive,
};

const struct bench watch_benches[] = {
	{"watch", &watcher, NULL, 1000 * 1000, 0,
	 "one watches N, unwatches half, sees the others end"},
	{0},
};
