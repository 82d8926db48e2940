/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of a stream: their defaults, and what cannot be.
 */
#ifndef WARDI_NET_OPTIONS_H
#define WARDI_NET_OPTIONS_H

#include <ward/net/stream.h>

/* Errors: WARD_EINVAL; ward_err_detail() has the field, its value, and what it may be. The filter
 * is not asked. */
ward_err wardi_stream_check(const ward_stream_options *options);

/* With their defaults. */
size_t wardi_frame_max(const ward_stream_options *options);
size_t wardi_write_high(const ward_stream_options *options);
size_t wardi_write_low(const ward_stream_options *options);
size_t wardi_write_max(const ward_stream_options *options);
int64_t wardi_write_ms(const ward_stream_options *options);

#endif
