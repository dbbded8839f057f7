package io.asynq4j.dashboard;

import java.util.Locale;

/** The role of a user. Each role includes the permissions of the previous one. */
public enum Role {
  /** Reads everything; changes nothing. */
  VIEWER,
  /** Also enqueues, runs, archives and deletes tasks, and pauses queues and schedules. */
  OPERATOR,
  /** Also removes queues, sets limits, stops servers and repairs data. */
  ADMIN;

  public boolean mayDo(Role needed) {
    return compareTo(needed) >= 0;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Role ofWord(String word) {
    for (Role role : values()) {
      if (role.word().equals(word)) {
        return role;
      }
    }
    throw new IllegalArgumentException(
        "\"" + word + "\" is not a role; the roles are viewer, operator and admin");
  }
}
