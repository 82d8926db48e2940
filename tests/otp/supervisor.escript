#!/usr/bin/env escript
%% SPDX-License-Identifier: MIT
%%
%% supervisor.escript - acts scripts out on the supervisor of Erlang/OTP, and prints what happens.
%%
%% Reads scripts from its input, as README.md describes them; supervised.c does the same on ward.
%% With one scheduler (ERL_FLAGS="+S 1") an exit is known everywhere before anybody does anything
%% about it, so the collector gets starts and ends in the order in which they happen.
-mode(compile).
-export([init/1, start_child/3, child/4]).

main([]) ->
    1 = erlang:system_info(schedulers),
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    {ok, Input} = file:read_file("/dev/stdin"),
    put(printed, []),
    put(lines, string:split(binary_to_list(Input), "\n", all)),
    register(collector, spawn_link(fun() -> collect([], [], 0) end)),
    scripts().

%% ---- reading ------------------------------------------------------------------------------

%% A line, in words.
next() ->
    case get(lines) of
        [Line | Lines] when Lines =/= [] ->
            put(lines, Lines),
            string:lexemes(Line, " ");
        _ -> eof
    end.

scripts() ->
    case next() of
        eof -> ok;
        ["script", Number, Strategy, Intensity, Period, Auto] ->
            ets:new(starts, [named_table, public]), % label -> how often it was started
            ets:new(labels, [named_table, public]), % label -> pid, conduct; pid -> label
            print([["script ", Number]]),
            Flags = #{strategy => list_to_atom(Strategy),
                      intensity => list_to_integer(Intensity),
                      period => list_to_integer(Period),
                      auto_shutdown => list_to_atom(Auto)},
            {Specs, Template} = specs([], none),
            start(Flags, Specs, Template),
            ets:delete(starts),
            ets:delete(labels),
            scripts()
    end.

specs(Specs, Template) ->
    case next() of
        ["go"] -> {lists:reverse(Specs), Template};
        ["child" | Words] -> specs([spec(Words) | Specs], Template);
        ["template" | Words] -> specs([template(Words)], template)
    end.

spec([Label, Restart, Significant, Shutdown, Conduct, Type, Starts]) ->
    #{id => list_to_atom(Label),
      start => {?MODULE, start_child, [list_to_atom(Label), list_to_atom(Conduct), Starts]},
      restart => list_to_atom(Restart),
      significant => Significant =:= "1",
      shutdown => shutdown(Shutdown),
      type => list_to_atom(Type)}.

template([Restart, Shutdown, Type]) ->
    #{id => t,
      start => {?MODULE, start_child, []},
      restart => list_to_atom(Restart),
      shutdown => shutdown(Shutdown),
      type => list_to_atom(Type)}.

shutdown("brutal") -> brutal_kill;
shutdown("infinity") -> infinity;
shutdown(Ms) -> list_to_integer(Ms).

%% ---- the supervisor and its children ------------------------------------------------------

init(Arg) -> {ok, Arg}.

start_child(Label, Conduct, Starts) ->
    Count = ets:update_counter(starts, Label, 1, {Label, 0}),
    case outcome(Starts, Count) of
        $o -> proc_lib:start_link(?MODULE, child, [self(), Label, Conduct, Starts]);
        $i -> note({ignored, Label}), ignore;
        $e -> note({failed, Label}), {error, refused};
        $x -> note({failed, Label}), exit(refused);
        Call -> note({failed, Label}), note({call, Call, Label, self()}), {error, refused}
    end.

outcome([Only], _) -> Only;
outcome([First | _], 1) -> First;
outcome([_ | More], Count) -> outcome(More, Count - 1).

child(Parent, Label, Conduct, _Starts) ->
    case Conduct of
        plain -> ok;
        unlinks -> unlink(Parent);
        _ -> process_flag(trap_exit, true)
    end,
    note({started, Label, Conduct}),
    proc_lib:init_ack(Parent, {ok, self()}),
    live(Conduct, Parent).

live(Conduct, Parent) ->
    receive
        {leave, Reason} -> exit(Reason);
        {'EXIT', Parent, Reason} when Conduct =:= traps -> exit(Reason);
        {'EXIT', Parent, _} when Conduct =:= lame -> exit(odd);
        {'EXIT', _, _} -> live(Conduct, Parent)
    end.

%% ---- what happens, in order ---------------------------------------------------------------

note(What) ->
    collector ! {note, self(), What},
    receive noted -> ok end.

