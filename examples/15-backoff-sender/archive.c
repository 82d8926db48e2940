/* SPDX-License-Identifier: MIT
 *
 * archive.c - a back-off sender keeps messages for an actor that fails for a while.
 *
 *	cc examples/15-backoff-sender/archive.c $(pkg-config --cflags --libs ward) -o archive
 *
 * Photos go to an archive that is down for a while. The uploader fails when the archive does not
 * answer. The sender in front of it starts another uploader after delays that grow, and sends the
 * photos that are not stored yet. Prints each attempt. The time is simulated here; without
 * `.simulation` it is real.
 */
#include <inttypes.h>
#include <stdio.h>
#include <ward/backoff_sender.h>
#include <ward/simulation.h>
#include <ward/ward.h>

enum { PHOTOS = 5, TAKE = 1 };
enum { DOWN_FROM_MS = 150, DOWN_TO_MS = 900 };

struct photo {
	uint64_t number;
};
WARD_MESSAGE(photo);
struct stored {
	uint64_t number;
};
WARD_MESSAGE(stored);
WARD_REPLY(photo, stored);
WARD_SIGNAL(take_photo);

static int64_t now_ms(ward_self *self)
{
	static int64_t began_ns;

	if (began_ns == 0)
		began_ns = ward_now_ns(self);
	return (ward_now_ns(self) - began_ns) / 1000000;
}

/* ---- the uploader, which may fail -------------------------------------------------------- */

static ward_result uploader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct photo *photo = ward_match(msg, photo);
	int64_t now = now_ms(self);

	(void)state;
	if (!photo)
		return WARD_UNHANDLED;
	printf("%4" PRId64 " ms: uploading %" PRIu64 "\n", now, photo->number);
	if (now >= DOWN_FROM_MS && now < DOWN_TO_MS)
		return ward_failed(self, &ward_exception, "the archive does not answer");
	ward_tell(self, ward_parent(self), ward_sent, .id = photo->number);
	return ward_answer(self, msg, photo, .number = photo->number);
}
static const ward_behavior uploader = {.name = "uploader", .receive = uploader_receive};

static bool number_of_photo(const ward_msg *msg, uint64_t *ret_id)
{
	const struct photo *photo = ward_match(msg, photo);

	if (photo)
		*ret_id = photo->number;
	return photo != NULL;
}

/* ---- the camera: takes one each 100 ms, and counts what is stored ------------------------- */

struct camera {
	ward_ref archive; /* the sender */
	uint64_t taken, stored;
};

static ward_result camera_start(ward_self *self, void *state)
{
	struct camera *me = state;
	const struct ward_backoff_sender args = {
		.child = {.behavior = &uploader, .name = "uploader"},
		.id = number_of_photo,
		.back_off = {.slot_time_ms = 50},
		.pending_max = 100,
		.retries_max = 20,
	};

	me->archive = ward_spawn(self, &ward_backoff_sender, .name = "archive",
				 .args = {WARD_COPY(ward_backoff_sender, &args)});
	ward_every(self, TAKE, 100, take_photo);
	return WARD_DONE;
}

static ward_result camera_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct camera *me = state;
	const struct stored *stored = ward_match(msg, stored);

	if (ward_match(msg, take_photo)) {
		ward_tell(self, me->archive, photo, .number = ++me->taken);
		if (me->taken == PHOTOS)
			ward_timer_cancel(self, TAKE);
	} else if (stored) {
		printf("\t\t%" PRIu64 " is stored\n", stored->number);
		if (++me->stored == PHOTOS)
			ward_stop_self(self);
	} else {
		return WARD_UNHANDLED; /* a ward_backoff_dropped, or _gave_up: not here */
	}
	return WARD_DONE;
}
static const ward_behavior camera = {.name = "camera",
				     .state_size = sizeof(struct camera),
				     .pre_start = camera_start,
				     .receive = camera_receive};

int main(void)
{
	static const ward_simulation quick = {0};

	return ward_run(WARD_PROPS(&camera), &(ward_options){.simulation = &quick, .seed = 4});
}
