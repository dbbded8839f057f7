package io.asynq4j.service;

import io.asynq4j.service.auth.ApiKey;

/**
 * A new API key for a caller, and its hash for the configuration file. Immutable.
 *
 * @param key not stored anywhere
 */
public record NewKey(String key, String hash) {

  /** Creates a random key. */
  public static NewKey make() {
    String key = ApiKey.create();
    return new NewKey(key, ApiKey.hashOf(key));
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return "NewKey[" + hash + "]";
  }
}
