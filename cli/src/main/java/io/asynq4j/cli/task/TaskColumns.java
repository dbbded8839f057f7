package io.asynq4j.cli.task;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.output.AnsiColors;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.DecodedPayload;
import io.asynq4j.cli.output.TimeFormatter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Columns of a task. */
final class TaskColumns {

  private final Instant now;

  TaskColumns(Instant now) {
    this.now = now;
  }

  /** Columns for a list of tasks in one state. */
  List<Column<TaskInfo>> list(TaskState state) {
    List<Column<TaskInfo>> shown = new ArrayList<>();
    shown.add(id());
    shown.add(type());
    shown.add(payload().mayBeLeftOut());
    switch (state) {
      case AGGREGATING -> shown.add(group());
      case SCHEDULED -> shown.add(due("Process in"));
      case RETRY -> {
        shown.add(due("Next retry"));
        shown.add(error());
        shown.add(failedAt().mayBeLeftOut());
        shown.add(retried().mayBeLeftOut());
      }
      case ARCHIVED -> {
        shown.add(failedAt());
        shown.add(error());
      }
      case COMPLETED -> {
        shown.add(time("Completed", "completed_at", TaskInfo::completedAt));
        shown.add(text("Result", TaskInfo::result));
      }
      case ACTIVE -> shown.add(progress());
      case PENDING -> shown.add(since());
    }
    return withTheRest(shown);
  }

  /** Columns for tasks of all states and queues. */
  List<Column<TaskInfo>> search() {
    return withTheRest(
        List.of(
            id(),
            queue(),
            state(),
            type(),
            error().mayBeLeftOut(),
            since().mayBeLeftOut(),
            retried().mayBeLeftOut(),
            payload().mayBeLeftOut()));
  }

  /** Adds the columns that only JSON and CSV have. */
  private List<Column<TaskInfo>> withTheRest(List<Column<TaskInfo>> shown) {
    List<Column<TaskInfo>> columns = new ArrayList<>(shown);
    List<String> keys = shown.stream().map(Column::key).toList();
    data().stream().filter(column -> !keys.contains(column.key())).forEach(columns::add);
    return columns;
  }

  /** All columns, for one task. */
  List<Column<TaskInfo>> all(AnsiColors colors) {
    List<Column<TaskInfo>> columns = new ArrayList<>();
    columns.add(queue());
    columns.add(id());
    columns.add(type());
    columns.add(state());
    columns.add(fullTime("Since", "since", TaskInfo::since));
    columns.add(
        Column.<TaskInfo>of("Retried", "retried", TaskInfo::retried)
            .shownAs(task -> task.retried() + "/" + task.maxRetry()));
    columns.add(fullTime("Next process time", "next_process_at", TaskInfo::nextProcessAt));
    columns.add(Column.of("Timeout", "timeout_seconds", TaskInfo::timeout));
    columns.add(fullTime("Deadline", "deadline", TaskInfo::deadline));
    columns.add(
        Column.of(
            "Retention",
            "retention_seconds",
            task -> task.retention().isZero() ? null : task.retention()));
    columns.add(group());
    columns.add(Column.of("Unique lock", "unique_key", task -> orNull(task.uniqueKey())));
    columns.add(Column.of("Headers", "headers", TaskColumns::headers));
    columns.add(progress());
    columns.add(
        Column.of("Crashes", "crashes", task -> task.crashes() == 0 ? null : task.crashes()));
    columns.add(Column.of("Orphaned", "orphaned", task -> task.orphaned() ? Boolean.TRUE : null));
    columns.add(error());
    columns.add(fullTime("Last failed", "last_failed_at", TaskInfo::lastFailedAt));
    columns.add(fullTime("Completed", "completed_at", TaskInfo::completedAt));
    columns.add(block("Payload", TaskInfo::payload, colors));
    columns.add(block("Result", TaskInfo::result, colors));
    return withTheRest(columns);
  }

  private List<Column<TaskInfo>> data() {
    List<Column<TaskInfo>> columns = new ArrayList<>();
    for (Column<TaskInfo> column :
        List.of(queue(), id(), type(), state(), group(), error(), progress())) {
      columns.add(Column.data(column.key(), column.value()));
    }
    columns.add(Column.data("retried", TaskInfo::retried));
    columns.add(Column.data("max_retry", TaskInfo::maxRetry));
    columns.add(Column.data("since", TaskInfo::since));
    columns.add(Column.data("next_process_at", TaskInfo::nextProcessAt));
    columns.add(Column.data("last_failed_at", TaskInfo::lastFailedAt));
    columns.add(Column.data("completed_at", TaskInfo::completedAt));
    columns.add(Column.data("timeout_seconds", TaskInfo::timeout));
    columns.add(Column.data("deadline", TaskInfo::deadline));
    columns.add(Column.data("retention_seconds", TaskInfo::retention));
    columns.add(Column.data("headers", TaskColumns::headers));
    columns.add(Column.data("unique_key", task -> orNull(task.uniqueKey())));
    payloadData(columns, "payload", TaskInfo::payload);
    payloadData(columns, "result", TaskInfo::result);
    return columns;
  }

