/* SPDX-License-Identifier: MIT
 *
 * backpressure.c - a fast sender, a slow receiver, and a mailbox that does not grow.
 *
 *	cc examples/10-backpressure/backpressure.c $(pkg-config --cflags --libs ward) -o press
 *
 * The mailbox of the binder holds its senders back: the press waits whenever MAX pages are in it,
 * and has no code for that. A control message overtakes the pages. Prints that the pages came in
 * order, and that never more than MAX + 1 of them waited.
 */
#include <stdio.h>
#include <ward/ward.h>

enum { PAGES = 1000, MAX = 8 };

struct page {
	int number;
};
WARD_MESSAGE(page);
WARD_SIGNAL(print_next);
WARD_SIGNAL_FLAGS(gold_edges, WARD_TYPE_CONTROL);

struct binder {
	int pages, before_note;
	int64_t most;
	bool gold, in_order;
};

static ward_result bind_page(ward_self *self, void *state, const ward_msg *msg)
{
	struct binder *me = state;
	const struct page *page = ward_match(msg, page);
	int64_t waiting = ward_mailbox_count(self, ward_self_ref(self));

	if (ward_match(msg, gold_edges)) {
		me->gold = true;
		return WARD_DONE;
	}
	if (!page)
		return WARD_UNHANDLED;
	if (waiting > me->most)
		me->most = waiting;
	me->before_note += !me->gold;
	me->in_order = page->number == 1 || (me->in_order && page->number == me->pages + 1);
	if (++me->pages == PAGES) {
		printf("%d pages, in order: %s\n", me->pages, me->in_order ? "yes" : "no");
		printf("not more than half without gold: %s\n",
		       me->before_note <= PAGES / 2 ? "yes" : "no");
		printf("never more than %d waited: %s\n", MAX + 1,
		       me->most <= MAX + 1 ? "yes" : "no");
		ward_stop(self, ward_parent(self));
	}
	return WARD_DONE;
}

static const ward_behavior binder = {
	.name = "binder",
	.state_size = sizeof(struct binder),
	.receive = bind_page,
};

struct press {
	ward_ref binder;
	int printed;
};

static ward_result start_press(ward_self *self, void *state)
{
	struct press *me = state;
	const ward_props props = {
		.behavior = &binder,
		.name = "binder",
		.mailbox =
			{
				.messages_max = MAX,
				.overflow = WARD_OVERFLOW_HOLD_SENDER,
				.control_first = true,
			},
	};

	me->binder = ward_spawn_props(self, &props);
	ward_tell(self, ward_self_ref(self), print_next);
	return WARD_DONE;
}

/* One page for each message to itself: the press can be held between two messages. */
static ward_result print_page(ward_self *self, void *state, const ward_msg *msg)
{
	struct press *me = state;

	if (!ward_match(msg, print_next))
		return WARD_UNHANDLED;
	ward_tell(self, me->binder, page, .number = ++me->printed);
	if (me->printed == PAGES / 2)
		ward_tell(self, me->binder, gold_edges);
	if (me->printed < PAGES)
		ward_tell(self, ward_self_ref(self), print_next);
	return WARD_DONE;
}

static const ward_behavior press = {
	.name = "press",
	.state_size = sizeof(struct press),
	.pre_start = start_press,
	.receive = print_page,
};

int main(void)
{
	return ward_main(&press);
}
