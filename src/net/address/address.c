/* SPDX-License-Identifier: MIT
 *
 * address.c - reads addresses, and writes those of sockets.
 *
 * Nothing is guessed: inet_aton() and getaddrinfo() take "127.1" and "0x7f.1" as IPv4 addresses,
 * and strtoul() takes " +80" as a number. Here each is refused, with what would be right.
 */
#include "net/address/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <ward/extend.h>

#include "net/address/digits.h"

enum {
	QUOTE_MAX = 200, /* of a refusal: so much of the address, */
	WHY_MAX = 280,   /* and so much of the reason; a detail has 511 bytes */
	NAME_MAX_BYTES = 253,
	LABEL_MAX = 63,
	PATH_MAX_BYTES = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1
};

/* What is read: the whole, and what is behind its scheme. */
struct input {
	const char *text;
	size_t size;
	const char *rest;
	size_t rest_size;
	const char *scheme; /* "tcp:" */
	const char *form;   /* how a whole address of this scheme looks */
};

WARD_PRINTF(2, 3) static ward_err wrong(const struct input *in, const char *format, ...)
{
	char quoted[QUOTE_MAX], why[WHY_MAX];
	size_t full = ward_text_line(quoted, sizeof quoted, in->text, in->size);
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	return ward_refused(WARD_EINVAL, "address \"%s%s\": %s", quoted,
			    full < sizeof quoted ? "" : "...", why);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the last part is a number, of digits or as 0x7f. Such a host can only be meant as an IPv4
 * address: no name of the domain name system ends so. */
static bool ends_in_number(const char *host)
{
	size_t end = strlen(host), at;

	if (end > 1 && host[end - 1] == '.')
		end--;
	for (at = end; at > 0 && host[at - 1] != '.'; at--)
		;
	if (end - at >= 2 && host[at] == '0' && (host[at + 1] | ' ') == 'x')
		return strspn(host + at + 2, "0123456789abcdefABCDEF") == end - at - 2;
	return end > at && strspn(host + at, "0123456789") == end - at;
}

/* NULL: a name; otherwise what is wrong with it. */
static const char *name_wrong(const char *host)
{
	size_t label = 0;

	for (const char *at = host; *at != '\0'; at++) {
		if (*at == '.') {
			if (label == 0)
				return "a name has no empty part between its dots";
			label = 0;
			continue;
		}
		if ((unsigned char)*at > 127)
			return "a name has letters of ASCII only; others are written as xn--...";
		if (!is_letter(*at) && !is_digit(*at) && *at != '-' && *at != '_')
			return "a name has letters, digits, '-', '_' and dots only";
		if (++label > LABEL_MAX)
			return "a part of a name between its dots has at most 63 bytes";
	}
	return NULL;
}

static ward_err read_name(struct wardi_address *address, const struct input *in)
{
	const char *why = name_wrong(address->host);

	if (why != NULL)
		return wrong(in, "%s", why);
	if (address->port == 0)
		return wrong(in, "a name is to connect to, and for that the port is 1 to 65535");
	address->kind = WARDI_ADDRESS_NAME;
	return WARD_OK;
}

static void set_v4(struct wardi_address *address, const void *ip)
{
	address->kind = WARDI_ADDRESS_TCP;
	address->socket.v4.sin_family = AF_INET;
	address->socket.v4.sin_port = htons(address->port);
	memcpy(&address->socket.v4.sin_addr, ip, sizeof address->socket.v4.sin_addr);
	address->size = sizeof address->socket.v4;
}

static ward_err read_scope(struct wardi_address *address, const struct input *in, const char *scope)
{
	uint64_t number;

	if (scope == NULL)
		return wrong(in,
			     "an address of a link (fe80::/10) needs its interface, as in "
			     "%s[fe80::1%%eth0]:7000",
			     in->scheme);
	if (!wardi_digits(scope, strlen(scope), UINT32_MAX, &number)) {
		if (strspn(scope, "0123456789") == strlen(scope) || strlen(scope) >= IF_NAMESIZE)
			return wrong(in, "behind '%%' is the name of an interface, or its number");
		number = if_nametoindex(scope);
		if (number == 0)
			return wrong(in, "the interface behind '%%': %s", strerrordesc_np(errno));
	}
	if (number == 0)
		return wrong(in, "interfaces are numbered from 1");
	address->socket.v6.sin6_scope_id = (uint32_t)number;
	return WARD_OK;
}

/* What is in the brackets. */
static ward_err read_v6(struct wardi_address *address, const struct input *in)
{
	struct sockaddr_in6 *v6 = &address->socket.v6;
	char *scope = strchr(address->host, '%');

	if (scope != NULL)
		*scope++ = '\0';
	if (inet_pton(AF_INET6, address->host, &v6->sin6_addr) != 1)
		return wrong(in, "in brackets is an IPv6 address, as in %s[::1]:7000", in->scheme);
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(address->port);
	address->kind = WARDI_ADDRESS_TCP;
	address->size = sizeof *v6;
	if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr))
		return read_scope(address, in, scope);
	if (scope != NULL)
		return wrong(in,
			     "only an address of a link (fe80::/10) has an interface behind '%%'");
	if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		unsigned char ip[4];

		memcpy(ip, v6->sin6_addr.s6_addr + 12, sizeof ip);
		memset(&address->socket, 0, sizeof address->socket);
		set_v4(address, ip);
	}
	return WARD_OK;
}

