/* SPDX-License-Identifier: MIT
 *
 * selection_record.c - a selection is made, copied, loaded and freed.
 *
 * Threads: a selection belongs to the lane, the queue or the holder that has it.
 */
#include "actor/selection_record.h"

#include "actor/selection_path.h"
#include "mail/ref.h"

struct wardi_selection *wardi_selection_make(ward_system *system, ward_ref by, const char *path)
{
	size_t length = strlen(path);
	size_t size = 2 * length + 3;
	struct wardi_selection *it = wardi_alloc_zeroed(&system->alloc, sizeof *it + size);

	if (it == NULL)
		return NULL;
	it->way.node.kind = WARDI_SYS_SELECT;
	it->system = system;
	it->by = by;
	it->size = size;
	it->at = length + 1;
	memcpy(it->text, path, length + 1);
	wardi_path_split(path, it->text + it->at);
	return it;
}

struct wardi_selection *wardi_selection_branch(const struct wardi_selection *it)
{
	struct wardi_selection *branch = wardi_alloc(&it->system->alloc, sizeof *it + it->size);

	if (branch == NULL)
		return NULL;
	memcpy(branch, it, sizeof *it + it->size);
	branch->msg = NULL;
	return branch;
}

void wardi_selection_free(struct wardi_selection *it)
{
	if (it == NULL)
		return;
	wardi_free(&it->system->alloc, it, sizeof *it + it->size);
}

void wardi_selection_load(struct wardi_selection *it, struct ward_msg *msg, ward_ref sender)
{
	it->type = wardi_msg_type(msg);
	it->msg = msg;
	it->sender = sender;
	msg->sender_uid = sender.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(sender));
}
