/* SPDX-License-Identifier: MIT
 *
 * test_names.c - names are looked up: the order of their addresses, and the words of a refusal.
 *
 * Method: getaddrinfo() is wrapped and returns lists that a case has written down; one case asks
 * the real one for the name that every machine has.
 */
#include <arpa/inet.h>
#include <netdb.h>

#include "net/address/names.h"
#include "unit/net/sockets.h"

enum { ENTRIES_MAX = 64 };

int __real_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries);
void __real_freeaddrinfo(struct addrinfo *entries);
void __wrap_freeaddrinfo(struct addrinfo *entries);

static struct {
	const char *list; /* addresses with a blank between them; NULL: the real call */
	int code, error;
	int lent;
	char host[80];
	struct addrinfo entries[ENTRIES_MAX];
	struct sockaddr_storage sockets[ENTRIES_MAX];
} scene;

/* Adds an entry; "?" is one of a family that is not of TCP. */
static void add_entry(size_t at, const char *text)
{
	struct addrinfo *entry = &scene.entries[at];
	struct sockaddr_in *v4 = (struct sockaddr_in *)&scene.sockets[at];
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&scene.sockets[at];

	memset(v6, 0, sizeof *v6);
	*entry = (struct addrinfo){.ai_addr = (struct sockaddr *)v4};
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		entry->ai_addrlen = sizeof *v6;
		entry->ai_family = v6->sin6_family = AF_INET6;
	} else if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		entry->ai_addrlen = sizeof *v4;
		entry->ai_family = v4->sin_family = AF_INET;
	} else {
		entry->ai_addrlen = sizeof(sa_family_t);
		entry->ai_family = v4->sin_family = AF_UNIX;
	}
	if (at > 0)
		scene.entries[at - 1].ai_next = entry;
}

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries)
{
	char list[4000], *rest = list;
	size_t count = 0;

	if (scene.list == NULL)
		return __real_getaddrinfo(host, service, hints, ret_entries);
	snprintf(scene.host, sizeof scene.host, "%s", host);
	ward_assert(service == NULL);
	ward_assert_eq(hints->ai_family, AF_UNSPEC);
	ward_assert_eq(hints->ai_socktype, SOCK_STREAM);
	if (scene.code != 0) {
		errno = scene.error;
		return scene.code;
	}
	snprintf(list, sizeof list, "%s", scene.list);
	for (char *text; (text = strsep(&rest, " ")) != NULL;)
		add_entry(count++, text);
	*ret_entries = scene.entries;
	scene.lent++;
	return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *entries)
{
	if (scene.list == NULL) {
		__real_freeaddrinfo(entries);
		return;
	}
	scene.lent--;
	memset(scene.sockets, 0xa5, sizeof scene.sockets);
}

/* The addresses that are found, with a blank between them. */
static const char *find(const char *list)
{
	static char found[4000];
	struct wardi_names names;
	struct wardi_net_refusal refusal;
	size_t used = 0;

	scene.list = list;
	scene.code = 0;
	ward_assert(wardi_names_find("example.org", 7000, &names, &refusal));
	ward_assert_str(scene.host, "example.org");
	ward_assert_eq(scene.lent, 0);
	for (size_t i = 0; i < names.count; i++) {
		char text[WARD_ADDRESS_TEXT];

		wardi_address_text(&names.list[i].socket.any, names.list[i].size, text);
		ward_assert_part(text, ":7000");
		used += (size_t)snprintf(found + used, sizeof found - used, "%s%.*s",
					 i > 0 ? " " : "", (int)(strlen(text) - 9), text + 4);
	}
	return found;
}

static struct wardi_net_refusal refused(int code, int error)
{
	struct wardi_names names;
	struct wardi_net_refusal refusal;

	scene.list = "";
	scene.code = code;
	scene.error = error;
	ward_assert(!wardi_names_find("no.example.org", 80, &names, &refusal));
	ward_assert_str(refusal.call, "getaddrinfo");
	return refusal;
}

