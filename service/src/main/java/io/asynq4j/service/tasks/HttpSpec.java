package io.asynq4j.service.tasks;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a hosted task of kind http calls. Immutable.
 *
 * @param secret what requests are signed with; null = they are not
 * @param resultLimit how many bytes of an answer are kept
 */
public record HttpSpec(
    URI url, String method, @Nullable String secret, Duration readTimeout, int resultLimit) {

  /** Without the secret. */
  @Override
  public String toString() {
    return "HttpSpec[" + method + " " + url.getHost() + "]";
  }
}
