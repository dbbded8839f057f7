package io.asynq4j.dashboard;

import java.util.Locale;

/** What a user may do. Each role may do what the one before it may. */
public enum Role {
  /** Looks. */
  VIEWER,
  /** Also deals with tasks: runs, archives, deletes, enqueues; pauses queues and schedules. */
  OPERATOR,
  /** Also removes queues, sets limits, stops servers, has Redis repaired. */
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
