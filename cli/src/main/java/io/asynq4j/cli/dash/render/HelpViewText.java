package io.asynq4j.cli.dash.render;

import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import java.util.ArrayList;
import java.util.List;

/** Text of the help view. */
final class HelpViewText {

  private static final String TEXT =
      """
      Everywhere
        1 2 3 4  Tab     queues, servers, schedules, Redis
        ↑ ↓  k j         select the row above or below, or scroll
        Enter            open the selected row
        Esc  q           go back; in the queues view: quit
        n p  PgDn PgUp   next or previous page
        g G  Home End    first or last row
        /                search the list; Esc clears the search
        R  F5            refresh now
        Ctrl-L           redraw the screen
        Ctrl-C           quit
        ?                show this help

      Queues
        P                pause or resume the selected queue
        s                sort by name, size, latency, rate, failures
        f                show all, busy, paused or failing queues
        H                show processed and failed attempts per day

      Queue
        ← →  h l         previous or next state
        Enter            open the task or group
        r a d            run, archive or delete the task
        c                cancel the active task
        Space  A         mark the task, or all visible tasks;
                         r a d c then apply to all marked tasks,
                         Esc clears the marks
        f                show only tasks of the selected type
        P  H             pause or resume the queue; show its history

      Task
        v                payload and result: automatic, text, JSON, hex
        r a d c          run, archive, delete or cancel the task

      Servers
        z                make the server stop claiming tasks
        x                stop the server

      Schedules
        P                pause or resume the entry
        r                enqueue the task of the entry now

      Searching tasks
        word "two words" in ID, type, payload, error or headers
        type:email:*     task type; * matches any characters
        id:abc           ID prefix
        error:timeout    text in the last error
        payload:text     text in the payload
        $.user.id=42     value at a path in a JSON payload
        header:name=x    header
        older:1h         longer than this in its state; also younger:10m
        retried:3        retried at least this many times
      All terms must match. A search scans 10,000 tasks; press n to
      continue. It does not refresh by itself; press R to repeat it.

      Actions that change data ask for confirmation.\
      """;

  private HelpViewText() {}

  static List<List<StyledText>> lines() {
    List<List<StyledText>> lines = new ArrayList<>();
    TEXT.lines()
        .forEach(
            line -> {
              if (line.startsWith("  ")) {
                int end = Math.min(line.length(), 19);
                lines.add(
                    List.of(
                        StyledText.bold(line.substring(0, end)),
                        StyledText.plain(line.substring(end))));
              } else {
                // Headings are short, sentences are long.
                lines.add(
                    List.of(new StyledText(line, line.length() < 20 ? Style.TAB : Style.PLAIN)));
              }
            });
    return lines;
  }
}
