package io.asynq4j.cli.dash;

import java.util.List;
import java.util.Optional;

/** Asks before something is done. Immutable. */
record Question(String text, List<Choice> choices) {

  /** An answer, by its key. */
  record Choice(char key, String label, OperatorAction action) {}

  public Question {
    choices = List.copyOf(choices);
  }

  static Question yesOrNo(String text, OperatorAction action) {
    return new Question(text, List.of(new Choice('y', "yes", action)));
  }

  Optional<OperatorAction> chosen(char key) {
    return choices.stream().filter(choice -> choice.key() == key).map(Choice::action).findFirst();
  }
}
