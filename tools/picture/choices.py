# SPDX-License-Identifier: MIT
"""choices.py - questions from top to bottom, each with an answer at its right.

    ask Is the state still sound?
    then `WARD_RESUME` / it goes on   the result if the answer is yes
    else `WARD_RESTART`               the result if all answers are no
"""

from picture import svg

QUESTION, ANSWER, PAD = 262, 206, 10
RIGHT = svg.WIDTH - ANSWER - 1


def height(lines):
    return len(lines) * svg.LEADING + 2 * PAD - 2


def boxed(x, y, width, high, lines, kind):
    yield svg.box(x, y, width, high, kind, 8)
    top = y + (high - len(lines) * svg.LEADING) / 2 + 14
    for index, words in enumerate(lines):
        yield svg.text(x + PAD + 2, top + index * svg.LEADING, words, "small")


def draw(source):
    """Returns the drawing and its height."""
    said, y, question = [], 2.0, []
    for line in source.lines:
        if line.word == "ask":
            question = svg.wrap(line.rest, QUESTION - 2 * PAD - 4, svg.SMALL)
            continue
        room = QUESTION if line.word == "else" else ANSWER
        answer = svg.wrap(line.rest, room - 2 * PAD - 4, svg.SMALL)
        if line.word == "then" and question:
            high = max(height(question), height(answer))
            middle = y + high / 2
            said += boxed(1, y, QUESTION, high, question, "decides")
            said += boxed(RIGHT, y, ANSWER, high, answer, "box")
            said.append(svg.arrow([(QUESTION + 2, middle), (RIGHT - 2, middle)]))
            said.append(svg.text((QUESTION + RIGHT) / 2 - 4, middle - 6, "yes", "small", "middle"))
            said.append(svg.arrow([(40, y + high + 1), (40, y + high + 27)]))
            said.append(svg.text(50, y + high + 19, "no", "small"))
            y += high + 29
        elif line.word == "else":
            said += boxed(1, y, QUESTION, height(answer), answer, "box")
            y += height(answer)
        else:
            raise line.wrong("is no question and no answer")
        question = []
    return said, y + 3
