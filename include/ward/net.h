/* SPDX-License-Identifier: MIT
 *
 * ward/net.h - sockets for actors: listeners, connectors, streams with framing, datagrams. Of the
 * library ward-net.
 *
 *	static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
 *	{
 *		struct session *me = state;
 *		ward_frame line;
 *
 *		while (ward_stream_next(self, me->peer, msg, &line))
 *			ward_stream_printf(self, me->peer, "%d: %s\n", ++me->count, line.text);
 *		return ward_stream_result(self, me->peer, msg);
 *	}
 *
 * A connection belongs to one actor of the program, which pulls frames out of its stream. The bytes
 * do not pass through a mailbox. What passes there is one readiness for as many frames as one
 * read() brought.
 *
 *	net/stream.h	the frames of a connection, and what is written to it
 *	net/framing.h	how bytes become frames: lines, lengths, delimiters, ...
 *	net/filter.h	what stands between a connection and its frames: TLS (ward/tls.h), for one
 *	net/listener.h	an actor that accepts connections, and makes a child for each
 *	net/connector.h	an actor that connects, again and again, with a child for each connection
 *	net/typed.h	bodies of messages as frames
 *	net/adopt.h	streams over pipes, terminals and other descriptors that exist
 *	net/datagrams.h	datagrams: UDP, and those of UNIX sockets
 *	net/module.h	listeners and connectors in configuration files
 *	net/error.h	the classes of failures, with errno and the address
 *
 * An address is a text:
 *
 *	tcp:127.0.0.1:7000	TCP over IPv4; port 0: any that is free
 *	tcp:[::1]:7000		TCP over IPv6
 *	tcp:example.org:7000	to connect to: the name is looked up
 *	tcp:*:7000		to listen at: all addresses of this machine, IPv6 and IPv4
 *	unix:/run/a.sock	a socket in the file system
 *	unix:@name		an abstract one, of Linux
 *	fd:3			a descriptor that the process was started with
 *	systemd:NAME		that of LISTEN_FDNAMES; systemd: the first of LISTEN_FDS
 *	sim:NAME		in the network of a simulation (net/sim.h)
 *
 * An address of one link has its interface, as in tcp:[fe80::1%eth0]:7000. tcp:[::]:7000 listens at
 * IPv6 alone. Each socket of systemd is taken once; if several have the same name, one after the
 * other. A text that is not exactly an address is refused, and the refusal says what would be
 * right: 127.1 and 080 are not taken for 127.0.0.1 and 80.
 */
#ifndef WARD_NET_H
#define WARD_NET_H

#include <ward/net/adopt.h>
#include <ward/net/connector.h>
#include <ward/net/datagrams.h>
#include <ward/net/listener.h>
#include <ward/net/module.h>
#include <ward/net/typed.h>
#include <ward/ward.h>

#endif
