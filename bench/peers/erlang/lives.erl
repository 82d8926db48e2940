%% SPDX-License-Identifier: MIT
%%
%% lives.erl - what it costs that a process is there: to begin, to end, and to wait in memory.
-module(lives).

-export([fjcreate/1, children/1, mem/1, mem_hibernated/1]).

%% Each gets one message, and ends with it.
fjcreate(N) ->
    Left = atomics:new(1, []),
    atomics:put(Left, 1, N),
    Ns = bench:elapsed(fun() ->
        Self = self(),
        fork(Self, Left, N),
        bench:wait(done, 1)
    end),
    bench:report("fjcreate", Ns / N, "ns").

fork(_Parent, _Left, 0) ->
    ok;
fork(Parent, Left, Count) ->
    spawn(fun() -> once(Parent, Left) end) ! work,
    fork(Parent, Left, Count - 1).

once(Parent, Left) ->
    receive
        work -> _ = math:sin(1.0)
    end,
    leave(Parent, Left).

%% The last one says so.
leave(Parent, Left) ->
    case atomics:sub_get(Left, 1, 1) of
        0 -> Parent ! done;
        _ -> ok
    end.

%% All live at the same time; then all are told to stop.
children(N) ->
    Left = atomics:new(1, []),
    atomics:put(Left, 1, N),
    Ns = bench:elapsed(fun() ->
        Self = self(),
        Pids = [spawn_link(fun() -> until_stop(Self, Left) end) || _ <- lists:seq(1, N)],
        [Pid ! stop || Pid <- Pids],
        bench:wait(done, 1)
    end),
    bench:report("children", Ns / N, "ns").

until_stop(Parent, Left) ->
    receive
        stop -> leave(Parent, Left)
    end.

%% Resident bytes of an idle process that has handled one message and keeps four words.
mem(N) ->
    kept("mem", fun idle/1, N).

%% Those that hibernate have given back what their heap had left, and wake more slowly.
mem_hibernated(N) ->
    kept("mem_hibernated", fun sleepy/1, N).

kept(Name, Idle, Count) ->
    Before = resident(),
    Holder = spawn_link(fun() -> hold(Idle, Count) end),
    Holder ! {ready, self()},
    bench:wait(ready, 1),
    bench:report(Name, (resident() - Before) / Count, "bytes").

%% They are made in waves: so few messages are under way, and what is measured are processes. Their
%% pids are no part of the figure, so nobody keeps them.
hold(Idle, Count) ->
    waves(Idle, Count),
    garbage_collect(),
    receive
        {ready, Parent} -> Parent ! ready
    end,
    receive
        never -> ok
    end.

waves(_Idle, 0) ->
    ok;
waves(Idle, Left) ->
    Wave = min(Left, 1000),
    Self = self(),
    [spawn_link(fun() -> Idle({Left, Number, Number, Self}) end) ! {hello, Self}
     || Number <- lists:seq(1, Wave)],
    bench:wait(hello_too, Wave),
    waves(Idle, Left - Wave).

idle(State) ->
    receive
        {hello, From} -> From ! hello_too
    end,
    receive
        never -> State
    end.

sleepy(State) ->
    receive
        {hello, From} -> From ! hello_too
    end,
    erlang:hibernate(erlang, element, [1, State]).

resident() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = string:lexemes(binary_to_list(Text), " "),
    list_to_integer(Pages) * 4096.
