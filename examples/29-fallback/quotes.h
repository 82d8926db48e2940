/* SPDX-License-Identifier: MIT
 *
 * quotes.h - a desk that answers with a quote in any case, and how it asks its two sources.
 */
#ifndef QUOTES_H
#define QUOTES_H

#include <ward/ward.h>

/* From a client to the desk. */
WARD_SIGNAL(get_quote);
enum origin { PRIMARY, SECONDARY, LAST_KNOWN, NO_QUOTE };
struct quote {
	enum origin origin;
	int cents;
};
WARD_MESSAGE_FLAT(quote);
WARD_REPLY(get_quote, quote);

/* From the desk to a source. */
WARD_SIGNAL(get_rate);
struct rate {
	int cents;
};
WARD_MESSAGE_FLAT(rate);
WARD_REPLY(get_rate, rate);

enum { PRIMARY_MS = 100, SECONDARY_MS = 200, FAILURES_MAX = 3, RESET_MS = 5000 };

struct desk_args {
	ward_ref primary, secondary;
};
WARD_MESSAGE(desk_args);
extern const ward_behavior desk;

#endif
