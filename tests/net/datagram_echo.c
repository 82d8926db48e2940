/* SPDX-License-Identifier: MIT
 *
 * datagram_echo.c - the server of the trials of datagrams: answers each with its number.
 *
 *	datagram_echo ADDRESS [NAME=NUMBER ...]
 *
 * Names are those of ward_datagram_options. Prints its address, then one line for each event.
 * "counts" is answered with the counts, "fail" fails, "stop" stops.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net/datagrams.h>
#include <ward/ward.h>

#include "net/trial_top.h"

static ward_datagram_options options;
static const char *address;

struct echo {
	ward_datagrams *socket;
	uint64_t count;
};

static ward_result echo_init(ward_self *self, void *state, const void *args)
{
	struct echo *me = state;
	char text[WARD_ADDRESS_TEXT];

	(void)args;
	me->socket = ward_datagrams_open(self, address, &options);
	if (me->socket != NULL)
		printf("at %s\n", ward_datagrams_address(me->socket, text));
	return WARD_DONE;
}

static int answer(const struct echo *me, const ward_frame *text, char to[160])
{
	ward_datagram_counts now;

	if (strcmp(text->text, "counts") != 0)
		return snprintf(to, 160, "%llu: %.100s", (unsigned long long)me->count, text->text);
	now = ward_datagrams_counts(me->socket);
	return snprintf(to, 160, "received %llu, cut %llu, missed %llu, sent %llu",
			(unsigned long long)now.received, (unsigned long long)now.cut,
			(unsigned long long)now.missed, (unsigned long long)now.sent);
}

static ward_result echo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct echo *me = state;
	ward_net_address from;
	ward_frame text;
	char to[160];

	while (ward_datagrams_next(self, me->socket, msg, &text, &from)) {
		me->count++;
		if (strcmp(text.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		if (strcmp(text.text, "stop") == 0)
			return ward_stop_self(self);
		ward_datagrams_write(self, me->socket, &from, to, (size_t)answer(me, &text, to));
	}
	return ward_datagrams_result(self, me->socket, msg);
}

static const ward_behavior echo = {.name = "echo",
				   .state_size = sizeof(struct echo),
				   .init = echo_init,
				   .receive = echo_receive};

static bool set(const char *name, uint32_t value)
{
	if (strcmp(name, "size_max") == 0)
		options.size_max = value;
	else if (strcmp(name, "batch") == 0)
		options.batch = value;
	else if (strcmp(name, "receive_buffer") == 0)
		options.receive_buffer = value;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	address = argv[1];
	for (int i = 2; i < argc; i++) {
		char *is = strchr(argv[i], '=');

		if (is != NULL)
			*is = '\0';
		if (is == NULL || !set(argv[i], (uint32_t)atol(is + 1))) {
			fprintf(stderr, "datagram_echo: what is %s?\n", argv[i]);
			return 2;
		}
	}
	return ward_run(WARD_PROPS(&echo), &(ward_options){.workers = 2, .log = print_event});
}
