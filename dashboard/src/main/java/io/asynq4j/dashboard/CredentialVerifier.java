package io.asynq4j.dashboard;

import io.asynq4j.dashboard.internal.auth.LoginLimiter;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.IpNetwork;
import io.asynq4j.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Verifies passwords and tokens. Hashes are slow by design, so successful logins are cached for
 * some minutes, under a keyed digest that is useless outside this process. Thread-safe.
 */
final class CredentialVerifier {

  private static final Duration REMEMBER = Duration.ofMinutes(5);
  private static final int MAX_REMEMBERED = 1_000;

  /** Maximum number of concurrent hashes, so that logins cannot occupy all processors. */
  private static final int MAX_CONCURRENT = 2;

  private final Credentials credentials;
  private final LoginLimiter limiter = new LoginLimiter();
  private final Semaphore permits = new Semaphore(MAX_CONCURRENT);
  private final Map<String, Known> known = new ConcurrentHashMap<>();
  private final SecretKeySpec key;

  private record Known(User user, long untilNanos) {}

  CredentialVerifier(Credentials credentials) {
    this.credentials = credentials;
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    this.key = new SecretKeySpec(bytes, "HmacSHA256");
  }

  boolean acceptsPasswords() {
    return credentials.hasUsers();
  }

  /** The login that a client sent, and the configured entry of that name. */
  private record SentLogin(
      String kind, String name, String secret, Credentials.@Nullable Entry entry) {}

  /**
   * @param authorization value of the header; null if it is missing
   */
  User login(@Nullable String authorization, String address) {
    return check(parse(authorization), address);
  }

  /** Returns the user of a cached login; empty for others, which are not verified. */
  Optional<User> remembered(@Nullable String authorization) {
    try {
      return ofDigest(digest(parse(authorization)));
    } catch (Problem e) {
      return Optional.empty();
    }
  }

  private Optional<User> ofDigest(String digest) {
    return Optional.ofNullable(known.get(digest))
        .filter(remembered -> remembered.untilNanos() - System.nanoTime() > 0)
        .map(Known::user);
  }

  private SentLogin parse(@Nullable String authorization) {
    if (authorization == null) {
      throw Problems.unauthorized("This dashboard requires a login.");
    }
    int space = authorization.indexOf(' ');
    String scheme = space < 0 ? authorization : authorization.substring(0, space);
    String value = space < 0 ? "" : authorization.substring(space + 1).trim();
    if (scheme.equalsIgnoreCase("Basic")) {
      String pair = decode(value);
      int colon = pair.indexOf(':');
      if (colon < 0) {
        throw wrong();
      }
      String name = pair.substring(0, colon);
      return new SentLogin(
          Credentials.USER, name, pair.substring(colon + 1), credentials.user(name));
    } else if (scheme.equalsIgnoreCase("Bearer")) {
      int dot = value.lastIndexOf('.');
      if (dot < 0) {
        throw wrong();
      }
      String name = value.substring(0, dot);
      return new SentLogin(
          Credentials.TOKEN, name, value.substring(dot + 1), credentials.token(name));
    }
    throw Problems.unauthorized("Log in with a password (Basic) or a token (Bearer).");
  }

  private static String decode(String base64) {
    try {
      return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Problems.badRequest("The Authorization header is not valid base64.");
    }
  }

  private static Problem wrong() {
    return Problems.unauthorized("Invalid user name, password or token.");
  }

  private User check(SentLogin sent, String address) {
    String digest = digest(sent);
    Optional<User> remembered = ofDigest(digest);
    if (remembered.isPresent()) {
      return remembered.get();
    }
    LoginLimiter.Login login =
        new LoginLimiter.Login(sent.kind() + " " + sent.name(), IpNetwork.siteOf(address));
    limiter.check(login);
    if (!isCorrect(sent.entry(), sent.secret(), credentials.placeholderHash(sent.kind()))) {
      limiter.failed(login);
      throw wrong();
    }
    limiter.succeeded(login);
    if (known.size() >= MAX_REMEMBERED) {
      known.clear();
    }
    // The login was correct, so the entry exists.
    User user = new User(sent.name(), Objects.requireNonNull(sent.entry()).grant());
    known.put(digest, new Known(user, System.nanoTime() + REMEMBER.toNanos()));
    return user;
  }

  /**
   * @param placeholder hash that is compared if the entry does not exist, so that the time does not
   *     reveal it
   */
  private boolean isCorrect(
      Credentials.@Nullable Entry entry, String secret, PasswordHash placeholder) {
    boolean hasPermit = false;
    try {
      hasPermit = permits.tryAcquire(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!hasPermit) {
      throw Problems.tooMany("Too many concurrent logins. Try again in a moment.", 5);
    }
    try {
      PasswordHash hash = entry == null ? placeholder : entry.hash();
      return hash.matches(secret.toCharArray()) && entry != null;
    } finally {
      permits.release();
    }
  }

  private String digest(SentLogin sent) {
    String text = sent.kind() + "\0" + sent.name() + "\0" + sent.secret();
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no HmacSHA256", e);
    }
  }
}
