/* SPDX-License-Identifier: MIT
 *
 * pty.c - pty COMMAND [ARGUMENT...]: runs it with a terminal as its output and its errors, and
 * prints what it writes there. Signals that would end us go to the command; its exit status is
 * ours. pty --mute COMMAND...: only its output is a terminal, and nobody reads that.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t command;

static void pass_on(int number)
{
	kill(command, number);
}

static int open_terminal(char **ret_name)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 ||
	    ioctl(terminal, TIOCSWINSZ, &size) != 0 || !(*ret_name = ptsname(terminal))) {
		perror("pty");
		exit(99);
	}
	return terminal;
}

static void run(const char *name, bool mute, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int output = open(name, O_WRONLY | O_NOCTTY);
	if (output >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    (mute || dup2(output, STDERR_FILENO) >= 0))
		execvp(argv[0], argv);
	perror("pty");
	_exit(99);
}

int main(int argc, char **argv)
{
	char *name, buffer[4096];
	int terminal = open_terminal(&name), status;
	ssize_t got;

	bool mute = argc > 2 && strcmp(argv[1], "--mute") == 0;
	if (argc < 2)
		return 99;
	command = fork();
	if (command == 0)
		run(name, mute, argv + (mute ? 2 : 1));
	signal(SIGTERM, pass_on);
	signal(SIGINT, pass_on);
	while (mute && waitpid(command, &status, 0) != command)
		;
	/* EIO: nobody has the other end open any more. Before it was opened that may be, too. */
	while (!mute) {
		got = read(terminal, buffer, sizeof(buffer));
		if (got > 0)
			got = write(STDOUT_FILENO, buffer, (size_t)got);
		else if (got < 0 && errno == EINTR)
			continue;
		else if (waitpid(command, &status, WNOHANG) == command)
			break;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
