/* SPDX-License-Identifier: MIT
 *
 * ward/net/datagrams.h - datagrams in the hands of one actor: UDP, and those of UNIX sockets.
 *
 *	static ward_result meter_init(ward_self *self, void *state, const void *args)
 *	{
 *		struct meter *me = state;
 *
 *		(void)args;
 *		me->socket = ward_datagrams_open(self, "udp:*:8125", NULL);
 *		return WARD_DONE;
 *	}
 *
 *	static ward_result meter_receive(ward_self *self, void *state, const ward_msg *msg)
 *	{
 *		struct meter *me = state;
 *		ward_net_address from;
 *		ward_frame text;
 *
 *		while (ward_datagrams_next(self, me->socket, msg, &text, &from))
 *			ward_datagrams_write(self, me->socket, &from, text.text, text.size);
 *		return ward_datagrams_result(self, me->socket, msg);
 *	}
 *
 * An address is one of these texts:
 *
 *	udp:127.0.0.1:8125	UDP over IPv4; port 0: any that is free
 *	udp:[::1]:8125		UDP over IPv6
 *	udp:*:8125		all addresses of this machine, IPv6 and IPv4
 *	unixgram:/run/a.sock	a socket in the file system, which this call makes
 *	unixgram:@name		an abstract one, of Linux
 *
 * Names are not looked up.
 *
 * A socket belongs to the incarnation that has opened it: init opens it again after a restart. The
 * datagrams that were read and not handed out are gone then; those that were written go out first.
 *
 * No datagram fails the actor. The network loses some in any case, so what cannot be taken or sent
 * is dropped and counted: see ward_datagram_counts. Nor does the news that nobody has the port at
 * the other end (ECONNREFUSED).
 */
#ifndef WARD_NET_DATAGRAMS_H
#define WARD_NET_DATAGRAMS_H

#include <ward/actor.h>
#include <ward/net/error.h>
#include <ward/net/framing.h>

WARD_BEGIN

/** A socket for datagrams, with those that were read and not handed out, and those that are to go
 *  out. Opaque. */
typedef struct ward_datagrams ward_datagrams;

/** The address of a socket for datagrams: from where one came, or to where one goes. A value; all
 *  zero: nobody. An IPv4 address is the same whether an IPv4 or an IPv6 socket has received it. */
typedef struct ward_net_address {
	uint32_t size;            /* of the sockaddr; 0: nobody */
	unsigned char bytes[124]; /* a sockaddr, and zeros behind it */
} ward_net_address;

/**
 * Reads an address to which datagrams can go: a text as above with a port other than 0, and not
 * udp:*:PORT.
 *
 * Threads    any.
 * Cost       O(length of the text).
 * Errors     WARD_EINVAL; ward_err_detail() quotes the text, and says what would be right.
 *            *ret_address is nobody then.
 */
WARD_API WARD_MUST_USE ward_err ward_net_address_read(const char *text,
						      ward_net_address *ret_address);
/** Writes an address as a text, such as "udp:10.0.0.7:51234", "udp:[::1]:53" or "unixgram:/run/a";
 *  "nobody" also for a UNIX socket without a name. Returns the buffer. Threads: any. Cost: O(1); of
 *  an IPv6 address of one link also a system call, for the name of its interface. */
WARD_API const char *ward_net_address_text(const ward_net_address *address,
					   char ret_text[WARD_ADDRESS_TEXT]);
/** Compares two addresses, for tables that are sorted: less than 0, 0 or more than 0. The order has
 *  no meaning. Threads: any. Cost: O(1). */
WARD_API int ward_net_address_compare(const ward_net_address *a, const ward_net_address *b);
/** Returns true if two addresses are the same. Threads: any. Cost: O(1). */
static inline bool ward_net_address_equal(const ward_net_address *a, const ward_net_address *b)
{
	return ward_net_address_compare(a, b) == 0;
}

/** The options of a socket for datagrams. They are copied. All zero: the defaults. */
typedef struct ward_datagram_options {
	/** The only peer: datagrams of others are not received, and go to it where no other
	 *  receiver is named. Only with it the kernel reports that nobody has its port. NULL: any.
	 *  An address as ward_net_address_read() reads. */
	const char *peer;
	uint32_t size_max;       /* bytes of one that comes, to 65535; longer: cut. 2048 */
	uint32_t batch;          /* taken with one system call, to 1024; 32 */
	uint32_t receive_buffer; /* bytes, SO_RCVBUF; 0: as the system has it */
	uint32_t send_buffer;    /* bytes, SO_SNDBUF; 0: as the system has it */
	uint32_t unix_mode;      /* of a path; 0: 0600 */
	bool reuse_port;         /* SO_REUSEPORT: several sockets share a port */
	bool broadcast;          /* may send to broadcast addresses */
	bool unix_replace;       /* takes over a path that nobody has open */
	uintptr_t reserved[4];   /* zero */
} ward_datagram_options;

/**
 * Opens a socket for datagrams, at an address of this machine.
 *
 * The address that it got, with the port, is ward_datagrams_address(). A path of the file system
 * must not exist, or with .unix_replace be a socket that nobody has open, as after a crash. It is
 * removed when the socket is closed.
 *
 * Ownership  the incarnation owns the socket. Its end closes it, as ward_datagrams_close() does.
 * Cost       some system calls, a deferred call, and batch * (size_max + 224) bytes. Of a path: up
 *            to 100 ms while another process opens one in the same folder.
 * Errors     WARD_EINVAL an address or an option that cannot be; WARD_ESYS the system refused: the
 *            port is in use, is not allowed, a path exists, ...; WARD_ENOMEM.
 * Contract   S168
 */
