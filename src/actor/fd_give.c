/* SPDX-License-Identifier: MIT
 *
 * fd_give.c - a descriptor moves from one actor to another, in a message.
 *
 * The message is a ward_fd, whose drop function closes the descriptor. So it is closed wherever the
 * message ends: as a dead letter, unread, handled or failed. Taken out of the message, it leaves -1
 * there.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/defer.h"
#include "base/error.h"
#include "mail/message.h"

static ward_err no_descriptor(int fd)
{
	return wardi_error(WARD_EINVAL, "ward_fd_give: %d is not a descriptor", fd);
}

ward_err ward_try_fd_give(ward_self *self, ward_ref to, int fd)
{
	struct ward_fd body = {fd};
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (fd < 0)
		return no_descriptor(fd);
	ward_fd_unwatch(self, fd); /* before the receiver can watch it */
	err = ward_try_send(self, to, &ward_type_ward_fd, &body, sizeof body);
	if (err == WARD_OK)
		(void)wardi_fd_disown(self, fd);
	return err;
}

void ward_fd_give(ward_self *self, ward_ref to, int fd)
{
	struct ward_fd body = {fd};

	if (!wardi_self_usable(self))
		return;
	if (fd < 0) {
		(void)ward_noted_(self, no_descriptor(fd));
		return;
	}
	ward_fd_unwatch(self, fd);
	(void)wardi_fd_disown(self, fd);
	ward_send(self, to, &ward_type_ward_fd, &body, sizeof body);
}

ward_err ward_try_fd_take(ward_self *self, int *ret_fd)
{
	struct ward_fd *body;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	body = self->msg == NULL ? NULL
				 : (void *)(uintptr_t)ward_msg_body(self->msg, &ward_type_ward_fd);
	if (body == NULL || body->fd < 0)
		return wardi_error(WARD_ENOENT,
				   "ward_fd_take: the current message has no descriptor");
	if (wardi_fd_is_adopted(self, body->fd))
		return wardi_error(WARD_EINVAL,
				   "cannot adopt descriptor %d twice: it would be closed twice",
				   body->fd);
	if (!wardi_fd_adopt(self, body->fd))
		return wardi_no_memory(self->system, "no memory to adopt descriptor %d", body->fd);
	*ret_fd = body->fd;
	body->fd = -1;
	return WARD_OK;
}

int ward_fd_take(ward_self *self)
{
	int fd = -1;
	ward_err err = ward_try_fd_take(self, &fd);

	if (err == WARD_OK)
		return fd;
	ward_fail(self, err == WARD_ENOMEM ? &ward_out_of_memory : &ward_misuse, "%s",
		  ward_err_detail());
}