%% Open: how many calls were made in the middle of a start, and are not answered. It waits for nobody
%% itself, since a supervisor may wait for it.
collect(Events, Answers, Open) ->
    receive
        {note, Pid, {started, Label, Conduct}} ->
            monitor(process, Pid, [{tag, gone}]),
            ets:insert(labels, [{Label, Pid, Conduct}, {Pid, Label}]),
            Pid ! noted,
            collect([["+ ", atom_to_list(Label)] | Events], Answers, Open);
        {note, Pid, {call, Call, Label, Sup}} ->
            spawn(fun() -> call(Pid, meanwhile(Call, Label), Sup) end),
            collect(Events, Answers, Open + 1);
        {note, Pid, {What, Label}} ->
            Pid ! noted,
            collect([["! ", atom_to_list(Label), " ", atom_to_list(What)] | Events], Answers, Open);
        {answer, Text} ->
            collect(Events, [Text | Answers], Open - 1);
        {watch, Pid, Sup} ->
            monitor(process, Sup, [{tag, gone}]),
            Pid ! noted,
            collect(Events, Answers, Open);
        {gone, _, process, Pid, Reason} ->
            Who = case ets:lookup(labels, Pid) of
                      [{_, Label}] -> ["- ", atom_to_list(Label)];
                      [] -> "supervisor"
                  end,
            collect([[Who, " ", reason(Reason)] | Events], Answers, Open);
        {events, Pid} ->
            Pid ! {events, lists:reverse(Events), lists:reverse(Answers), Open},
            collect([], [], Open)
    end.

%% The supervisor, which waits, goes on when the call is in its mailbox.
call(Pid, {Name, Request}, Sup) ->
    Id = gen_server:send_request(Sup, Request),
    Pid ! noted,
    collector ! {answer, answer({Name, Id})}.

%% Calls that come while a child is started, which does not come to anything.
meanwhile($T, Label) -> {"terminate", {terminate_child, Label}};
meanwhile($R, Label) -> {"restart", {restart_child, Label}};
meanwhile($D, Label) -> {"delete", {delete_child, Label}};
meanwhile($W, _) -> {"which", which_children}.

reason({shutdown, x}) -> "shutdown_x";
reason({shutdown, _}) -> "shutdown";
reason(Reason) when is_atom(Reason) -> atom_to_list(Reason);
reason(Reason) -> io_lib:format("~0p", [Reason]).

%% ---- steps --------------------------------------------------------------------------------

