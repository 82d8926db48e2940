/* SPDX-License-Identifier: MIT
 *
 * options.c - the options of a stream: what cannot be is refused with the field, its value, and
 * what it may be.
 */
#include "net/stream/options.h"

#include <ward/extend.h>

#include "common/reserved.h"
#include "net/framing/typed.h"
#include "net/stream/limits.h"

#define REFUSED(...) ward_refused(WARD_EINVAL, "a stream: " __VA_ARGS__)

static ward_err check_times(const ward_stream_options *options)
{
	const struct {
		const char *field;
		int64_t ms;
	} times[] = {{"idle_ms", options->idle_ms},
		     {"first_ms", options->first_ms},
		     {"frame_ms", options->frame_ms},
		     {"write_ms", options->write_ms}};

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		if (times[i].ms < 0)
			return REFUSED(".%s is %lld: it must be at least 0", times[i].field,
				       (long long)times[i].ms);
	return WARD_OK;
}

static ward_err check_writing(const ward_stream_options *options)
{
	size_t high = wardi_write_high(options);

	if (wardi_write_low(options) > high)
		return REFUSED(".write_low is %zu: it must be at most %zu, .write_high",
			       wardi_write_low(options), high);
	if (wardi_write_max(options) < high)
		return REFUSED(".write_max is %zu: it must be at least %zu, .write_high",
			       wardi_write_max(options), high);
	return WARD_OK;
}

ward_err wardi_stream_check(const ward_stream_options *options)
{
	char why[WARDI_FRAMING_WRONG];
	const char *wrong = wardi_framing_wrong(&options->framing, wardi_frame_max(options), why);
	ward_err err;

	if (wrong != NULL)
		return REFUSED(".framing: %s", wrong);
	wrong = wardi_types_wrong(options->types);
	if (wrong != NULL)
		return REFUSED(".types: %s", wrong);
	err = check_times(options);
	if (err == WARD_OK)
		err = check_writing(options);
	if (err == WARD_OK && !WARDI_RESERVED_ZERO(options->reserved))
		err = REFUSED(WARDI_RESERVED_WRONG);
	return err;
}