static ward_err read_host(struct wardi_address *address, const struct input *in, bool bracketed)
{
	struct in_addr ip;

	if (bracketed)
		return read_v6(address, in);
	if (strcmp(address->host, "*") == 0) {
		address->kind = WARDI_ADDRESS_ANY;
		return WARD_OK;
	}
	if (inet_pton(AF_INET, address->host, &ip) == 1) {
		set_v4(address, &ip);
		return WARD_OK;
	}
	if (ends_in_number(address->host))
		return wrong(
			in,
			"an IPv4 address has four numbers of 0 to 255, without zeros in front, "
			"as in %s127.0.0.1:7000",
			in->scheme);
	return read_name(address, in);
}

/* ---- schemes --------------------------------------------------------------------------------- */

#define HOST_AND_PORT                                                                              \
	"tcp:HOST:PORT, such as tcp:127.0.0.1:7000, tcp:[::1]:7000 or tcp:example.org:80; "        \
	"tcp:*:PORT listens at all addresses"
#define IP_AND_PORT                                                                                \
	"udp:IP:PORT, such as udp:127.0.0.1:8125 or udp:[::1]:8125; udp:*:PORT receives at all "   \
	"addresses"

/* Finds the end of the host in HOST:PORT or [HOST]:PORT; NULL: what is wrong was noted. */
static const char *host_end(const struct input *in, ward_err *ret_err)
{
	const char *end = NULL, *behind = in->rest + in->rest_size;

	*ret_err = WARD_OK;
	if (in->rest_size > 0 && in->rest[0] == '[') {
		end = memchr(in->rest, ']', in->rest_size);
		if (end == NULL)
			*ret_err = wrong(in, "there is no ']' behind the IPv6 address");
		else if (end + 1 == behind || end[1] != ':')
			*ret_err = wrong(in, "behind ']' is a colon and the port");
	} else {
		end = memrchr(in->rest, ':', in->rest_size);
		if (end == NULL)
			*ret_err = wrong(in, "there is no port: write %s", in->form);
		else if (memchr(in->rest, ':', (size_t)(end - in->rest)) != NULL)
			*ret_err = wrong(in, "an IPv6 address is in brackets, as in %s[::1]:7000",
					 in->scheme);
	}
	return *ret_err == WARD_OK ? end : NULL;
}

static bool begins_with_scheme(const char *text, size_t size);

