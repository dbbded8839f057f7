package io.asynq4j.service.gearman.protocol;

/** Validates names of functions. */
public final class FunctionNameValidator {

  private static final int MAX_LENGTH = 512;

  private FunctionNameValidator() {}

  /** Throws {@link GearmanException} when the name is invalid. */
  public static String require(String name) {
    if (name.isBlank()) {
      throw GearmanException.invalid("a function needs a name");
    }
    if (name.length() > MAX_LENGTH) {
      throw GearmanException.invalid(
          "the name of a function must not be longer than %d characters: %d"
              .formatted(MAX_LENGTH, name.length()));
    }
    // Lists of the admin protocol are lines with tabs.
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw GearmanException.invalid("the name of a function must not contain control characters");
    }
    return name;
  }
}
