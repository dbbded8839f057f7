package io.asynq4j.cli.dash.render;

import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import java.util.ArrayList;
import java.util.List;

/** The keys, in lines. */
final class HelpViewText {

  private static final String TEXT =
      """
      Everywhere
        1 2 3 4  Tab     queues, servers, schedules, Redis
        ↑ ↓  k j         the row above or below, or scroll
        Enter            open the selected row
        Esc  q           back; from the queues: quit
        n p  PgDn PgUp   the next or previous page
        g G  Home End    the first or last row
        /                search in the list; Esc ends the search
        R  F5            look again at once
        Ctrl-L           paint the screen anew
        Ctrl-C           quit
        ?                this help

      Queues
        P                pause or resume the selected queue
        s                sort by name, size, latency, rate, failures
        f                only all, busy, paused, failing ones
        H                processed and failed on each day

      A queue
        ← →  h l         the state to the left or right
        Enter            open the task, or the group
        r a d            run, archive, delete the task
        c                cancel the active task
        Space  A         mark the task, or all that are seen, and then
        r a d c          deal with all marked ones; Esc unmarks
        f                only tasks of the selected one's type
        P  H             pause or resume the queue; its history

      A task
        v                payload and result: automatic, text, JSON, hex
        r a d c          as above

      Servers
        z                have it claim nothing more
        x                stop it

      Schedules
        P                pause or resume the entry
        r                have it enqueue its task now

      Searching tasks
        word "two words" in id, type, payload, error or headers
        type:email:*     * stands for anything
        id:abc           begins with it
        error:timeout    in the last error
        payload:text     in the payload
        $.user.id=42     at a place in a JSON payload
        header:name=x    a header
        older:1h         in its state for longer; younger:10m
        retried:3        at least so often
      Several terms have to match all. A search looks at 10,000 tasks, then n
      goes on; it is not repeated by itself, R does that.

      Whatever changes something asks first.\
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
                // Headings are short, sentences are not.
                lines.add(
                    List.of(new StyledText(line, line.length() < 20 ? Style.TAB : Style.PLAIN)));
              }
            });
    return lines;
  }
}
