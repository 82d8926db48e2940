/* SPDX-License-Identifier: MIT
 *
 * open_scene.h - ports of this machine at which somebody listens, or nobody; names that a case
 * makes up.
 *
 * Link with --wrap=getaddrinfo,--wrap=freeaddrinfo.
 */
#ifndef OPEN_SCENE_H
#define OPEN_SCENE_H

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

/* ---- ports ------------------------------------------------------------------------------- */

static inline struct sockaddr_in place_at(const char *ip, uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};

	ward_assert_eq(inet_pton(AF_INET, ip, &at.sin_addr), 1);
	return at;
}

static inline uint16_t port_of(int fd)
{
	struct sockaddr_in at;
	socklen_t size = sizeof at;

	ward_assert_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	return ntohs(at.sin_port);
}

/* Takes a port (0: any), at which nobody listens until listen() is called. */
static inline int take_port(const char *ip, uint16_t port)
{
	struct sockaddr_in at = place_at(ip, port);
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ward_assert(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

static inline int listen_at_port(const char *ip, uint16_t port)
{
	int fd = take_port(ip, port);

	ward_assert_eq(listen(fd, 16), 0);
	return fd;
}

/* One that answers nobody: its queue, of one connection, is full. */
struct mute {
	int listener, filler;
};

static inline struct mute mute_at(const char *ip, uint16_t port)
{
	struct mute mute = {take_port(ip, port), -1};
	struct sockaddr_in at = place_at(ip, port_of(mute.listener));

	ward_assert_eq(listen(mute.listener, 0), 0);
	mute.filler = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ward_assert_eq(connect(mute.filler, (struct sockaddr *)&at, sizeof at), 0);
	return mute;
}

static inline void end_mute(struct mute mute)
{
	close(mute.filler);
	close(mute.listener);
}

/* What the next connection has sent so far: a text; "(none)": there is no connection. "(end)" or
 * "(cut)" behind it: that is all. *ret_fd (NULL: it is closed) stays open. */
static inline const char *heard(int fd)
{
	static char text[4096];
	size_t used = 0;
	ssize_t got;

	while ((got = recv(fd, text + used, sizeof text - 6 - used, MSG_DONTWAIT)) > 0)
		used += (size_t)got;
	snprintf(text + used, 6, "%s", got == 0 ? "(end)" : errno == ECONNRESET ? "(cut)" : "");
	return text;
}

/* The next connection; -1: there is none. */
static inline int accept_one(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static inline int accept_it(int listener)
{
	int fd = accept_one(listener);

	ward_assert(fd >= 0);
	return fd;
}

/* ---- names ------------------------------------------------------------------------------- */

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries);
void __wrap_freeaddrinfo(struct addrinfo *entries);

static struct {
	const char *list; /* addresses with a blank between them */
	int code;         /* in place of a list; 0: none */
	int asked;
	struct addrinfo entries[8];
	struct sockaddr_in sockets[8];
} names;

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries)
{
	char list[200], *rest = list;
	size_t count = 0;

	(void)host, (void)service, (void)hints;
	names.asked++;
	if (names.code != 0)
		return names.code;
	snprintf(list, sizeof list, "%s", names.list);
	for (char *text; (text = strsep(&rest, " ")) != NULL; count++) {
		names.sockets[count] = place_at(text, 0);
		names.entries[count] =
			(struct addrinfo){.ai_family = AF_INET,
					  .ai_addrlen = sizeof names.sockets[0],
					  .ai_addr = (struct sockaddr *)&names.sockets[count]};
		if (count > 0)
			names.entries[count - 1].ai_next = &names.entries[count];
	}
	*ret_entries = names.entries;
	return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *entries)
{
	(void)entries;
}

/* ---- failures ---------------------------------------------------------------------------- */

/* What the last failure of an actor at the top was. */
static struct {
	ward_directive decided; /* WARD_UNDECIDED: by the default decider */
	char class_name[40], text[256];
	struct ward_net_error body;
	int count;
} failure;

static inline ward_directive note_failure(ward_self *self, ward_ref child, const ward_failure *why)
{
	const struct ward_net_error *body = ward_failure_body(why, ward_net_error);

	snprintf(failure.class_name, sizeof failure.class_name, "%s",
		 ward_failure_class_of(why)->name);
	snprintf(failure.text, sizeof failure.text, "%s", ward_failure_text(why));
	failure.body = body != NULL ? *body : (struct ward_net_error){0};
	failure.count++;
	return failure.decided != WARD_UNDECIDED ? failure.decided
						 : ward_default_decide(self, child, why);
}

static const ward_strategy noting = {.decide = note_failure};

static inline ward_kit *start_kit(uint64_t seed, ward_directive decided)
{
	memset(&failure, 0, sizeof failure);
	failure.decided = decided;
	names.code = names.asked = 0;
	return ward_kit_start(&(ward_kit_options){
		.seed = seed, .may_leave_mail = true, .system = {.user_strategy = &noting}});
}

#endif
