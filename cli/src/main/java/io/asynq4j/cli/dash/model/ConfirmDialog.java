package io.asynq4j.cli.dash.model;

import java.util.List;
import java.util.Optional;

/** Confirmation before an action. Immutable. */
public record ConfirmDialog(String text, List<Choice> choices) {

  /** A possible answer and its key. */
  public record Choice(char key, String label, OperatorAction action) {}

  public ConfirmDialog {
    choices = List.copyOf(choices);
  }

  public static ConfirmDialog yesOrNo(String text, OperatorAction action) {
    return new ConfirmDialog(text, List.of(new Choice('y', "yes", action)));
  }

  public Optional<OperatorAction> chosen(char key) {
    return choices.stream().filter(choice -> choice.key() == key).map(Choice::action).findFirst();
  }
}
