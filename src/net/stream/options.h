/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of a stream: what cannot be is refused.
 */
#ifndef WARDI_NET_OPTIONS_H
#define WARDI_NET_OPTIONS_H

#include <ward/net/stream.h>

/* Errors: WARD_EINVAL; ward_err_detail() has the field, its value, and what it may be. The filter
 * is not asked. */
ward_err wardi_stream_check(const ward_stream_options *options);

#endif