start(#{strategy := Strategy} = Flags, Specs, Template) ->
    Simple = Strategy =:= simple_one_for_one,
    case supervisor:start_link(?MODULE, {Flags, Specs}) of
        {ok, Sup} ->
            collector ! {watch, self(), Sup},
            receive noted -> ok end,
            finish(Sup, Simple, []),
            steps(Sup, Simple, Template);
        {error, _} ->
            receive {'EXIT', _, _} -> ok after 0 -> ok end,
            finish(none, Simple, ["! not started"]),
            skip()
    end.

skip() ->
    case next() of
        ["end"] -> print_end();
        _ -> skip()
    end.

steps(Sup, Simple, Template) ->
    case next() of
        ["end"] ->
            receive {'EXIT', Sup, _} -> ok after 0 -> ok end,
            print_end();
        ["hold"] ->
            Held = (catch sys:suspend(Sup)),
            Requests = held(Sup, Simple, []),
            Held =:= ok andalso (catch sys:resume(Sup)),
            finish(Sup, Simple, [answer(Request) || Request <- Requests]),
            steps(Sup, Simple, Template);
        Step ->
            Done = act(Step, Sup, Simple),
            finish(Sup, Simple, [answer(Request) || Request <- [Done]]),
            steps(Sup, Simple, Template)
    end.

held(Sup, Simple, Requests) ->
    case next() of
        ["release"] -> lists:reverse(Requests);
        Step -> held(Sup, Simple, [act(Step, Sup, Simple) | Requests])
    end.

%% Gives a request whose answer is still to come, a text, or none.
act(["leave", Label, Reason], _, _) ->
    to_child(Label, fun(Pid) -> Pid ! {leave, exit_reason(Reason)} end);
act(["kill", Label], _, _) ->
    to_child(Label, fun(Pid) -> exit(Pid, kill) end);
act(["signal", Label], _, _) ->
    to_child(Label, fun(Pid) -> exit(Pid, error) end);
act(["stop"], Sup, _) ->
    exit(Sup, shutdown),
    wait(Sup),
    none;
act(["call" | Words], Sup, Simple) ->
    case request(Words, Simple) of
        none -> "? none";
        Request -> {hd(Words), gen_server:send_request(Sup, Request)}
    end.

exit_reason("shutdown_x") -> {shutdown, x};
exit_reason("fail") -> error;
exit_reason(Reason) -> list_to_atom(Reason).

to_child(Label, Do) ->
    case ets:lookup(labels, list_to_atom(Label)) of
        [{_, _, unlinks}] -> "? unlinks";
        [{_, Pid, Conduct}] ->
            case is_process_alive(Pid) of
                true ->
                    Trapped = Conduct =/= plain,
                    Do(Pid),
                    %% A signal that is trapped is nothing. What follows it tells when it was seen.
                    Trapped andalso erlang:yield(),
                    settle(Pid),
                    none;
                false -> "? gone"
            end;
        [] -> "? none"
    end.

%% Until it is dead, or waits for the next thing to do.
settle(Pid) ->
    case process_info(Pid, [status, message_queue_len]) of
        undefined -> wait(Pid);
        [{status, waiting}, {message_queue_len, 0}] -> ok;
        _ -> erlang:yield(), settle(Pid)
    end.

wait(Pid) ->
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end.

request(["start", Label, Conduct, Starts], true) ->
    {start_child, [list_to_atom(Label), list_to_atom(Conduct), Starts]};
request(["start" | Words], false) -> {start_child, spec(Words)};
request(["which"], _) -> which_children;
request(["count"], _) -> count_children;
request(["terminate", Label], true) ->
    case ets:lookup(labels, list_to_atom(Label)) of
        [{_, Pid, _}] -> {terminate_child, Pid};
        [] -> none
    end;
request(["get", Label], true) ->
    case ets:lookup(labels, list_to_atom(Label)) of
        [{_, Pid, _}] -> {get_childspec, Pid};
        [] -> none
    end;
request(["terminate", Label], false) -> {terminate_child, list_to_atom(Label)};
request(["restart", Label], _) -> {restart_child, list_to_atom(Label)};
request(["delete", Label], _) -> {delete_child, list_to_atom(Label)};
request(["get", Label], false) -> {get_childspec, list_to_atom(Label)}.

%% ---- answers ------------------------------------------------------------------------------

answer(none) -> none;
answer({What, Request}) ->
    case gen_server:receive_response(Request, infinity) of
        {reply, Reply} -> ["= ", What, " ", reply(What, Reply)];
        {error, _} -> ["= ", What, " dead"]
    end;
answer(Text) -> Text.

reply("which", Rows) -> rows(Rows);
reply("count", Counts) ->
    Numbers = [proplists:get_value(Key, Counts) || Key <- [specs, active, supervisors, workers]],
    lists:join(" ", [integer_to_list(Number) || Number <- Numbers]);
reply("get", {ok, Spec}) ->
    #{id := Id, restart := Restart, significant := Significant, shutdown := Shutdown, type := Type} = Spec,
    io_lib:format("~p ~p ~p ~p ~p", [Id, Restart, Significant, Shutdown, Type]);
reply(_, ok) -> "ok";
reply(_, {ok, undefined}) -> "ok none";
reply(_, {ok, Pid}) -> ["ok ", label(Pid)];
reply(_, {error, {already_started, Pid}}) -> ["already_started ", label(Pid)];
reply("start", {error, {Reason, {child, _, _, _, _, _, _, _, _}}}) -> reply("start", {error, Reason});
reply(_, {error, refused}) -> "start_failed";
reply(_, {error, {'EXIT', refused}}) -> "start_failed";
reply(_, {error, Reason}) when is_atom(Reason) -> atom_to_list(Reason);
reply("start", {error, {bad_combination, _}}) -> "bad_spec".

%% Those of simple_one_for_one have no order.
rows([{undefined, _, _, _} | _] = Rows) ->
    lists:join(" ", lists:sort([lists:flatten(row(Row)) || Row <- Rows]));
rows(Rows) -> lists:join(" ", [row(Row) || Row <- Rows]).

row({Id, State, _, _}) when is_atom(State) -> [name(Id), ":", atom_to_list(State)];
row({Id, Pid, _, _}) -> [name(Id), ":", label(Pid)].

name(undefined) -> "t";
name(Id) -> atom_to_list(Id).

label(Pid) ->
    [{_, Label}] = ets:lookup(labels, Pid),
    atom_to_list(Label).

%% ---- the end of a step --------------------------------------------------------------------

%% Waits until all is quiet; prints what has happened, what was answered, and how it stands.
finish(Sup, Simple, Answers) ->
    {Rows, Events, Meanwhile} = quiet(Sup, [], []),
    print(if Simple, Rows =:= dead -> lists:sort([lists:flatten(E) || E <- Events]); true -> Events end),
    print([Answer || Answer <- Answers ++ Meanwhile, Answer =/= none]),
    print([state(Rows)]).

%% Written when the script is over: that is faster by far.
print(Lines) -> put(printed, [get(printed) | [[Line, "\n"] || Line <- Lines]]).

print_end() ->
    io:put_chars([get(printed), "end\n"]),
    put(printed, []).

state(dead) -> "# dead";
state(Rows) ->
    Dead = [Pid || {_, Pid, _, _} <- Rows, is_pid(Pid), not is_process_alive(Pid)],
    ["# ", rows(Rows), [[" and dead: ", label(Pid)] || Pid <- Dead]].

%% A call is answered behind all that was in the mailbox before; but a restart that has failed is
%% tried again behind it, and so are calls answered that have come in the middle of a start.
quiet(Sup, Before, Answered) ->
    Rows = children(Sup),
    collector ! {events, self()},
    {Events, Meanwhile, Open} = receive {events, List, More, Left} -> {List, More, Left} end,
    All = Before ++ Events,
    Answers = Answered ++ Meanwhile,
    Restarting = Rows =/= dead andalso lists:keymember(restarting, 2, Rows),
    case Restarting orelse Meanwhile =/= [] orelse Open > 0 of
        true -> quiet(Sup, All, Answers);
        false -> {Rows, All, Answers}
    end.

children(none) -> dead;
children(Sup) ->
    case catch gen_server:call(Sup, which_children, infinity) of
        Rows when is_list(Rows) -> Rows;
        {'EXIT', _} -> wait(Sup), dead
    end.
