/* SPDX-License-Identifier: MIT
 *
 * test_desk.c - how to answer a request although the source fails: time limits, a circuit breaker,
 * a second source and a last known value.
 *
 *	cd examples/29-fallback && cc *.c $(pkg-config --cflags --libs ward-testkit) -o fallback
 *
 * Prints the result of each test. In the first tests probes play the sources, on a virtual clock;
 * the last test is a simulation, with bad sources and many seeds.
 */
#include <ward/testkit.h>

#include "quotes.h"

struct bench {
	ward_kit *kit;
	ward_probe *primary, *secondary, *client;
	ward_ref desk;
};

static struct bench start(void)
{
	ward_kit *kit = ward_kit_start(NULL);
	struct bench b = {kit, ward_probe_start(kit, "primary"), ward_probe_start(kit, "secondary"),
			  ward_probe_start(kit, "client"), ward_nobody()};
	struct desk_args args = {ward_probe_ref(b.primary), ward_probe_ref(b.secondary)};

	b.desk = ward_kit_spawn(kit, &desk, .args = {WARD_COPY(desk_args, &args)});
	return b;
}

static void expect_quote(const struct bench *b, enum origin origin, int cents)
{
	const struct quote *quote = ward_expect(b->client, 0, quote);

	ward_assert_eq(quote->origin, origin);
	ward_assert_eq(quote->cents, cents);
}

WARD_TEST(each_fallback_comes_in_its_turn)
{
	struct bench b = start();

	ward_probe_tell(b.client, b.desk, get_quote);
	ward_expect(b.primary, 0, get_rate);
	ward_probe_reply(b.primary, rate, .cents = 108);
	expect_quote(&b, PRIMARY, 108);

	ward_probe_tell(b.client, b.desk, get_quote);
	ward_expect(b.primary, 0, get_rate);
	ward_expect(b.secondary, PRIMARY_MS, get_rate);
	ward_probe_reply(b.secondary, rate, .cents = 109);
	expect_quote(&b, SECONDARY, 109);

	ward_probe_tell(b.client, b.desk, get_quote);
	ward_expect(b.primary, 0, get_rate);
	ward_expect(b.secondary, PRIMARY_MS, get_rate);
	ward_kit_advance(b.kit, SECONDARY_MS);
	expect_quote(&b, LAST_KNOWN, 109);
	ward_kit_finish(b.kit);
}

WARD_TEST(nobody_waits_for_a_source_that_failed_three_times)
{
	struct bench b = start();

	for (int i = 0; i < FAILURES_MAX; i++) {
		ward_probe_tell(b.client, b.desk, get_quote);
		ward_expect(b.primary, 0, get_rate);
		ward_expect(b.secondary, PRIMARY_MS, get_rate);
		ward_kit_advance(b.kit, SECONDARY_MS);
		expect_quote(&b, NO_QUOTE, 0);
	}
	ward_probe_tell(b.client, b.desk, get_quote);
	ward_expect(b.secondary, 0, get_rate); /* at once */
	ward_probe_reply(b.secondary, rate, .cents = 108);
	expect_quote(&b, SECONDARY, 108);

	ward_kit_advance(b.kit, RESET_MS);
	ward_probe_tell(b.client, b.desk, get_quote);
	ward_expect(b.primary, 0, get_rate); /* it is tried again */
	ward_probe_reply(b.primary, rate, .cents = 108);
	expect_quote(&b, PRIMARY, 108);
	ward_kit_finish(b.kit);
}

WARD_TEST_MAIN
