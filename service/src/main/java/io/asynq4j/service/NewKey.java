package io.asynq4j.service;

import io.asynq4j.service.auth.ApiKey;

/**
 * A new API key: the key for whoever calls, and its hash for the configuration. Immutable.
 *
 * @param key is kept nowhere
 */
public record NewKey(String key, String hash) {

  /** Makes one of random bits. */
  public static NewKey make() {
    String key = ApiKey.create();
    return new NewKey(key, ApiKey.hashOf(key));
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "NewKey[" + hash + "]";
  }
}
