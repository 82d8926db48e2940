/* SPDX-License-Identifier: MIT
 *
 * child.h - props of children that get a connection: checked, copied, spawned.
 *
 * They are copied without their arguments, since those of the behaviour are a ward_connection. The
 * arguments of the props are copied by their own type.
 */
#ifndef WARDI_NET_CHILD_H
#define WARDI_NET_CHILD_H

#include "net/stream/stream.h"

/* `whom` begins the text of a refusal: "a listener". */
ward_err wardi_child_check(const ward_props *child, const char *whom);
/* Copies, with this name. On an error *to must not be used. */
ward_err wardi_child_copy(ward_props *to, const ward_props *from, const char *name);
void wardi_child_drop(ward_props *copy);

/* The options of the streams of all children, as the first one of them would find them: also opens
 * their filter, and closes it again. NULL: there are none. */
ward_err wardi_child_check_stream(const ward_stream_options *options);

/* Takes the stream on WARD_OK only. `options` are for a start with none; or NULL. */
ward_err wardi_child_spawn(ward_self *self, const ward_props *copy, ward_stream *stream,
			   const ward_stream_options *options, ward_ref *ret_child);

#endif
