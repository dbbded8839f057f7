package io.asynq4j.cli.dash.render;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.view.TaskView;
import io.asynq4j.internal.text.ByteSizeFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All data of a task, as lines. */
final class TaskViewText {

  private static final int LABEL = 13;

  private final DashModel model;
  private final int width;
  private final List<List<StyledText>> lines = new ArrayList<>();

  private TaskViewText(DashModel model) {
    this.model = model;
    this.width = model.size().width() - 2;
  }

  static List<List<StyledText>> lines(DashModel model, TaskView view) {
    TaskViewText text = new TaskViewText(model);
    if (view.nothing() != null) {
      text.paragraph(view.nothing(), Style.BAD);
      if (view.answer() != null) {
        text.paragraph("Last known data:", Style.DIM);
      }
    }
    if (view.answer() != null) {
      text.all(view.answer(), view.form());
    } else if (view.nothing() == null && model.health().problem() == null) {
      text.paragraph("Loading …", Style.DIM);
    }
    return text.lines;
  }

  private void all(QueryResult.Task answer, PayloadRenderer.Form form) {
    TaskInfo task = answer.task();
    fact("Id", task.id());
    fact("Type", task.type());
    fact("Queue", task.queue().value());
    String state = task.state().word() + (task.orphaned() ? ", orphaned" : "");
    fact("State", state, Style.of(task.state()));
    if (task.since() != null) {
      fact("Since", CompactFormatter.at(task.since(), model.now(), model.zone()));
    }
    paragraph("Why", answer.why());
    if (task.progress() != null) {
      fact("Progress", task.progress().percent() + " % " + task.progress().note());
    }
    fact("Retried", task.retried() + " of " + task.maxRetry());
    if (!task.lastError().isEmpty()) {
      paragraph("Last error", task.lastError());
      fact("Failed at", CompactFormatter.at(task.lastFailedAt(), model.now(), model.zone()));
    }
    if (task.crashes() > 0) {
      fact("Crashes", task.crashes() + " workers in a row crashed while running it", Style.BAD);
    }
    if (task.nextProcessAt() != null && task.state() != TaskState.PENDING) {
      fact("Next attempt", CompactFormatter.at(task.nextProcessAt(), model.now(), model.zone()));
    }
    if (task.completedAt() != null) {
      fact("Completed", CompactFormatter.at(task.completedAt(), model.now(), model.zone()));
    }
    fact("Timeout", time(task.timeout()));
    if (task.deadline() != null) {
      fact("Deadline", CompactFormatter.at(task.deadline(), model.now(), model.zone()));
    }
    fact("Retention", time(task.retention()));
    if (!task.group().isEmpty()) {
      fact("Group", task.group());
    }
    if (!task.uniqueKey().isEmpty()) {
      fact("Unique lock", task.uniqueKey());
    }
    Map<String, String> headers = new TreeMap<>(task.headers());
    headers.forEach((name, value) -> fact("Header", name + " = " + value));
    bytes("Payload", task.payload(), form);
    bytes("Result", task.result(), form);
  }

  private static String time(@Nullable Duration time) {
    return time == null || time.isZero() ? CompactFormatter.NONE : CompactFormatter.time(time);
  }

  private void fact(String label, String value) {
    fact(label, value, Style.PLAIN);
  }

  private void fact(String label, String value, Style style) {
    lines.add(
        List.of(
            StyledText.dim(TerminalText.pad(label, LABEL, /* right= */ false)),
            new StyledText(TerminalText.cut(value, width - LABEL), style)));
  }

  private void paragraph(String label, String text) {
    String shown = label;
    for (String line : PayloadRenderer.wrapped(text, width - LABEL)) {
      lines.add(
          List.of(StyledText.dim(TerminalText.pad(shown, LABEL, false)), StyledText.plain(line)));
      shown = "";
    }
  }

  private void paragraph(String text, Style style) {
    PayloadRenderer.wrapped(text, width)
        .forEach(line -> lines.add(List.of(new StyledText(line, style))));
  }

  private void bytes(String label, Payload payload, PayloadRenderer.Form form) {
    lines.add(List.of());
    String shownAs =
        form == PayloadRenderer.Form.AUTO ? PayloadRenderer.kind(payload) : form.word();
    String about =
        payload.size() == 0
            ? ""
            : ", " + ByteSizeFormat.approximate(payload.size()) + ", as " + shownAs;
    lines.add(List.of(StyledText.bold(label), StyledText.dim(about)));
    PayloadRenderer.lines(payload, form, width)
        .forEach(line -> lines.add(List.of(StyledText.plain(line))));
  }
}
