package io.asynq4j.testing.internal;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The messages of failed assertions, with the nearest tasks and their differences. Immutable. */
public final class Description {

  private static final int MOST_TASKS = 5;
  private static final int LONGEST_INPUT = 200;

  private final String type;
  private final Set<TaskState> states;
  private final List<TaskInfo> all;
  private final Clock clock;
  private final String hint;

  /**
   * @param all all tasks in Redis
   * @param hint why tasks may be missing, see {@link StoredTasks#hint}
   */
  public Description(
      String type, Set<TaskState> states, List<TaskInfo> all, Clock clock, String hint) {
    this.hint = hint;
    this.type = type;
    this.states = states;
    this.all = all;
    this.clock = clock;
  }

  /** Returns the message if no task meets the conditions. */
  public String missing(List<TaskInfo> candidates, List<Condition> conditions) {
    return "Expected a task %s%s, found none.%s%s%s"
        .formatted(type, expected(conditions), nearest(candidates, conditions), others(), hint);
  }

  /** Returns the message if another number of tasks meets the conditions. */
  public String wrongNumber(
      int expected, List<TaskInfo> found, List<TaskInfo> candidates, List<Condition> conditions) {
    List<TaskInfo> rest = candidates.stream().filter(task -> !found.contains(task)).toList();
    return "Expected %s %s%s, found %d:%s%s%s%s"
        .formatted(
            expected == 1 ? "1 task" : expected + " tasks",
            type,
            expected(conditions),
            found.size(),
            lines(found, clock),
            nearest(rest, conditions),
            others(),
            found.size() < expected ? hint : "");
  }

  private String expected(List<Condition> conditions) {
    String text = conditions.stream().map(Condition::expected).collect(Collectors.joining(", "));
    String state =
        states.size() == 1 ? " in state " + states.iterator().next().word() : " that waits";
    return state + (text.isEmpty() ? "" : " with " + text);
  }

  private String nearest(List<TaskInfo> candidates, List<Condition> conditions) {
    if (candidates.isEmpty()) {
      return "";
    }
    Comparator<TaskInfo> distance =
        Comparator.comparing(
            task -> conditions.stream().filter(condition -> !condition.holds(task)).count());
    StringBuilder text = new StringBuilder("\nThe nearest of %d:".formatted(candidates.size()));
    candidates.stream()
        .sorted(distance)
        .limit(MOST_TASKS)
        .forEach(
            task -> {
              text.append("\n  ").append(line(task, clock));
              conditions.stream()
                  .filter(condition -> !condition.holds(task))
                  .forEach(
                      condition ->
                          text.append(
                              "\n    expected %s, but %s"
                                  .formatted(condition.expected(), condition.difference(task))));
            });
    return text.toString();
  }

  /** Returns the tasks that the assertion does not concern: in other states, of other types. */
  private String others() {
    List<TaskInfo> elsewhere =
        all.stream()
            .filter(task -> task.type().equals(type) && !states.contains(task.state()))
            .toList();
    Map<String, Long> types =
        all.stream()
            .filter(task -> !task.type().equals(type))
            .collect(
                Collectors.groupingBy(
                    task -> task.type() + " (" + task.state().word() + ")",
                    TreeMap::new,
                    Collectors.counting()));
    String text = elsewhere.isEmpty() ? "" : "\nIn other states:" + lines(elsewhere, clock);
    return types.isEmpty()
        ? text
        : text
            + "\nOther types: "
            + types.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
  }

  /** Returns one line per task. */
  public static String lines(List<TaskInfo> tasks, Clock clock) {
    String lines =
        tasks.stream()
            .limit(MOST_TASKS)
            .map(task -> "\n  " + line(task, clock))
            .collect(Collectors.joining());
    return tasks.size() > MOST_TASKS
        ? lines + "\n  … and %d more".formatted(tasks.size() - MOST_TASKS)
        : lines;
  }

  private static String line(TaskInfo task, Clock clock) {
    StringBuilder text =
        new StringBuilder(
            "%s %s, queue %s, %s"
                .formatted(task.type(), task.id(), task.queue(), task.state().word()));
    if (task.state() == TaskState.SCHEDULED || task.state() == TaskState.RETRY) {
      text.append(", due ").append(Conditions.when(clock, task.nextProcessAt()));
    }
    if (!task.group().isEmpty()) {
      text.append(", group ").append(task.group());
    }
    if (task.retried() > 0) {
      text.append(", retried ").append(task.retried());
    }
    if (!task.headers().isEmpty()) {
      text.append(", headers ").append(new TreeMap<>(task.headers()));
    }
    if (!task.lastError().isEmpty()) {
      text.append(", error \"").append(task.lastError()).append('"');
    }
    return text.append(", payload ").append(payload(task)).toString();
  }

  private static String payload(TaskInfo task) {
    String text = new String(task.payload().bytes(), StandardCharsets.UTF_8);
    if (text.chars().anyMatch(c -> c < ' ' || c == 0xFFFD)) {
      return task.payload().size() + " bytes";
    }
    return shortened(text);
  }

  /** Returns an input for messages. */
  static String input(@Nullable Object value) {
    return value instanceof byte[] bytes
        ? bytes.length + " bytes"
        : shortened(String.valueOf(value));
  }

  private static String shortened(String text) {
    return text.codePointCount(0, text.length()) > LONGEST_INPUT
        ? text.substring(0, text.offsetByCodePoints(0, LONGEST_INPUT)) + "…"
        : text;
  }
}
