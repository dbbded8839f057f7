package io.asynq4j.service.gearman;

/** What may be the name of a function. */
final class FunctionNames {

  private static final int LONGEST = 512;

  private FunctionNames() {}

  /** Throws {@link Refusal} when it may not. */
  static String require(String name) {
    if (name.isBlank()) {
      throw Refusal.invalid("a function needs a name");
    }
    if (name.length() > LONGEST) {
      throw Refusal.invalid(
          "a name of a function must not be longer than %d chars: %d"
              .formatted(LONGEST, name.length()));
    }
    // Lists of the admin protocol are lines with tabs.
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw Refusal.invalid("a name of a function must not contain control characters");
    }
    return name;
  }
}
