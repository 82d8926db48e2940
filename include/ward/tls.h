/* SPDX-License-Identifier: MIT
 *
 * ward/tls.h - TLS for streams, by OpenSSL. Of the library ward-tls, which alone needs that.
 *
 *	static ward_tls_files files = {.certificate = "server.pem", .key = "server.key"};
 *	static const ward_tls_options secret = {.files = &files};
 *	static const ward_stream_options by_secret_line = {
 *		.framing = WARD_LINES, .filter = &ward_tls_server, .filter_options = &secret};
 *
 * Nothing else changes: the actor reads frames and writes bytes as without. The handshake is part
 * of the time to the first frame (first_ms). A peer that cannot prove its name, or that refuses
 * this side, is a failure of class ward_not_trusted with the words of OpenSSL, such as "certificate
 * verify failed: certificate has expired". A connection that ends without the end of its TLS (a
 * close_notify) was cut off: ward_peer_cut_off, and no last line without an end is handed out.
 *
 * Versions are TLS 1.2 and 1.3. There is no renegotiation, no compression, no early data, and no
 * resumption: each connection has a handshake of its own. The library sets nothing that is common
 * to the process; all else that OpenSSL has to decide is as its configuration says.
 */
#ifndef WARD_TLS_H
#define WARD_TLS_H

#include <ward/net.h>

WARD_BEGIN

/* ---- files ------------------------------------------------------------------------------- */

/**
 * Certificates and keys, from files in PEM. Any number of connections use it; it must outlive them.
 * Set the paths, and leave the rest zero. Not constant: what was loaded is kept here.
 *
 * It is loaded by ward_tls_load(), or by the first connection that needs it, which then reads files
 * in the callback of its actor.
 */
typedef struct ward_tls_files {
	const char *certificate; /* then those that lead to its authority; NULL: none */
	const char *key;         /* without a pass phrase; NULL: in the same file */
	const char *authorities; /* that are trusted; NULL: those that the system trusts */
	uintptr_t reserved[2];   /* zero */
	void *loaded_;
} ward_tls_files;

/**
 * Loads the files, or loads them again. New connections then use the new ones; open ones go on with
 * what they have. If it fails, what was loaded before stays.
 *
 *	if (ward_tls_load(&files) != WARD_OK)
 *		ward_note(self, WARD_LEVEL_WARNING, "%s", ward_err_detail());
 *
 * Threads    any. It reads files: an actor that must not wait has it done on WARD_BLOCKING.
 * Cost       O(size of the files). Those of the system are some hundred KiB; the first client reads
 *            them.
 * Errors     WARD_ENOENT a file that cannot be read; WARD_EINVAL one that is not PEM, a key that
 *            has a pass phrase or is not that of the certificate; WARD_ENOMEM. ward_err_detail()
 *            names the file.
 * Contract   S164
 */
WARD_API WARD_MUST_USE ward_err ward_tls_load(ward_tls_files *files);
/** Frees what was loaded, once no new connection will use it; for files that do not live as long as
 *  the process. Open connections go on. Threads: any. Cost: O(what was loaded). */
WARD_API void ward_tls_unload(ward_tls_files *files);

/* ---- options ----------------------------------------------------------------------------- */

/** Whether the peer has to have a certificate of one of the authorities. */
typedef enum ward_tls_verify {
	WARD_TLS_USUAL = 0,   /* a client: WARD_TLS_REQUIRED; a server: WARD_TLS_NONE */
	WARD_TLS_NONE = 1,    /* it is not asked, or not looked at: anybody can be the peer */
	WARD_TLS_WANTED = 2,  /* of a server: the client may have none, but no wrong one */
	WARD_TLS_REQUIRED = 3 /* without a right one the connection fails */
} ward_tls_verify;

/** The versions of TLS. */
typedef enum ward_tls_version { WARD_TLS_1_2 = 0, WARD_TLS_1_3 = 1 } ward_tls_version;

/** The options of ward_tls_server and ward_tls_client: filter_options in ward_stream_options.
 *  Constant; must outlive the stream. */
typedef struct ward_tls_options {
	ward_tls_files *files; /* a server must have some with a certificate; NULL: none */
	/** Of a client: what the certificate of the peer has to name, a host or an IP address. The
	 *  server is told a host, since it may serve several. Needed, unless verify is
	 *  WARD_TLS_NONE. */
	const char *name;
	/** Protocols above TLS (ALPN), the best one first: "h2 http/1.1". A server refuses a client
	 *  that offers others only. NULL: none is named. */
	const char *protocols;
	ward_tls_verify verify;
	ward_tls_version least; /* WARD_TLS_1_2 */
	uintptr_t reserved[4];  /* zero */
} ward_tls_options;

/** The side that accepts. Contract: S163. */
WARD_API extern const ward_stream_filter ward_tls_server;
/** The side that connects. Contract: S163. */
WARD_API extern const ward_stream_filter ward_tls_client;

/* ---- connections ------------------------------------------------------------------------- */

/** What a handshake has come to. */
struct ward_tls_info {
	char version[16];  /* "TLSv1.3" */
	char cipher[64];   /* "TLS_AES_256_GCM_SHA384" */
	char protocol[64]; /* of `protocols`; "": none was agreed on */
	char subject[256]; /* of the peer's certificate, as "CN=anna,O=shop"; "": it has none */
	char name[256];    /* told by the client (SNI), not proven; "": none */
	bool verified;     /* the certificate of the peer was verified */
};
/** Returns true, and what the handshake of a stream has come to; false before its end, or without
 *  TLS. A subject is a proof only if it is verified. Threads: the callbacks of its actor. Cost:
 *  O(size of the certificate). */
WARD_API bool ward_tls_look(const ward_stream *stream, struct ward_tls_info *ret_info);

WARD_END
#endif