/* Whether another address follows. No host or port has one of these characters; a path may. */
static bool is_list(const struct input *in)
{
	for (size_t i = 0; i + 1 < in->rest_size; i++)
		if (strchr(",; ", in->rest[i]) != NULL &&
		    begins_with_scheme(in->rest + i + 1, in->rest_size - i - 1))
			return true;
	return false;
}

static ward_err read_tcp(struct wardi_address *address, const struct input *in)
{
	const char *host = in->rest, *end, *port;
	bool bracketed;
	uint64_t number;
	ward_err err;
	size_t size;

	if (is_list(in))
		return wrong(in, "that is a list: a listener takes several addresses with a space "
				 "between them, all others take one");
	end = host_end(in, &err);
	if (end == NULL)
		return err;
	bracketed = host[0] == '[';
	host += bracketed;
	port = end + bracketed + 1;
	size = (size_t)(end - host);
	if (size == 0)
		return wrong(in, "there is no host: write %s", in->form);
	if (size > NAME_MAX_BYTES)
		return wrong(in, "a name has at most 253 bytes, this one has %zu", size);
	if (!wardi_digits(port, (size_t)(in->rest + in->rest_size - port), UINT16_MAX, &number))
		return wrong(in,
			     "the port is a number of 0 to 65535, of digits only and without zeros "
			     "in front");
	memcpy(address->host, host, size);
	address->port = (uint16_t)number;
	err = read_host(address, in, bracketed);
	if (address->kind != WARDI_ADDRESS_NAME)
		memset(address->host, 0, sizeof address->host);
	return err;
}

static ward_err read_udp(struct wardi_address *address, const struct input *in)
{
	ward_err err = read_tcp(address, in);

	if (err != WARD_OK)
		return err;
	if (address->kind == WARDI_ADDRESS_NAME)
		return wrong(in, "names are not looked up for datagrams: write " IP_AND_PORT);
	address->kind =
		address->kind == WARDI_ADDRESS_ANY ? WARDI_ADDRESS_UDP_ANY : WARDI_ADDRESS_UDP;
	return WARD_OK;
}

static ward_err read_unix(struct wardi_address *address, const struct input *in)
{
	struct sockaddr_un *un = &address->socket.un;
	bool abstract = in->rest_size > 0 && in->rest[0] == '@';

	if (!abstract && (in->rest_size == 0 || in->rest[0] != '/'))
		return wrong(in,
			     "a path begins with '/', as in %s/run/a.sock, and an abstract name "
			     "with '@', as in %s@a",
			     in->scheme, in->scheme);
	if (abstract && in->rest_size == 1)
		return wrong(in, "behind '@' is a name, as in %s@a", in->scheme);
	if (in->rest_size > PATH_MAX_BYTES)
		return wrong(in, "%s has at most %d bytes, this one has %zu",
			     abstract ? "an abstract name with its '@'" : "a path", PATH_MAX_BYTES,
			     in->rest_size);
	address->kind = WARDI_ADDRESS_UNIX;
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, in->rest, in->rest_size);
	if (abstract)
		un->sun_path[0] = '\0';
	/* The 0 behind a path belongs to it; in an abstract name each byte counts. */
	address->size =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + in->rest_size + !abstract);
	return WARD_OK;
}

static ward_err read_unixgram(struct wardi_address *address, const struct input *in)
{
	ward_err err = read_unix(address, in);

	address->kind = WARDI_ADDRESS_UNIXGRAM;
	return err;
}

static ward_err read_fd(struct wardi_address *address, const struct input *in)
{
	uint64_t number;

	if (!wardi_digits(in->rest, in->rest_size, INT_MAX, &number))
		return wrong(in, "behind fd: is the number of a descriptor, as in fd:3");
	address->kind = WARDI_ADDRESS_FD;
	address->fd = (int)number;
	return WARD_OK;
}

