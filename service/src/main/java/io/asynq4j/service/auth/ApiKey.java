package io.asynq4j.service.auth;

import io.asynq4j.http.Sha256;
import io.asynq4j.internal.text.Glob;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An API key with its scopes and task names. Only the hash of the key is kept. Immutable.
 *
 * @param name name of the key in logs
 * @param hash {@code sha256:} and the hash of the key in hex
 * @param names patterns of task names
 */
public record ApiKey(String name, String hash, Set<Scope> scopes, List<Glob> names) {

  public static final Pattern HASH = Pattern.compile("sha256:[0-9a-f]{64}");

  private static final int BYTES = 32;

  public ApiKey {
    scopes = Set.copyOf(scopes);
    names = List.copyOf(names);
  }

  /** Whether the key allows all tasks, and therefore requests that concern all of them. */
  boolean isUnrestricted() {
    return names.stream().anyMatch(Glob::matchesAll);
  }

  public boolean allows(String taskName) {
    return names.stream().anyMatch(glob -> glob.matches(taskName));
  }

  /** Hashes a key. A key has 256 random bits, so a plain hash is safe. */
  public static String hashOf(String key) {
    return "sha256:" + Sha256.hex(key);
  }

  public static String create() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    return "asq_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }
}
