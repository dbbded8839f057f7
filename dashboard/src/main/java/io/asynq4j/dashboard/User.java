package io.asynq4j.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * Who is asking.
 *
 * @param name null when nobody needs to log in
 */
record User(@Nullable String name, Grant grant) {

  boolean sees(String queue) {
    return grant.sees(queue);
  }
}
