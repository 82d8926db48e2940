/* SPDX-License-Identifier: MIT
 *
 * options.c - the options of a stream: their defaults. What cannot be is refused with the field,
 * its value, and what it may be.
 */
#include "net/stream/options.h"

#include <ward/extend.h>

#include "common/reserved.h"
#include "net/framing/cut.h"
#include "net/framing/typed.h"

size_t wardi_frame_max(const ward_stream_options *options)
{
	return options->frame_max != 0 ? options->frame_max : 64 * 1024;
}

size_t wardi_write_high(const ward_stream_options *options)
{
	return options->write_high != 0 ? options->write_high : 64 * 1024;
}

size_t wardi_write_low(const ward_stream_options *options)
{
	return options->write_low != 0 ? options->write_low : wardi_write_high(options) / 4;
}

size_t wardi_write_max(const ward_stream_options *options)
{
	size_t high = wardi_write_high(options);

	if (options->write_max != 0)
		return options->write_max;
	return high > 1024 * 1024 ? high : 1024 * 1024;
}

int64_t wardi_write_ms(const ward_stream_options *options)
{
	return options->write_ms != 0 ? options->write_ms : 30 * WARD_SECOND;
}

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
