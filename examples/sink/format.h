/* SPDX-License-Identifier: MIT
 *
 * format.h - what a line says: dpkg.log, a web server's access log, or just text.
 *
 * A line is of a format when it has its shape. Then its fields must be possible, too: a line of
 * dpkg.log from the 31st of February is not a text but a damaged line of dpkg.log.
 */
#ifndef SINK_FORMAT_H
#define SINK_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum format {
	FORMAT_TEXT, /* anything */
	FORMAT_DPKG, /* dpkg.log(5): a change of a package */
	FORMAT_WEB   /* the common or the combined log of a web server: a request */
};

/* A part of the line: bytes at..at + length. */
struct slice {
	uint32_t at, length;
};

struct parsed {
	enum format format;
	char time[64];        /* "2026-01-31 23:59:59", with the zone if the line has one; or "" */
	struct slice subject; /* the package; the client */
	struct slice action;  /* "status installed", "upgrade"; the request */
	struct slice detail;  /* the versions; status and bytes */
	char problem[80];     /* which field is impossible; "": none */
};

/* Never fails: what is of no format is text. The line has no NUL and at most 4 GiB. */
void format_parse(const char *line, size_t length, struct parsed *ret_parsed);

/* "text", "dpkg", "web" */
const char *format_name(enum format format);

#endif