/* Reads a plain name into `host`. */
static ward_err read_label(struct wardi_address *address, const struct input *in, char not_in_it)
{
	if (in->rest_size >= sizeof address->host)
		return wrong(in, "a name has at most %zu bytes, this one has %zu",
			     sizeof address->host - 1, in->rest_size);
	for (size_t i = 0; i < in->rest_size; i++)
		if (in->rest[i] <= ' ' || in->rest[i] > '~' || in->rest[i] == not_in_it)
			return wrong(in,
				     "byte %zu of the name is no character that it may have: those "
				     "of ASCII, without blanks%s",
				     i + 1, not_in_it != '\0' ? " and ':'" : "");
	memcpy(address->host, in->rest, in->rest_size);
	return WARD_OK;
}

static ward_err read_systemd(struct wardi_address *address, const struct input *in)
{
	address->kind = WARDI_ADDRESS_SYSTEMD;
	return read_label(address, in, ':');
}

static ward_err read_sim(struct wardi_address *address, const struct input *in)
{
	if (in->rest_size == 0)
		return wrong(in, "behind sim: is a name, as in sim:server");
	address->kind = WARDI_ADDRESS_SIM;
	return read_label(address, in, '\0');
}

static const struct {
	const char *scheme;
	ward_err (*read)(struct wardi_address *address, const struct input *in);
	const char *form;
} schemes[] = {
	{"tcp:", read_tcp, HOST_AND_PORT},
	{"unix:", read_unix, ""},
	{"fd:", read_fd, ""},
	{"systemd:", read_systemd, ""},
	{"sim:", read_sim, ""},
	{"udp:", read_udp, IP_AND_PORT},
	{"unixgram:", read_unixgram, ""},
};

static bool begins_with_scheme(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i].scheme);

		if (size >= length && memcmp(text, schemes[i].scheme, length) == 0)
			return true;
	}
	return false;
}

ward_err wardi_address_read(struct wardi_address *ret_address, const char *text, size_t size)
{
	struct input in = {.text = text, .size = size};

	memset(ret_address, 0, sizeof *ret_address);
	ret_address->fd = -1;
	if (text == NULL || size == 0)
		return ward_refused(WARD_EINVAL, "address \"\": there is none: write " HOST_AND_PORT
						 ", or unix:/PATH");
	if (memchr(text, '\0', size) != NULL)
		return wrong(&in, "it goes on behind a byte 0, of which an address has none");
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i].scheme);

		if (size < length || memcmp(text, schemes[i].scheme, length) != 0)
			continue;
		in.rest = text + length;
		in.rest_size = size - length;
		in.scheme = schemes[i].scheme;
		in.form = schemes[i].form;
		return schemes[i].read(ret_address, &in);
	}
	return wrong(&in, "an address begins with its scheme: tcp:, unix:, fd: or systemd:, and "
			  "that of datagrams with udp: or unixgram:");
}

/* ---- as text --------------------------------------------------------------------------------- */

struct wardi_peer wardi_peer_of(const struct sockaddr *socket, socklen_t size)
{
	struct wardi_peer peer = {0};
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (socket == NULL || size < sizeof socket->sa_family)
		return peer;
	peer.family = socket->sa_family;
	if (peer.family == AF_INET && size >= sizeof v4) {
		memcpy(&v4, socket, sizeof v4);
		peer.port = ntohs(v4.sin_port);
		memcpy(peer.ip, &v4.sin_addr, sizeof v4.sin_addr);
	} else if (peer.family == AF_INET6 && size >= sizeof v6) {
		memcpy(&v6, socket, sizeof v6);
		peer.port = ntohs(v6.sin6_port);
		peer.scope = v6.sin6_scope_id;
		memcpy(peer.ip, &v6.sin6_addr, sizeof v6.sin6_addr);
	} else if (peer.family == AF_INET || peer.family == AF_INET6) {
		peer.family = 0;
	}
	if (peer.family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
		memset(&peer, 0, sizeof peer);
		peer.family = AF_INET;
		peer.port = ntohs(v6.sin6_port);
		memcpy(peer.ip, v6.sin6_addr.s6_addr + 12, 4);
	}
	return peer;
}

