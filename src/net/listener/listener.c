/* SPDX-License-Identifier: MIT
 *
 * listener.c - an actor that accepts connections: it begins, pauses, ends.
 */
#include "net/listener/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/address/systemd.h"
#include "net/listener/accept.h"
#include "net/listener/failures.h"
#include "net/listener/unstarted.h"
#include "net/stream/life.h"
#include "net/stream/stream.h"

const ward_type ward_type_ward_listener_look = {
	.name = "ward_listener_look",
	.flags = WARD_TYPE_FLAT,
};
const ward_type ward_type_ward_listener_state = {
	.name = "ward_listener_state",
	.size = sizeof(struct ward_listener_state),
	.flags = WARD_TYPE_FLAT,
};
const ward_type ward_type_ward_listener_drain = {
	.name = "ward_listener_drain",
	.flags = WARD_TYPE_FLAT,
};
const ward_type wardi_type_listener_retry = {
	.name = "ward.listener_retry",
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};

/* ---- it begins --------------------------------------------------------------------------- */

static ward_result not_listening(ward_self *self, const char *address, size_t size,
				 const struct wardi_net_refusal *refusal)
{
	struct ward_net_error body = {.error = refusal->error};

	snprintf(body.call, sizeof body.call, "%s", refusal->call);
	snprintf(body.address, sizeof body.address, "%.*s", (int)size, address);
	return ward_failed_body(self, &ward_not_listening, WARD_COPY(ward_net_error, &body),
				"%s: %s: %s", body.address, body.call, refusal->text);
}

static void remove_path(void *arg) WARD_NOEXCEPT
{
	const struct wardi_listening_socket *at = arg;

	wardi_path_remove(at->path, at->file);
}

static void give_back(void *arg) WARD_NOEXCEPT
{
	wardi_systemd_give_back((int)(intptr_t)arg);
}

