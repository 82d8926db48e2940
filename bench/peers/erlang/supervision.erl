%% SPDX-License-Identifier: MIT
%%
%% supervision.erl - failing and starting afresh, and being told of an end.
-module(supervision).

-export([restart_otp/1, restart_hand/1, deathwatch/1, storm/1, storm_5000/1]).
-behaviour(supervisor).
-export([init/1, start_child/2, start_sibling/1]).

%% ---- restarts by OTP's supervisor --------------------------------------------------------------

%% It keeps the times of all restarts within its period, and goes through them at each new one: so a
%% supervisor makes 200 restarts here and then gives place to a fresh one, which is its best case.
restart_otp(N) ->
    Lives = 200,
    Rounds = max(1, N div Lives),
    Ns = bench:elapsed(fun() ->
        process_flag(trap_exit, true),
        [supervise(Lives) || _ <- lists:seq(1, Rounds)]
    end),
    bench:report("restart_otp", Ns / (Rounds * Lives), "ns").

supervise(Lives) ->
    Left = counters:new(1, []),
    counters:put(Left, 1, Lives),
    {ok, Supervisor} = supervisor:start_link(?MODULE, {self(), Left}),
    bench:wait(done, 1),
    exit(Supervisor, shutdown),
    receive
        {'EXIT', Supervisor, _} -> ok
    end.

init({storm, Parent, Siblings}) ->
    {ok, {#{strategy => one_for_all, intensity => 100000000, period => 1},
          [#{id => Id, start => {?MODULE, start_sibling, [Parent]}, shutdown => brutal_kill}
           || Id <- lists:seq(1, Siblings)]}};
init(Args) ->
    {ok, {#{strategy => one_for_one, intensity => 100000000, period => 1},
          [#{id => child, start => {?MODULE, start_child, tuple_to_list(Args)},
             shutdown => brutal_kill}]}}.

%% A life: handles the message that makes it fail. The one after the last restart stays.
start_child(Parent, Left) ->
    Child = spawn_link(fun failing/0),
    case counters:get(Left, 1) of
        0 ->
            Parent ! done;
        _ ->
            counters:sub(Left, 1, 1),
            Child ! fail
    end,
    {ok, Child}.

failing() ->
    receive
        fail -> exit(failed)
    end.

%% ---- restarts by hand --------------------------------------------------------------------------

%% The least that a parent can do: link, trap exits, spawn again.
restart_hand(N) ->
    Ns = bench:elapsed(fun() ->
        process_flag(trap_exit, true),
        restart(N)
    end),
    bench:report("restart_hand", Ns / N, "ns").

restart(0) ->
    ok;
restart(Left) ->
    Child = spawn_link(fun failing/0),
    Child ! fail,
    receive
        {'EXIT', Child, failed} -> restart(Left - 1)
    end.

%% ---- all siblings fail together, and are restarted as one ---------------------------------------

storm(Rounds) ->
    storm("storm", 1000, Rounds).

storm_5000(Rounds) ->
    storm("storm_5000", 5000, Rounds).

storm(Name, Siblings, Rounds) ->
    Ns = bench:elapsed(fun() ->
        process_flag(trap_exit, true),
        {ok, _} = supervisor:start_link(?MODULE, {storm, self(), Siblings}),
        storms(Siblings, Rounds)
    end),
    bench:report(Name, Ns / (Siblings * Rounds), "ns").

storms(Siblings, 0) ->
    all_up(Siblings);
storms(Siblings, Left) ->
    [Pid ! fail || Pid <- all_up(Siblings)],
    storms(Siblings, Left - 1).

all_up(Siblings) ->
    [receive {up, Pid} -> Pid end || _ <- lists:seq(1, Siblings)].

start_sibling(Parent) ->
    Child = spawn_link(fun failing/0),
    Parent ! {up, Child},
    {ok, Child}.

%% ---- spawn, watch, end, notice -----------------------------------------------------------------

deathwatch(N) ->
    Ns = bench:elapsed(fun() -> watch(N) end),
    bench:report("deathwatch", Ns / N, "ns").

watch(0) ->
    ok;
watch(Left) ->
    {Child, Watch} = spawn_monitor(fun stopping/0),
    Child ! stop,
    receive
        {'DOWN', Watch, process, Child, normal} -> watch(Left - 1)
    end.

stopping() ->
    receive
        stop -> ok
    end.