struct wardi_peer wardi_peer_behind(int read_fd, int write_fd)
{
	struct wardi_peer peer = {.family = WARDI_PEER_FD, .scope = (uint32_t)read_fd};

	memcpy(peer.ip, &write_fd, sizeof write_fd);
	return peer;
}

struct wardi_peer wardi_peer_written(const struct wardi_peer *peer)
{
	struct wardi_peer written = *peer;

	if (peer->family == WARDI_PEER_FD)
		memcpy(&written.scope, peer->ip, sizeof written.scope);
	return written;
}

static void write_v6(const struct wardi_peer *peer, char ret_text[WARD_ADDRESS_TEXT])
{
	char ip[INET6_ADDRSTRLEN], interface[IF_NAMESIZE], scope[IF_NAMESIZE + 1] = "";

	inet_ntop(AF_INET6, peer->ip, ip, sizeof ip);
	if (peer->scope != 0 && if_indextoname(peer->scope, interface) != NULL)
		snprintf(scope, sizeof scope, "%%%s", interface);
	else if (peer->scope != 0)
		snprintf(scope, sizeof scope, "%%%u", peer->scope);
	snprintf(ret_text, WARD_ADDRESS_TEXT, "tcp:[%s%s]:%u", ip, scope, peer->port);
}

static void write_sim(const struct wardi_peer *peer, char ret_text[WARD_ADDRESS_TEXT])
{
	const char *name = (const char *)peer->ip;

	if (peer->scope != 0)
		snprintf(ret_text, WARD_ADDRESS_TEXT, "sim:%.*s#%u", (int)sizeof peer->ip, name,
			 peer->scope);
	else
		snprintf(ret_text, WARD_ADDRESS_TEXT, "sim:%.*s", (int)sizeof peer->ip, name);
}

const char *wardi_peer_text(const struct wardi_peer *peer, char ret_text[WARD_ADDRESS_TEXT])
{
	char ip[INET_ADDRSTRLEN];

	switch (peer->family) {
	case AF_UNSPEC:
		snprintf(ret_text, WARD_ADDRESS_TEXT, "nobody");
		break;
	case AF_INET:
		inet_ntop(AF_INET, peer->ip, ip, sizeof ip);
		snprintf(ret_text, WARD_ADDRESS_TEXT, "tcp:%s:%u", ip, peer->port);
		break;
	case AF_INET6:
		write_v6(peer, ret_text);
		break;
	case AF_UNIX:
		snprintf(ret_text, WARD_ADDRESS_TEXT, "unix:");
		break;
	case WARDI_PEER_SIM:
		write_sim(peer, ret_text);
		break;
	case WARDI_PEER_FD:
		snprintf(ret_text, WARD_ADDRESS_TEXT, "fd:%u", peer->scope);
		break;
	default:
		snprintf(ret_text, WARD_ADDRESS_TEXT, "family %u", peer->family);
	}
	return ret_text;
}

/* Writes `size` bytes behind "unix:". A byte 0 in an abstract name becomes another '@'. */
static void write_path(const char *path, size_t size, char ret_text[WARD_ADDRESS_TEXT])
{
	bool abstract = size > 0 && path[0] == '\0';
	size_t at = strlen("unix:");

	memcpy(ret_text, "unix:", at);
	for (size_t i = 0; i < size && at < WARD_ADDRESS_TEXT - 1; i++) {
		if (path[i] == '\0' && !abstract)
			break;
		ret_text[at++] = path[i] != '\0' ? path[i] : '@';
	}
	ret_text[at] = '\0';
}

const char *wardi_address_text(const struct sockaddr *socket, socklen_t size,
			       char ret_text[WARD_ADDRESS_TEXT])
{
	const size_t before = offsetof(struct sockaddr_un, sun_path);
	struct wardi_peer peer = wardi_peer_of(socket, size);

	if (peer.family != AF_UNIX || size <= before)
		return wardi_peer_text(&peer, ret_text);
	write_path((const char *)socket + before, size - before, ret_text);
	return ret_text;
}
