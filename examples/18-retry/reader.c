/* SPDX-License-Identifier: MIT
 *
 * reader.c - a question that is asked again until there is a good answer.
 *
 *	cc examples/18-retry/reader.c $(pkg-config --cflags --libs ward) -o reader
 *
 * A reader asks a library for four books. Prints how often each was asked for, and when it was
 * lent. The time is simulated here; without `.simulation` it is real.
 */
#include <inttypes.h>
#include <stdio.h>
#include <ward/retry.h>
#include <ward/simulation.h>
#include <ward/ward.h>

struct borrow {
	uint64_t book;
};
WARD_MESSAGE(borrow);
struct lent {
	bool busy; /* come again */
};
WARD_MESSAGE(lent);
WARD_REPLY(borrow, lent);

enum { AT_ONCE = 1, THIRD_TIME, BUSY_AT_FIRST, NEVER, BOOKS = NEVER };
static const char *const titles[] = {"", "Middlemarch", "Moby-Dick", "Emma", "Ulysses"};

/* ---- the library, which has its own ways ------------------------------------------------- */

struct library {
	int asked[BOOKS + 1];
};

static ward_result library_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct library *me = state;
	const struct borrow *borrow = ward_match(msg, borrow);
	int times;

	if (!borrow)
		return WARD_UNHANDLED;
	times = ++me->asked[borrow->book];
	if (borrow->book == BUSY_AT_FIRST && times > 1) /* it answers, but slowly */
		ward_tell_after(self, ward_msg_sender(msg), 0, 40, lent);
	else if (borrow->book == BUSY_AT_FIRST)
		ward_answer(self, msg, borrow, .busy = true);
	else if (borrow->book == AT_ONCE || (borrow->book == THIRD_TIME && times == 3))
		ward_answer(self, msg, borrow);
	return WARD_DONE;
}
static const ward_behavior library = {
	.name = "library", .state_size = sizeof(struct library), .receive = library_receive};

/* ---- the reader -------------------------------------------------------------------------- */

struct reader {
	struct ward_retry retry;
	int64_t began_ns;
	int ends;
};

/* Asks again without an answer, and after an answer that says "busy". */
static bool comes_again(const ward_msg *msg)
{
	const struct lent *lent = ward_match(msg, lent);

	return lent == NULL || lent->busy;
}

static const ward_retry_options patient = {
	.tries_max = 4,
	.try_timeout_ms = 100,
	.delay_min_ms = 50, /* 50, 100, 200 */
	.delay_max_ms = 400,
	.again = comes_again,
};

static ward_result reader_init(ward_self *self, void *state, const void *args)
{
	struct reader *me = state;
	ward_ref at;

	(void)args;
	me->began_ns = ward_now_ns(self);
	ward_retry_init(self, &me->retry, &patient);
	at = ward_spawn(self, &library, .name = "library");
	for (uint64_t book = 1; book <= BOOKS; book++)
		ward_retry_ask(self, &me->retry, at, book, borrow, .book = book);
	return WARD_DONE;
}

static ward_result reader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct reader *me = state;
	ward_result result = ward_retry_receive(self, &me->retry, msg);

	if (result != WARD_UNHANDLED)
		return result;
	if (ward_ask_tag(self) == 0)
		return WARD_UNHANDLED;
	printf("%3d ms: %s %s, asked %u times\n",
	       (int)((ward_now_ns(self) - me->began_ns) / 1000000),
	       ward_match(msg, lent) ? "has" : "gives up", titles[ward_ask_tag(self)],
	       ward_retry_tries(&me->retry));
	if (++me->ends == BOOKS)
		ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior reader = {.name = "reader",
				     .state_size = sizeof(struct reader),
				     .init = reader_init,
				     .receive = reader_receive};

int main(void)
{
	static const ward_simulation quick = {0};

	return ward_run(WARD_PROPS(&reader), &(ward_options){.simulation = &quick, .seed = 1});
}
