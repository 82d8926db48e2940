#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# listener.py CHAPTER SOURCE - makes a program of the C of chapter 3 up to its signals: the listener
# and its peers, two of them at most, on a free port, which the program prints.
import re
import sys
from pathlib import Path

BEFORE = """\
#include <stdio.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int listen_and_tell(int fd, int backlog)
{
	struct sockaddr_in at;
	socklen_t size = sizeof at;
	int result = listen(fd, backlog);

	if (result == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0)
		printf("%d\\n", ntohs(at.sin_port));
	fflush(stdout);
	return result;
}
#define listen listen_and_tell
"""
AFTER = """
int main(void)
{
	return ward_main(&listener);
}
"""


def replaced(text, old, new):
    if text.count(old) != 1:
        sys.exit(f"the chapter does not have {old!r} once")
    return text.replace(old, new)


chapter, source = map(Path, sys.argv[1:])
text = chapter.read_text().split("\n## Signals\n")[0]
text = "".join(re.findall(r"^```c\n(.*?)^```$", text, re.S | re.M))
text = replaced(text, "CONNECTIONS_MAX = 500", "CONNECTIONS_MAX = 2")
text = replaced(text, "htons(7007)", "0")
source.write_text(BEFORE + text + AFTER)