WARD_TEST(families_alternate_from_the_first)
{
	static const struct {
		const char *list, *found;
	} rows[] = {
		{"10.0.0.1", "10.0.0.1"},
		{"fd00::1", "[fd00::1]"},
		{"fd00::1 10.0.0.1", "[fd00::1] 10.0.0.1"},
		{"10.0.0.1 fd00::1", "10.0.0.1 [fd00::1]"},
		{"fd00::1 fd00::2 fd00::3 10.0.0.1 10.0.0.2",
		 "[fd00::1] 10.0.0.1 [fd00::2] 10.0.0.2 [fd00::3]"},
		{"10.0.0.1 10.0.0.2 fd00::1", "10.0.0.1 [fd00::1] 10.0.0.2"},
		{"fd00::1 10.0.0.1 10.0.0.2 10.0.0.3", "[fd00::1] 10.0.0.1 10.0.0.2 10.0.0.3"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ward_assert_str(find(rows[i].list), rows[i].found);
}

WARD_TEST(address_is_tried_once)
{
	ward_assert_str(find("::1 127.0.0.1 ::1 127.0.0.1 127.0.0.2"), "[::1] 127.0.0.1 127.0.0.2");
}

WARD_TEST(other_families_are_left_out)
{
	ward_assert_str(find("? fd00::1 ? 10.0.0.1"), "[fd00::1] 10.0.0.1");
}

WARD_TEST(of_many_the_first_of_both_families_are_kept)
{
	char list[4000] = "", wanted[4000] = "", one[40];

	for (int i = 1; i <= 20; i++) {
		snprintf(one, sizeof one, "%sfd00::%d", i > 1 ? " " : "", i);
		strcat(list, one);
	}
	strcat(list, " 10.0.0.1");
	for (int i = 1; i <= 15; i++) {
		snprintf(one, sizeof one, "%s[fd00::%d]", i > 1 ? " " : "", i);
		strcat(wanted, one);
		if (i == 1)
			strcat(wanted, " 10.0.0.1");
	}
	ward_assert_str(find(list), wanted);
}

WARD_TEST(refusal_has_the_words_of_gai_strerror)
{
	struct wardi_net_refusal refusal = refused(EAI_NONAME, 0);

	ward_assert_eq(refusal.error, 0);
	ward_assert_part(refusal.text, "\"no.example.org\": ");
	ward_assert_part(refusal.text, gai_strerror(EAI_NONAME));
	ward_assert_part(refusal.text, ": check the name, or use an IP address");
	refusal = refused(EAI_AGAIN, 0);
	ward_assert_eq(refusal.error, EAGAIN);
	ward_assert_part(refusal.text, gai_strerror(EAI_AGAIN));
	ward_assert_part(refusal.text, ": try again later");
	refusal = refused(EAI_MEMORY, 0);
	ward_assert_eq(refusal.error, ENOMEM);
	refusal = refused(EAI_SYSTEM, EMFILE);
	ward_assert_eq(refusal.error, EMFILE);
	ward_assert_str(refusal.text, "Too many open files: \"no.example.org\"");
}

WARD_TEST(name_with_no_address_of_tcp_is_refused)
{
	struct wardi_names names;
	struct wardi_net_refusal refusal;

	scene.list = "?";
	scene.code = 0;
	ward_assert(!wardi_names_find("example.org", 80, &names, &refusal));
	ward_assert_part(refusal.text, gai_strerror(EAI_NONAME));
	ward_assert_eq(scene.lent, 0);
}

WARD_TEST(real_localhost_is_loopback)
{
	int before = count_fds();
	struct wardi_names names;
	struct wardi_net_refusal refusal;
	size_t loopback = 0;

	scene.list = NULL;
	ward_assert(wardi_names_find("localhost", 7, &names, &refusal));
	for (size_t i = 0; i < names.count; i++) {
		char text[WARD_ADDRESS_TEXT];

		wardi_address_text(&names.list[i].socket.any, names.list[i].size, text);
		loopback += strcmp(text, "tcp:[::1]:7") == 0 || strncmp(text, "tcp:127.", 8) == 0;
	}
	ward_assert_eq(loopback, names.count);
	ward_assert_eq(count_fds(), before);
}

WARD_TEST_MAIN