  private static void payloadData(
      List<Column<TaskInfo>> columns, String name, Function<TaskInfo, Payload> of) {
    columns.add(Column.data(name, task -> DecodedPayload.of(of.apply(task)).json()));
    columns.add(Column.data(name + "_text", task -> DecodedPayload.of(of.apply(task)).text()));
    columns.add(Column.data(name + "_base64", task -> DecodedPayload.of(of.apply(task)).base64()));
  }

  private static Column<TaskInfo> id() {
    return Column.of("ID", "id", TaskInfo::id);
  }

  private static Column<TaskInfo> queue() {
    return Column.of("Queue", "queue", task -> task.queue().value());
  }

  private static Column<TaskInfo> type() {
    return Column.<TaskInfo>of("Type", "type", TaskInfo::type).mayBeCut();
  }

  private static Column<TaskInfo> state() {
    return Column.<TaskInfo>of("State", "state", task -> task.state().word())
        .styled(
            (colors, task, text) ->
                switch (task.state()) {
                  case ACTIVE -> colors.cyan(text);
                  case COMPLETED -> colors.green(text);
                  case RETRY -> colors.yellow(text);
                  case ARCHIVED -> colors.red(text);
                  default -> text;
                });
  }

  private static Column<TaskInfo> group() {
    return Column.of("Group", "group", task -> orNull(task.group()));
  }

  private static Column<TaskInfo> payload() {
    return text("Payload", TaskInfo::payload);
  }

  private static Column<TaskInfo> error() {
    return Column.<TaskInfo>of("Last error", "last_error", task -> orNull(task.lastError()))
        .styled((colors, task, text) -> colors.red(text))
        .mayBeCut();
  }

  private static Column<TaskInfo> retried() {
    return Column.<TaskInfo>count("Retried", "retried", TaskInfo::retried)
        .shownAs(task -> task.retried() + "/" + task.maxRetry());
  }

  private static Column<TaskInfo> progress() {
    return Column.<TaskInfo>of(
            "Progress",
            "progress_percent",
            task -> task.progress() == null ? null : task.progress().percent())
        .shownAs(
            task ->
                task.progress() == null
                    ? ""
                    : task.progress().percent() + "% " + task.progress().note());
  }

  private Column<TaskInfo> since() {
    return time("Since", "since", TaskInfo::since);
  }

  private Column<TaskInfo> failedAt() {
    return time("Last failed", "last_failed_at", TaskInfo::lastFailedAt);
  }

  private Column<TaskInfo> due(String title) {
    return time(title, "next_process_at", TaskInfo::nextProcessAt);
  }

  private Column<TaskInfo> time(
      String title, String key, Function<TaskInfo, @Nullable Instant> of) {
    return Column.<TaskInfo>of(title, key, of::apply)
        .shownAs(task -> TimeFormatter.relative(of.apply(task), now));
  }

  private Column<TaskInfo> fullTime(
      String title, String key, Function<TaskInfo, @Nullable Instant> of) {
    return Column.<TaskInfo>of(title, key, of::apply)
        .shownAs(task -> of.apply(task) == null ? "" : TimeFormatter.full(of.apply(task), now));
  }

  /** In JSON and CSV the value is in separate columns, depending on its form. */
  private static Column<TaskInfo> text(String title, Function<TaskInfo, Payload> of) {
    return Column.<TaskInfo>of(
            title,
            title.equals("Payload") ? "payload" : "result",
            task -> DecodedPayload.of(of.apply(task)).json())
        .shownAs(task -> DecodedPayload.of(of.apply(task)).line())
        .mayBeCut();
  }

  private static Column<TaskInfo> block(
      String title, Function<TaskInfo, Payload> of, AnsiColors colors) {
    return text(title, of).shownAs(task -> DecodedPayload.of(of.apply(task)).block(colors));
  }

  private static @Nullable Map<String, String> headers(TaskInfo task) {
    return task.headers().isEmpty() ? null : new TreeMap<>(task.headers());
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
