package io.asynq4j.dashboard.internal.auth;

import io.asynq4j.dashboard.Grant;
import org.jspecify.annotations.Nullable;

/**
 * The user of a request.
 *
 * @param name null if authentication is disabled
 */
public record User(@Nullable String name, Grant grant) {

  public boolean sees(String queue) {
    return grant.sees(queue);
  }
}
