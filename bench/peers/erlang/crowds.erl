%% SPDX-License-Identifier: MIT
%%
%% crowds.erl - a hundred processes that all talk: to a random one, or through one in the middle.
-module(crowds).

-export([big/1, chameneos/1]).

%% ---- big: each of 120 asks a random other, again and again -------------------------------------

big(N) ->
    Ns = bench:elapsed(fun() ->
        Self = self(),
        All = list_to_tuple([spawn_link(fun() -> big_start(Self, Seed, N) end)
                             || Seed <- lists:seq(1, 120)]),
        [Pid ! {go, All} || Pid <- tuple_to_list(All)],
        bench:wait(done, 120),
        [Pid ! stop || Pid <- tuple_to_list(All)]
    end),
    %% A ping and its answer.
    bench:report("big", Ns / (2 * 120 * N), "ns").

big_start(Parent, Seed, Pings) ->
    receive
        {go, All} ->
            Random = big_send(All, Seed * 2654435761 + 1),
            big_loop(Parent, All, Random, Pings)
    end.

%% A generator as cheap as everybody's here; rand would cost more than the message.
big_send(All, Random) ->
    Next = (Random * 1103515245 + 12345) band 16#ffffffff,
    element((Next bsr 8) rem 120 + 1, All) ! {ping, self()},
    Next.

big_loop(Parent, All, Random, Left) ->
    receive
        {ping, From} ->
            From ! pong,
            big_loop(Parent, All, Random, Left);
        pong when Left =:= 1 ->
            Parent ! done,
            big_loop(Parent, All, Random, 0);
        pong ->
            big_loop(Parent, All, big_send(All, Random), Left - 1);
        stop ->
            ok
    end.

%% ---- chameneos: 100 meet in pairs at a mall ----------------------------------------------------

chameneos(N) ->
    Ns = bench:elapsed(fun() ->
        Self = self(),
        spawn_link(fun() ->
            Mall = self(),
            [spawn_link(fun() -> creature(Mall, Number rem 3) end)
             || Number <- lists:seq(0, 99)],
            mall(N, 100),
            Self ! done
        end),
        bench:wait(done, 1)
    end),
    bench:report("chameneos", Ns / N, "ns").

mall(0, 0) ->
    ok;
mall(0, Here) ->
    receive
        {meet, Pid, _} ->
            Pid ! stop,
            mall(0, Here - 1)
    end;
mall(Left, Here) ->
    receive
        {meet, First, Colour} ->
            receive
                {meet, Second, Other} ->
                    First ! {met, Other},
                    Second ! {met, Colour},
                    mall(Left - 1, Here)
            end
    end.

creature(Mall, Colour) ->
    Mall ! {meet, self(), Colour},
    receive
        {met, Other} -> creature(Mall, complement(Colour, Other));
        stop -> ok
    end.

complement(Same, Same) -> Same;
complement(A, B) -> 3 - A - B.