/* A descriptor of the process stays open for the next incarnation: this one has a duplicate. */
static int own(ward_self *self, int fd, const struct wardi_address *address,
	       struct wardi_listening_socket *at)
{
	if (address->kind == WARDI_ADDRESS_SYSTEMD)
		ward_defer(self, give_back, (void *)(intptr_t)fd);
	else if (address->kind == WARDI_ADDRESS_SIM)
		at->removal = ward_defer(self, wardi_point_close, at->point);
	else if (address->kind != WARDI_ADDRESS_FD)
		return fd;
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* What it became, such as with its port. Of one that came with the process, as it was asked for,
 * too: "systemd:web (tcp:*:80)". */
static void show_address(struct wardi_listener *me, int fd, const struct wardi_address *address,
			 const char *asked, size_t size)
{
	bool came = address->kind == WARDI_ADDRESS_FD || address->kind == WARDI_ADDRESS_SYSTEMD;
	size_t used = strlen(me->addresses);
	char text[WARD_ADDRESS_TEXT];

	if (address->kind == WARDI_ADDRESS_SIM)
		snprintf(text, sizeof text, "sim:%.100s", address->host);
	else
		wardi_listening_text(fd, text);
	if (me->address[0] == '\0')
		memcpy(me->address, text, sizeof text);
	snprintf(me->addresses + used, sizeof me->addresses - used,
		 came ? "%s%.*s (%s)" : "%s%.*s%s", used > 0 ? ", " : "",
		 came && size < sizeof text ? (int)size : 0, asked, text);
}

static ward_result open_one(ward_self *self, struct wardi_listener *me, const char *text,
			    size_t size)
{
	struct wardi_listening how = {me->args->backlog, me->args->unix_mode,
				      me->args->unix_replace, me->args->reuse_port};
	struct wardi_listening_socket *at = &me->sockets[me->sockets_count];
	struct wardi_net_refusal refusal = {0};
	struct wardi_address address;
	ward_err err = wardi_address_read(&address, text, size);
	int fd;

	if (err != WARD_OK)
		return ward_failed(self, &ward_not_listening, "%s", ward_err_detail());
	if (me->sockets_count == WARDI_SOCKETS)
		return ward_failed(self, &ward_not_listening, "%s: more than %d addresses",
				   me->args->address, (int)WARDI_SOCKETS);
	if (address.kind == WARDI_ADDRESS_SIM)
		fd = wardi_point_listen(ward_self_system(self), address.host, &at->point, &refusal);
	else
		fd = wardi_listen_at(&address, &how, at->path, sizeof at->path, &refusal);
	if (fd < 0)
		return not_listening(self, text, size, &refusal);
	at->file = wardi_file_at(at->path);
	fd = own(self, fd, &address, at);
	if (fd < 0)
		return ward_failed_errno(self, "%.*s: fcntl", (int)size, text);
	at->fd = ward_adopt_fd(self, fd);
	if (at->path[0] != '\0')
		at->removal = ward_defer(self, remove_path, at);
	me->sockets_count++;
	show_address(me, fd, &address, text, size);
	ward_fd_watch(self, fd, WARD_FD_READ);
	return WARD_DONE;
}

/* What takes longer than four fifths of its phase is over before that is reported. */
enum { DRAIN_MS = 4 * WARD_SECOND, FIFTHS = 5 };

static const char drains[] = "service-requests-done";

static ward_result set_drain(ward_self *self, struct wardi_listener *me)
{
	int64_t phase_ms = ward_shutdown_timeout(self, drains);
	bool limited = phase_ms != 0 && phase_ms != WARD_FOREVER;

	me->drain_ms = me->args->drain_ms;
	if (me->drain_ms == 0)
		me->drain_ms = limited ? phase_ms - phase_ms / FIFTHS : DRAIN_MS;
	if (!limited || me->drain_ms < phase_ms)
		return WARD_DONE;
	return ward_failed(self, &ward_misuse,
			   "a listener: .drain_ms is %lld, and the phase \"%s\" of a shutdown is "
			   "over after %lld ms: set a shorter one, or a longer .timeout_ms in "
			   "options.phases",
			   (long long)me->drain_ms, drains, (long long)phase_ms);
}

/* A system with other phases has none of these: its program uses ward_listener_drain. */
static void join_shutdown(ward_self *self)
{
	(void)!ward_try_shutdown_join(self, "service-unbind", "accept no more connections");
	(void)!ward_try_shutdown_join(self, drains, "end the connections");
}

static void release_tally(void *arg) WARD_NOEXCEPT
{
	wardi_tally_release(arg);
}

static ward_result listener_init(ward_self *self, void *state, const void *args)
{
	struct wardi_listener *me = state;
	const char *at;

	me->args = args;
	if (set_drain(self, me) != WARD_DONE)
		return WARD_FAILED;
	me->tally = wardi_tally_make(me->args->connections_max != 0 ? ward_self_ref(self)
								    : ward_nobody());
	if (me->tally == NULL)
		return ward_failed(self, &ward_out_of_memory, "a listener: no memory");
	ward_defer(self, release_tally, me->tally);
	at = me->args->address;
	while (*(at += strspn(at, " ")) != '\0') {
		size_t size = strcspn(at, " ");

		if (open_one(self, me, at, size) != WARD_DONE)
			return WARD_FAILED;
		at += size;
	}
	join_shutdown(self);
	ward_status_set(self, "listens at %s", me->addresses);
	ward_note(self, WARD_LEVEL_INFO, "listens at %s", me->addresses);
	return WARD_DONE;
}

/* ---- it ends ----------------------------------------------------------------------------- */

static void close_sockets(ward_self *self, struct wardi_listener *me)
{
	for (uint32_t i = 0; i < me->sockets_count; i++) {
		ward_run_deferred(self, me->sockets[i].removal);
		(void)!ward_close_fd(self, me->sockets[i].fd);
	}
	me->sockets_count = 0;
	ward_status_set(self, "accepts no more");
}

static bool is_drained(ward_self *self, struct wardi_listener *me)
{
	if (!me->draining || ward_children(self, NULL, 0) > 0)
		return false;
	if (me->answered)
		return true;
	me->answered = true;
	if (ward_ref_is_nobody(me->drained))
		(void)ward_stop_self(self);
	else
		ward_tell(self, me->drained, ward_shutdown_done);
	return true;
}

/* The children that have not ended in their time. */
static void cut_rest(ward_self *self, const struct wardi_listener *me)
{
	ward_note(self, WARD_LEVEL_WARNING,
		  "%s: connections that have not ended within %lld ms, and are stopped: %zu",
		  me->address, (long long)me->drain_ms, ward_children(self, NULL, 0));
	ward_select_send(self, "*", &ward_type_ward_poison_pill, NULL, 0);
}

/* Tells all children to end. */
static void drain(ward_self *self, struct wardi_listener *me)
{
	if (me->draining)
		return;
	me->draining = true;
	close_sockets(self, me);
	ward_select_send(self, "*", &wardi_type_stream_closing, NULL, 0);
	ward_children_notify(self, 1);
	ward_timer_start(self,
			 &(ward_timer){.key = (uint64_t)(uintptr_t)me, .after_ms = me->drain_ms},
			 &wardi_type_listener_retry, NULL, 0);
}

static ward_result shut_down(ward_self *self, struct wardi_listener *me, const ward_msg *msg)
{
	const struct ward_shutdown_task *task = ward_match(msg, ward_shutdown_task);

	if (strcmp(task->phase, "service-unbind") == 0) {
		close_sockets(self, me);
		return ward_reply(self, msg, ward_shutdown_done);
	}
	me->drained = ward_msg_sender(msg);
	drain(self, me);
	(void)is_drained(self, me);
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result tell_state(ward_self *self, const struct wardi_listener *me, const ward_msg *msg)
{
	struct ward_listener_state now = {
		.connections = wardi_listener_connections(me),
		.paused = me->paused,
		.accepted = me->accepted,
		.failed = me->failed,
		.pauses = me->pauses,
	};

	snprintf(now.address, sizeof now.address, "%s", me->address);
	snprintf(now.addresses, sizeof now.addresses, "%s", me->addresses);
	ward_send(self, ward_msg_sender(msg), WARD_COPY(ward_listener_state, &now));
	return WARD_DONE;
}

static ward_result accept_all(ward_self *self, struct wardi_listener *me)
{
	for (uint32_t i = 0; i < me->sockets_count; i++)
		wardi_listener_accept(self, me, &me->sockets[i]);
	return WARD_DONE;
}

static ward_result accept_at(ward_self *self, struct wardi_listener *me, int fd)
{
	for (uint32_t i = 0; i < me->sockets_count; i++)
		if (me->sockets[i].fd == fd)
			wardi_listener_accept(self, me, &me->sockets[i]);
	return WARD_DONE;
}

/* A child has ended, or time has passed. */
static ward_result look_again(ward_self *self, struct wardi_listener *me, bool late)
{
	if (!me->draining)
		return accept_all(self, me);
	if (is_drained(self, me))
		return WARD_DONE;
	if (late)
		cut_rest(self, me);
	return WARD_DONE;
}

static ward_result listener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_listener *me = state;
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);

