/* SPDX-License-Identifier: MIT
 *
 * play.h - a script that is acted out on the OTP profile: its children, its calls, what is noted.
 *
 * single-threaded: one simulated system at a time.
 */
#ifndef OTP_PLAY_H
#define OTP_PLAY_H

#include <ward/link.h>
#include <ward/otp.h>
#include <ward/testkit.h>

enum { WORDS_MAX = 12, LINE = 512, LIVES_MAX = 1024, NOTES_MAX = 1024, NOTE = 32, STARTS = 16 };
/* Lines of answers in a step: of its calls, then of those that came in the middle. */
enum { CALLS_MAX = 16, MEANWHILE_MAX = 64, LINES_MAX = CALLS_MAX + MEANWHILE_MAX };

/* Of a child, from its start to its end. */
struct life {
	ward_ref who;
	char label;
	char conduct; /* the first letter of its name */
	bool alive;
};

struct play {
	ward_kit *kit;
	ward_ref top, supervisor;
	bool simple;
	bool held; /* the supervisor has no turn */
	bool dead; /* the supervisor */
	uint64_t dice;
	struct life lives[LIVES_MAX];
	int lives_count;
	int starts[128]; /* so often was a label started */
	/* of a step */
	char notes[NOTES_MAX][NOTE];
	int notes_count;
	char lines[LINES_MAX][LINE]; /* "": none */
	int calls, meanwhile;
	char state[LINE]; /* who there is */
};
extern struct play play;

__attribute__((format(printf, 1, 2))) void note(const char *text, ...);
bool is(const char *word, const char *wanted);
/* The last one of this label, or NULL. */
struct life *life_of(char label);
struct life *life_with(ward_ref who);

/* ---- children ---------------------------------------------------------------------------- */

struct child_args {
	char label, conduct;
	char starts[STARTS];
};

/* Has a child end itself. */
struct leave {
	char reason[16];
};
WARD_MESSAGE_FLAT(leave);

/* Has top ask, in the middle of a start. */
struct meanwhile {
	char what; /* T, R, D or W */
	char label;
};
WARD_MESSAGE_FLAT(meanwhile);

extern const ward_failure_class refused;

/* A specification, and what it points to. */
struct spec {
	char id[WARD_OTP_ID];
	struct child_args args;
	ward_otp_child_spec spec;
};

/* LABEL RESTART SIGNIFICANT SHUTDOWN CONDUCT TYPE STARTS */
void spec_read(struct spec *spec, char *const *words);
/* RESTART SHUTDOWN TYPE */
void spec_read_template(struct spec *spec, char *const *words);
/* LABEL CONDUCT STARTS: of a child of simple_one_for_one. */
void spec_read_simple(struct spec *spec, char *const *words);

/* ---- calls ------------------------------------------------------------------------------- */

/* Asks, as top; the answer is that line of the step; LINES_MAX: it is the state. */
void ask(ward_self *self, int line, const char *what, char *const *words);
/* What ends a question, with its tag. */
void answered(const ward_msg *msg, uint64_t tag);

#endif
