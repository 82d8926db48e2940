/* SPDX-License-Identifier: MIT
 *
 * wire.h - bodies in ward's own format.
 *
 * A message is the version of its table, a varint, its rows, and the tag 0: one that is cut short
 * between two rows is none. A row is a tag, a varint that is its number in the table from 1, times
 * 8, and a form; then the value. Rows are appended to a table, so a reader knows those of all
 * versions by their numbers, and skips others by their forms.
 */
#ifndef WARDI_WIRE_H
#define WARDI_WIRE_H

#include <ward/codec.h>

enum wardi_wire_form {
	WARDI_WIRE_VARINT = 0, /* signed ones zigzag */
	WARDI_WIRE_EIGHT = 1,  /* 8 bytes, the low one first */
	WARDI_WIRE_BYTES = 2,  /* a varint, and so many bytes */
	WARDI_WIRE_GROUP = 3,  /* rows, and the tag 0 */
	WARDI_WIRE_LIST = 4    /* a varint, and so many groups */
};

#endif
