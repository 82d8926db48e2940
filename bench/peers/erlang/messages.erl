%% SPDX-License-Identifier: MIT
%%
%% messages.erl - what a message costs: between two, around a ring, from one to many, from many to one.
-module(messages).

-export([pingpong/1, pingpong4/1, threadring/1, fjthroughput/1]).
-export([body/3]).
-export([counting/1, counting_off_heap/1, mpsc/1, mpsc_off_heap/1]).

%% ---- two that answer each other ---------------------------------------------------------------

pingpong(N) ->
    pairs("pingpong", 1, N).

pingpong4(N) ->
    pairs("pingpong4", 4, N).

pairs(Name, Pairs, Rounds) ->
    Ns = bench:elapsed(fun() ->
        Self = self(),
        [spawn_link(fun() -> ping(Self, spawn_link(fun pong/0), Rounds) end)
         || _ <- lists:seq(1, Pairs)],
        bench:wait(done, Pairs)
    end),
    bench:report(Name, Ns / (2 * Pairs * Rounds), "ns").

ping(Parent, Pong, 0) ->
    Pong ! stop,
    Parent ! done;
ping(Parent, Pong, Left) ->
    Pong ! {ping, self()},
    receive
        pong -> ping(Parent, Pong, Left - 1)
    end.

pong() ->
    receive
        {ping, From} ->
            From ! pong,
            pong();
        stop ->
            ok
    end.

%% ---- one stream -------------------------------------------------------------------------------

%% Where many messages wait, the manual advises to keep them off the heap; here either may win.
counting(N) ->
    count_all("counting", on_heap, 1, N).

counting_off_heap(N) ->
    count_all("counting_off_heap", off_heap, 1, N).

%% Many streams into one.
mpsc(N) ->
    count_all("mpsc", on_heap, 100, N div 100).

mpsc_off_heap(N) ->
    count_all("mpsc_off_heap", off_heap, 100, N div 100).

count_all(Name, Where, Producers, Each) ->
    Ns = bench:elapsed(fun() ->
        Self = self(),
        Counter = spawn_opt(fun() -> count(Self, Producers * Each) end,
                            [link, {message_queue_data, Where}]),
        [spawn_link(fun() -> produce(Counter, Each) end) || _ <- lists:seq(1, Producers)],
        bench:wait(done, 1)
    end),
    bench:report(Name, Ns / (Producers * Each), "ns").

count(Parent, 0) ->
    Parent ! done;
count(Parent, Left) ->
    receive
        {count, _} -> count(Parent, Left - 1)
    end.

produce(_Counter, 0) ->
    ok;
produce(Counter, Left) ->
    Counter ! {count, Left},
    produce(Counter, Left - 1).

%% ---- a ring of 100 ----------------------------------------------------------------------------

threadring(N) ->
    Ns = bench:elapsed(fun() ->
        Self = self(),
        Last = spawn_link(fun() -> ring_last(Self) end),
        First = lists:foldl(fun(_, Next) -> spawn_link(fun() -> ring(Self, Next) end) end,
                            Last, lists:seq(1, 99)),
        Last ! {next, First},
        First ! N,
        bench:wait(done, 1)
    end),
    bench:report("threadring", Ns / N, "ns").

ring_last(Parent) ->
    receive
        {next, First} -> ring(Parent, First)
    end.

ring(Parent, Next) ->
    receive
        0 ->
            Parent ! done;
        Left ->
            Next ! Left - 1,
            ring(Parent, Next)
    end.

%% ---- from one to 60 ---------------------------------------------------------------------------

fjthroughput(N) ->
    Ns = bench:elapsed(fun() ->
        Self = self(),
        Workers = [spawn_link(fun() -> work(Self, N) end) || _ <- lists:seq(1, 60)],
        fan(Workers, N),
        bench:wait(done, 60)
    end),
    bench:report("fjthroughput", Ns / (60 * N), "ns").

work(Parent, 0) ->
    Parent ! done;
work(Parent, Left) ->
    receive
        {work, _} -> work(Parent, Left - 1)
    end.

fan(_Workers, 0) ->
    ok;
fan(Workers, Left) ->
    [Worker ! {work, Left} || Worker <- Workers],
    fan(Workers, Left - 1).

%% ---- bodies that are copied at each message, in four pairs ------------------------------------------

%% A binary as large as that is shared by all who get it: so whoever sends it makes a copy.
body(Name, Size, Rounds) ->
    Body = binary:copy(<<1>>, Size),
    Ns = bench:elapsed(fun() ->
        Self = self(),
        [spawn_link(fun() ->
            body_ping(Self, spawn_link(fun() -> body_pong(Body) end), Body, Rounds)
         end) || _ <- lists:seq(1, 4)],
        bench:wait(done, 4)
    end),
    bench:report(Name, Ns / (2 * 4 * Rounds), "ns").

body_ping(Parent, Pong, _Body, 0) ->
    Pong ! stop,
    Parent ! done;
body_ping(Parent, Pong, Body, Left) ->
    Pong ! {ping, self(), binary:copy(Body)},
    receive
        {pong, _} -> body_ping(Parent, Pong, Body, Left - 1)
    end.

body_pong(Body) ->
    receive
        {ping, From, _} ->
            From ! {pong, binary:copy(Body)},
            body_pong(Body);
        stop ->
            ok
    end.
