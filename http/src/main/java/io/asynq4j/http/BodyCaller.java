package io.asynq4j.http;

/**
 * The sender of a body, as far as it is known before the body is read. Immutable.
 *
 * @param name callers of the same name share the memory of one caller
 * @param kind whether the caller is verified
 */
public record BodyCaller(String name, Kind kind) {

  /** Whether a caller is verified. */
  public enum Kind {
    /** Not authenticated. All such callers together may use a part of the memory only. */
    UNVERIFIED,
    /** Authenticated by a valid login or key. */
    VERIFIED,
    /** The only possible caller, such as on a server for its own machine. */
    ALONE
  }

  public static BodyCaller unverified(String network) {
    return new BodyCaller(network, Kind.UNVERIFIED);
  }

  public static BodyCaller verified(String name) {
    return new BodyCaller(name, Kind.VERIFIED);
  }

  public static BodyCaller alone() {
    return new BodyCaller("", Kind.ALONE);
  }
}
