%% SPDX-License-Identifier: MIT
%%
%% sockets.erl - echo servers: a process for each connection, their client in a program of its own.
-module(sockets).

-export([echo/4, echo_busy/4, lines/4, mem_lines/3, sleep/2]).

%% Active: what a process does to get data, true or once.
echo(Name, Connections, Active, Ms) ->
    serve(Name, Connections, Ms, raw(), fun(Socket) -> connection(Socket, Active) end).

raw() ->
    [{packet, raw}].

%% Beside four pairs that play without rest.
echo_busy(Name, Connections, Active, Ms) ->
    [spawn_link(fun() -> ping(spawn_link(fun pong/0)) end) || _ <- lists:seq(1, 4)],
    echo(Name, Connections, Active, Ms).

ping(Pong) ->
    Pong ! {ping, self()},
    receive
        pong -> ping(Pong)
    end.

pong() ->
    receive
        {ping, From} ->
            From ! pong,
            pong()
    end.

%% Session is called with the socket, in its process.
serve(Name, Connections, Ms, Options, Session) ->
    {ok, Listening} = gen_tcp:listen(0, Options ++ [binary, {ip, {127, 0, 0, 1}}, {backlog, 1024},
                                                    {nodelay, true}, {active, false}]),
    {ok, Port} = inet:port(Listening),
    spawn_link(fun() -> accept(Listening, Session) end),
    client([Name, integer_to_list(Port), integer_to_list(Connections), integer_to_list(Ms),
            os:getpid(), integer_to_list(erlang:system_info(schedulers))]).

accept(Listening, Session) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Pid = spawn(fun() -> receive go -> Session(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid ! go,
    accept(Listening, Session).

connection(Socket, Active) ->
    ok = inet:setopts(Socket, [{active, Active}]),
    answer(Socket, Active).

answer(Socket, Active) ->
    receive
        {tcp, Socket, Data} ->
            ok = gen_tcp:send(Socket, Data),
            Active =:= once andalso inet:setopts(Socket, [{active, once}]),
            answer(Socket, Active);
        {tcp_closed, Socket} ->
            ok
    end.

%% The same by lines. A connection on which nothing comes for a minute is ended, and one that does not
%% read after 30 s; a line has at most 4096 bytes.
lines(Name, Connections, Active, Ms) ->
    serve(Name, Connections, Ms, by_line(), fun(Socket) -> line_session(Socket, Active) end).

by_line() ->
    [{packet, line}, {buffer, 4096}, {send_timeout, 30000}, {send_timeout_close, true}].

-define(IDLE_MS, 60000).

line_session(Socket, Active) ->
    ok = inet:setopts(Socket, [{active, Active}]),
    answer_lines(Socket, Active).

answer_lines(Socket, Active) ->
    receive
        {tcp, Socket, Line} ->
            ok = gen_tcp:send(Socket, Line),
            Active =:= once andalso inet:setopts(Socket, [{active, once}]),
            answer_lines(Socket, Active);
        {tcp_closed, Socket} ->
            ok;
        {tcp_error, Socket, _} ->
            ok
    after ?IDLE_MS ->
        gen_tcp:close(Socket)
    end.

%% The memory of idle connections; How: awake, or hibernated between two lines, with a timer then.
mem_lines(Name, How, Connections) ->
    serve(Name, Connections, 0, by_line(),
          case How of
              awake -> fun(Socket) -> line_session(Socket, once) end;
              hibernated -> fun(Socket) -> fall_asleep(Socket) end
          end).

fall_asleep(Socket) ->
    ok = inet:setopts(Socket, [{active, once}]),
    Timer = erlang:start_timer(?IDLE_MS, self(), idle),
    erlang:hibernate(?MODULE, sleep, [Socket, Timer]).

sleep(Socket, Timer) ->
    receive
        {tcp, Socket, Line} ->
            erlang:cancel_timer(Timer),
            ok = gen_tcp:send(Socket, Line),
            fall_asleep(Socket);
        {timeout, Timer, idle} ->
            gen_tcp:close(Socket);
        {tcp_closed, Socket} ->
            ok;
        {tcp_error, Socket, _} ->
            ok
    end.

%% Runs it to its end, and prints its figures.
client(Args) ->
    Path = filename:join([filename:dirname(code:which(?MODULE)), "..", "echo", "echo-client"]),
    Port = open_port({spawn_executable, Path}, [{args, Args}, {line, 256}, exit_status]),
    client_says(Port).

client_says(Port) ->
    receive
        {Port, {data, {eol, "begin"}}} ->
            client_says(Port);
        {Port, {data, {eol, Line}}} ->
            io:format("~s~n", [Line]),
            client_says(Port);
        {Port, {exit_status, 0}} ->
            ok
    end.
