package io.asynq4j.service.gearman.protocol;

/** What may be the name of a function. */
public final class FunctionNameValidator {

  private static final int LONGEST = 512;

  private FunctionNameValidator() {}

  /** Throws {@link GearmanException} when it may not. */
  public static String require(String name) {
    if (name.isBlank()) {
      throw GearmanException.invalid("a function needs a name");
    }
    if (name.length() > LONGEST) {
      throw GearmanException.invalid(
          "a name of a function must not be longer than %d chars: %d"
              .formatted(LONGEST, name.length()));
    }
    // Lists of the admin protocol are lines with tabs.
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw GearmanException.invalid("a name of a function must not contain control characters");
    }
    return name;
  }
}
