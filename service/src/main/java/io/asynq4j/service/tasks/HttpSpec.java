package io.asynq4j.service.tasks;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Request that a hosted task of kind http sends. Immutable.
 *
 * @param secret key that signs requests; null = unsigned
 * @param resultLimit maximum bytes of a response to keep
 */
public record HttpSpec(
    URI url, String method, @Nullable String secret, Duration readTimeout, int resultLimit) {

  /** Omits the secret. */
  @Override
  public String toString() {
    return "HttpSpec[" + method + " " + url.getHost() + "]";
  }
}
