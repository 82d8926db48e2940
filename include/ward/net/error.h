/* SPDX-License-Identifier: MIT
 *
 * ward/net/error.h - failures of connections: their classes, and a body with errno and the address.
 *
 *	static const ward_strategy again = {.rules = {{&ward_net_failure, WARD_STOP}}};
 *
 * The text of each failure is "ADDRESS: CALL: what happened", with the words of errno where there
 * is one.
 *
 *	ward_exception
 *	  ward_net_failure
 *	    ward_peer_lost
 *	      ward_peer_cut_off
 *	    ward_peer_idle
 *	    ward_peer_slow
 *	    ward_bad_frame
 *	    ward_not_trusted
 *	    ward_not_listening
 *	  ward_initialization
 *	    ward_not_connected	a failed start: stops by default, in place of a restart
 */
#ifndef WARD_NET_ERROR_H
#define WARD_NET_ERROR_H

#include <ward/failure.h>

WARD_BEGIN

/** The root of all others but ward_not_connected; an exception. All have a ward_net_error as their
 *  body. */
WARD_API extern const ward_failure_class ward_net_failure;
/** The connection is gone: reset, timed out, unreachable. */
WARD_API extern const ward_failure_class ward_peer_lost;
/** A ward_peer_lost: the connection ended within a frame, or its filter had not seen the end. */
WARD_API extern const ward_failure_class ward_peer_cut_off;
/** The peer sent nothing, or no whole frame, within a limit of ward_stream_options. */
WARD_API extern const ward_failure_class ward_peer_idle;
/** The peer does not read: write_max bytes wait, or none of them was taken for write_ms. */
WARD_API extern const ward_failure_class ward_peer_slow;
/** The peer sent a frame that is longer than frame_max, or that a `find` refused. */
WARD_API extern const ward_failure_class ward_bad_frame;
/** The filter of a stream refused the peer, or the peer this side: its certificate, or another part
 *  of the handshake. The text is the filter's. */
WARD_API extern const ward_failure_class ward_not_trusted;
/** A listener cannot have its address: in use, no permission, a path that exists. */
WARD_API extern const ward_failure_class ward_not_listening;
/** There is no connection after all tries: refused, no answer, a name that is not found. It is a
 *  ward_initialization, so the actor is stopped by default, as after another failed start: to begin
 *  again and again is for those who say so, with a rule and a limit, or a connector. */
WARD_API extern const ward_failure_class ward_not_connected;

/** The room for an address as text, with its terminating 0. Longer paths are cut. */
enum { WARD_ADDRESS_TEXT = 128 };

/** The body of a failure of these classes. Read it with ward_failure_body(). */
struct ward_net_error {
	int32_t error; /* errno; 0: none */
	char call[20]; /* "read", "write", "accept", "frame", "connect", "getaddrinfo", ... */
	/** Of the peer; if it was never connected, as it was given; for a listener, its own. */
	char address[WARD_ADDRESS_TEXT];
	uint64_t received; /* bytes of the stream, until then */
	uint64_t sent;     /* bytes that the operating system took */
	uint64_t unsent;   /* bytes that were written to the stream and did not leave */
};
WARD_API extern const ward_type ward_type_ward_net_error;

WARD_END
#endif