WARD_API WARD_MUST_USE ward_err ward_try_datagrams_open(ward_self *self, const char *address,
							const ward_datagram_options *options,
							ward_datagrams **ret_socket);
/** Opens a socket like ward_try_datagrams_open(), and returns it. After a refusal it returns NULL,
 *  which all calls accept, and the actor fails when the callback returns: with ward_not_listening
 *  if the address cannot be had, otherwise as ward_failed_err() says. Cost: the same. */
WARD_API ward_datagrams *ward_datagrams_open(ward_self *self, const char *address,
					     const ward_datagram_options *options);
/** Sends what was written, and closes the socket. It must not be used after that. NULL is ignored.
 *  Cost: some system calls. */
WARD_API void ward_datagrams_close(ward_self *self, ward_datagrams *socket);

/**
 * Returns true and the next datagram, if the message concerns this socket and there is one.
 *
 * The first call for a message takes up to `batch` of them with one system call. After these it
 * returns false, and other actors have their turns; ward_datagrams_result() must follow. A loop
 * that is left early loses nothing but the datagram at hand, unless the actor restarts.
 *
 * A datagram may be empty. One that is longer than size_max is cut to it, and counted. Behind it
 * there is a 0, so that a text can be used as a string.
 *
 * Ownership  the bytes are lent until the callback returns, and may be written to. *ret_from is a
 *            copy; NULL: not wanted.
 * Cost       O(1), no copy. The first call of a callback: a system call.
 * Errors     none here. What went wrong makes ward_datagrams_result() return WARD_FAILED.
 * Contract   S166
 */
WARD_API WARD_MUST_USE bool ward_datagrams_next(ward_self *self, ward_datagrams *socket,
						const ward_msg *msg, ward_frame *ret_datagram,
						ward_net_address *ret_from);

/**
 * Ends the callback for this socket, and returns its result: the last line of each receive.
 *
 * Sends what was written in this callback, 64 datagrams with each system call, and asks for the
 * next readiness. Returns WARD_DONE if the message concerned this socket; WARD_UNHANDLED if not,
 * and then nothing was done.
 *
 * Cost       O(datagrams that were written).
 * Errors     WARD_FAILED, with a ward_net_failure: the descriptor was closed or replaced by
 *            somebody else.
 * Contract   S166, S167
 */
WARD_API WARD_MUST_USE ward_result ward_datagrams_result(ward_self *self, ward_datagrams *socket,
							 const ward_msg *msg);

/**
 * Writes a datagram, or returns why it cannot. In the callback of a readiness it is collected, and
 * goes out in ward_datagrams_result(), or when 64 of them or 64 KiB are there; in any other
 * callback it goes out at once. `to` of NULL is the peer of the options.
 *
 * WARD_OK does not say that it was sent: what the kernel has no room for is dropped and counted. An
 * answer to a UNIX socket without a name reaches nobody, and is counted as refused.
 *
 * Ownership  copies the bytes.
 * Order      the calls of one actor, as far as the network keeps it.
 * Cost       O(size); outside the callback of a readiness also a system call.
 * Errors     WARD_EINVAL no address, or one of another family than the socket's; WARD_ESIZE more
 *            than 65507 bytes; WARD_EDEAD no socket; WARD_ENOMEM.
 * Contract   S167
 */
WARD_API WARD_MUST_USE ward_err ward_datagrams_try_write(ward_self *self, ward_datagrams *socket,
							 const ward_net_address *to,
							 const void *bytes, size_t size);
/** Writes a datagram like ward_datagrams_try_write(). A refusal makes self fail when the callback
 *  returns: see ward_failed_err(); without a socket nothing happens. Cost: the same. */
WARD_API void ward_datagrams_write(ward_self *self, ward_datagrams *socket,
				   const ward_net_address *to, const void *bytes, size_t size);

/** What has become of the datagrams of a socket, since it was opened. */
typedef struct ward_datagram_counts {
	uint64_t received; /* handed out, or about to be */
	uint64_t cut;      /* ... among them those longer than size_max */
	uint64_t missed;   /* came, and the kernel had no room for them; modulo 2^32 */
	uint64_t sent;     /* the kernel took them */
	uint64_t dropped;  /* not sent: the kernel had no room */
	uint64_t refused;  /* not sent, or came back: nobody there, unreachable, not allowed */
	int32_t error;     /* errno of the last one that was dropped or refused; 0: none */
} ward_datagram_counts;
/** Returns the counts. All zero for NULL. Cost: a system call, for `missed`. Contract: S167. */
WARD_API ward_datagram_counts ward_datagrams_counts(const ward_datagrams *socket);

/** Writes the address of this end, such as "udp:127.0.0.1:8125", and returns the buffer. Cost: as
 *  ward_net_address_text(). */
WARD_API const char *ward_datagrams_address(const ward_datagrams *socket,
					    char ret_text[WARD_ADDRESS_TEXT]);

WARD_END
#endif
