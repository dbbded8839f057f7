package io.asynq4j.cli.dash;

import org.jspecify.annotations.Nullable;

/**
 * A task.
 *
 * @param nothing why there is nothing more to be seen of it; null when there is
 */
record TaskView(
    String queue,
    String id,
    int top,
    PayloadText.Form form,
    Answer.@Nullable Task answer,
    @Nullable String nothing)
    implements TextView {

  static TaskView of(String queue, String id) {
    return new TaskView(queue, id, 0, PayloadText.Form.AUTO, null, null);
  }

  @Override
  public String title() {
    return queue + " › " + id;
  }

  @Override
  public Wish wish(Size size) {
    return new Wish.Task(queue, id);
  }

  @Override
  public View with(Answer found, Size size) {
    if (found instanceof Answer.Task task && task.wish().equals(wish(size))) {
      return new TaskView(queue, id, top, form, task, null);
    } else if (found instanceof Answer.Nothing none && none.wish().equals(wish(size))) {
      return new TaskView(queue, id, top, form, answer, none.why());
    }
    return this;
  }

  @Override
  public TaskView from(int newTop) {
    return new TaskView(queue, id, newTop, form, answer, nothing);
  }

  TaskView as(PayloadText.Form newForm) {
    return new TaskView(queue, id, top, newForm, answer, nothing);
  }
}
