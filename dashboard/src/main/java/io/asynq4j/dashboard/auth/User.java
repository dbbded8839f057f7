package io.asynq4j.dashboard.auth;

import io.asynq4j.dashboard.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Who is asking.
 *
 * @param name null when nobody needs to log in
 */
public record User(@Nullable String name, Grant grant) {

  public boolean sees(String queue) {
    return grant.sees(queue);
  }
}