	if (ready != NULL)
		return accept_at(self, me, ready->fd);
	if (ward_match(msg, ward_children_few) ||
	    ward_msg_body(msg, &wardi_type_tally_changed) != NULL)
		return look_again(self, me, false);
	if (ward_msg_body(msg, &wardi_type_listener_retry) != NULL)
		return look_again(self, me, true);
	if (wardi_listener_looked(self, me, msg))
		return WARD_DONE;
	if (ward_match(msg, ward_shutdown_task))
		return shut_down(self, me, msg);
	if (ward_match(msg, ward_listener_look))
		return tell_state(self, me, msg);
	if (ward_match(msg, ward_listener_drain)) {
		drain(self, me);
		return WARD_DONE;
	}
	return WARD_UNHANDLED;
}

static ward_result listener_post_stop(ward_self *self, void *state)
{
	struct wardi_listener *me = state;

	(void)self;
	if (me->accepting != NULL)
		wardi_stream_free(me->accepting);
	me->accepting = NULL;
	return WARD_DONE;
}

const ward_behavior ward_listen = {
	.name = "listener",
	.state_size = sizeof(struct wardi_listener),
	.args = &ward_type_ward_listener,
	.child_strategy = &wardi_listener_strategy,
	.init = listener_init,
	.receive = listener_receive,
	.post_stop = listener_post_stop,
};
