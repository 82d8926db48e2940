/* SPDX-License-Identifier: MIT
 *
 * headers.h - what the examples in the headers leave out.
 */
#include <signal.h>
#include <unistd.h>

#include <ward/association.h>
#include <ward/backoff_sender.h>
#include <ward/breaker.h>
#include <ward/exponential.h>
#include <ward/fsm.h>
#include <ward/net.h>
#include <ward/net/sim.h>
#include <ward/otp.h>
#include <ward/retry.h>
#include <ward/simulation.h>
#include <ward/tls.h>
#include <ward/ward.h>
#include <ward/zero_factory.h>

enum { BALANCE = 1, PRICE, AGAIN };

struct get_balance {
	int account;
};
WARD_MESSAGE(get_balance);
struct balance {
	int cents;
};
WARD_MESSAGE(balance);
struct get_price {
	int item;
};
WARD_MESSAGE(get_price);
WARD_SIGNAL(again);

static const ward_failure_class no_such_match = {.name = "no_match", .parent = &ward_exception};
static const ward_failure_class my_exception = {.name = "my_exception", .parent = &ward_exception};
static const ward_failure_class io_exception = {.name = "io_exception", .parent = &ward_exception};

void reload(void *state);
extern const ward_behavior worker, connection, writer, store, till, errand;
extern const ward_otp_supervisor errands;
extern const ward_zero_factory back_room;
ward_result connected(ward_self *self, void *state, const ward_msg *msg);
ward_result busy(ward_self *self, void *state, const ward_msg *msg);
ward_result write_frame(ward_self *self, void *state, const struct ward_outgoing *out);
ward_result shut_receive(ward_self *self, void *state, const ward_msg *msg);
ward_result open_receive(ward_self *self, void *state, const ward_msg *msg);
bool id_of_line(const ward_msg *msg, uint64_t *ret_id);

struct session {
	ward_stream *peer;
	int count;
};
struct meter {
	ward_datagrams *socket;
};
extern const ward_behavior session, client;
extern const ward_stream_options by_line;
void *rot13_open(const void *options, char text[WARD_FILTERED_TEXT]);
ward_filtered rot13_came(void *at, const void *bytes, size_t size, ward_stream_bytes *plain,
			 ward_stream_bytes *wire, char text[WARD_FILTERED_TEXT]);
ward_filtered rot13_goes(void *at, const void *bytes, size_t size, bool end,
			 ward_stream_bytes *wire, char text[WARD_FILTERED_TEXT]);
void rot13_close(void *at);
static ward_tls_files files;
static struct me {
	bool connected;
	int count, fd;
	struct ward_breaker breaker;
	struct ward_retry retry;
	struct ward_fsm fsm;
	struct ward_zero_links links;
	ward_exponential wait;
} * me;
static struct line {
	uint64_t number;
} * line;
static ward_ref bank, keeper, workers, other, lines, supervisor, who;
static ward_inbox *inbox;
static ward_system *system;
static ward_err err;
static int fd;
static int64_t until_ns;
