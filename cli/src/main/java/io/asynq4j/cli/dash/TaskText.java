package io.asynq4j.cli.dash;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Everything that is known of a task, in lines. */
final class TaskText {

  private static final int LABEL = 13;

  private final Model model;
  private final int width;
  private final List<List<Span>> lines = new ArrayList<>();

  private TaskText(Model model) {
    this.model = model;
    this.width = model.size().width() - 2;
  }

  static List<List<Span>> lines(Model model, TaskView view) {
    TaskText text = new TaskText(model);
    if (view.nothing() != null) {
      text.paragraph(view.nothing(), Style.BAD);
      if (view.answer() != null) {
        text.paragraph("This is what it was:", Style.DIM);
      }
    }
    if (view.answer() != null) {
      text.all(view.answer(), view.form());
    } else if (view.nothing() == null && model.health().problem() == null) {
      text.paragraph("Looking …", Style.DIM);
    }
    return text.lines;
  }

  private void all(Answer.Task answer, PayloadText.Form form) {
    TaskInfo task = answer.task();
    fact("Id", task.id());
    fact("Type", task.type());
    fact("Queue", task.queue().value());
    String state = task.state().word() + (task.orphaned() ? ", orphaned" : "");
    fact("State", state, Style.of(task.state()));
    if (task.since() != null) {
      fact("Since", Figures.at(task.since(), model.now(), model.zone()));
    }
    paragraph("Why", answer.why());
    if (task.progress() != null) {
      fact("Progress", task.progress().percent() + " % " + task.progress().note());
    }
    fact("Retried", task.retried() + " of " + task.maxRetry());
    if (!task.lastError().isEmpty()) {
      paragraph("Last error", task.lastError());
      fact("Failed at", Figures.at(task.lastFailedAt(), model.now(), model.zone()));
    }
    if (task.crashes() > 0) {
      fact("Crashes", task.crashes() + " workers in a row have vanished with it", Style.BAD);
    }
    if (task.nextProcessAt() != null && task.state() != TaskState.PENDING) {
      fact("Next attempt", Figures.at(task.nextProcessAt(), model.now(), model.zone()));
    }
    if (task.completedAt() != null) {
      fact("Completed", Figures.at(task.completedAt(), model.now(), model.zone()));
    }
    fact("Timeout", time(task.timeout()));
    if (task.deadline() != null) {
      fact("Deadline", Figures.at(task.deadline(), model.now(), model.zone()));
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
    return time == null || time.isZero() ? Figures.NONE : Figures.time(time);
  }

  private void fact(String label, String value) {
    fact(label, value, Style.PLAIN);
  }

  private void fact(String label, String value, Style style) {
    lines.add(
        List.of(
            Span.dim(Cells.pad(label, LABEL, /* right= */ false)),
            new Span(Cells.cut(value, width - LABEL), style)));
  }

  private void paragraph(String label, String text) {
    String shown = label;
    for (String line : PayloadText.wrapped(text, width - LABEL)) {
      lines.add(List.of(Span.dim(Cells.pad(shown, LABEL, false)), Span.plain(line)));
      shown = "";
    }
  }

  private void paragraph(String text, Style style) {
    PayloadText.wrapped(text, width).forEach(line -> lines.add(List.of(new Span(line, style))));
  }

  private void bytes(String label, Payload payload, PayloadText.Form form) {
    lines.add(List.of());
    String shownAs = form == PayloadText.Form.AUTO ? PayloadText.kind(payload) : form.word();
    String about =
        payload.size() == 0 ? "" : ", " + Figures.bytes(payload.size()) + ", as " + shownAs;
    lines.add(List.of(Span.bold(label), Span.dim(about)));
    PayloadText.lines(payload, form, width).forEach(line -> lines.add(List.of(Span.plain(line))));
  }
}
