package io.asynq4j.http;

/**
 * The sender of a body, as far as it is known before the body is read. Immutable.
 *
 * @param name callers of the same name share what one caller may hold
 * @param kind how far it is known
 */
public record BodyCaller(String name, Kind kind) {

  /** How far a caller is known. */
  public enum Kind {
    /** It may be anybody, and all of them together may hold a part of the memory only. */
    UNVERIFIED,
    /** Its login or key is right. */
    VERIFIED,
    /** There is no other caller to leave room for, such as on a server for its own machine. */
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
