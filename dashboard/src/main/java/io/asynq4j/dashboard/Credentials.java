package io.asynq4j.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Users and tokens that may log in, with their permissions. Immutable.
 *
 * <p>The text format has one line per user or token, and contains only hashes:
 *
 * <pre>
 * # kind  name   role      queues        hash
 * user    anna   admin     *             pbkdf2-sha512:210000:…:…
 * token   ci     operator  mail,report-* pbkdf2-sha512:210000:…:…
 * </pre>
 *
 * <p>Users log in with HTTP basic authentication. A token is sent as {@code Authorization: Bearer
 * ci.<secret>}.
 */
public final class Credentials {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9@._+-]{1,64}");

  /** The kind of a line. */
  static final String USER = "user";

  static final String TOKEN = "token";

  private static final int TOKEN_ITERATIONS = 1_000;
  private static final int TOKEN_BYTES = 32;

  private final Map<String, Entry> users;
  private final Map<String, Entry> tokens;

  record Entry(String name, Grant grant, PasswordHash hash) {}

  /** A new token for its user, and the line for the credentials. */
  public record NewToken(String token, String line) {

    /** Does not contain the token. */
    @Override
    public String toString() {
      return line;
    }
  }

  private Credentials(Map<String, Entry> users, Map<String, Entry> tokens) {
    this.users = users;
    this.tokens = tokens;
  }

  /** Parses lines. Empty lines and lines that start with # are ignored. */
  public static Credentials of(List<String> lines) {
    Map<String, Entry> users = new LinkedHashMap<>();
    Map<String, Entry> tokens = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).trim();
      if (!line.isEmpty() && !line.startsWith("#")) {
        try {
          add(line, users, tokens);
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              "line " + (i + 1) + " of the credentials: " + e.getMessage(), e);
        }
      }
    }
    if (users.isEmpty() && tokens.isEmpty()) {
      throw new IllegalArgumentException(
          "the credentials are empty, so no user could log in; 'asynq dashboard hash' creates"
              + " lines such as \"user anna admin * <hash>\"");
    }
    return new Credentials(users, tokens);
  }

  private static void add(String line, Map<String, Entry> users, Map<String, Entry> tokens) {
    List<String> parts = Arrays.asList(line.split("\\s+", -1));
    if (parts.size() != 5) {
      throw new IllegalArgumentException(
          "expected five fields (kind, name, role, queues, hash), got " + parts.size());
    }
    String name = parts.get(1);
    requireName(name);
    Grant grant =
        new Grant(
            Role.ofWord(parts.get(2)),
            Arrays.stream(parts.get(3).split(",", -1)).filter(each -> !each.isEmpty()).toList());
    Entry entry = new Entry(name, grant, PasswordHash.parse(parts.get(4)));
    Map<String, Entry> kind =
        switch (parts.get(0)) {
          case USER -> users;
          case TOKEN -> tokens;
          default ->
              throw new IllegalArgumentException(
                  "the kind must be user or token: \"" + parts.get(0) + "\"");
        };
    if (kind.put(name, entry) != null) {
      throw new IllegalArgumentException(parts.get(0) + " " + name + " is defined twice");
    }
  }

  /** Reads a file. Only its owner should be able to read it. */
  public static Credentials fromFile(Path file) {
    try {
      return of(Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the credentials file: " + file, e);
    }
  }

  /** Reads an environment variable. Lines may be separated by semicolons. */
  public static Credentials fromEnvironment(String variable) {
    String value = System.getenv(variable);
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(
          "environment variable " + variable + " is not set; it must contain the credentials");
    }
    return of(Arrays.asList(value.split("[;\n]", -1)));
  }

  /** Hashes a password for a line. Takes a fraction of a second. */
  public static String hash(char[] password) {
    if (password.length < 8) {
      throw new IllegalArgumentException("the password must have at least 8 characters");
    }
    return PasswordHash.of(password).toString();
  }

  /** Formats the line of a user; {@link #hash} creates the hash. */
  public static String newUser(String name, Grant grant, char[] password) {
    return line("user", name, grant, hash(password));
  }

  /** Creates a token. Only its line can be stored; the token itself is shown once. */
  public static NewToken newToken(String name, Grant grant) {
    byte[] secret = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(secret);
    String text = HexFormat.of().formatHex(secret);
    // The secret cannot be guessed, so the hash does not need to be slow.
    String hash = PasswordHash.of(text.toCharArray(), TOKEN_ITERATIONS).toString();
    return new NewToken(name + "." + text, line("token", name, grant, hash));
  }

  private static String line(String kind, String name, Grant grant, String hash) {
    requireName(name);
    String queues = String.join(",", grant.queues());
    if (grant.queues().stream().anyMatch(queue -> !queue.matches("[^\\s,]+"))) {
      throw new IllegalArgumentException(
          "a queue name in the credentials cannot contain spaces or commas; use * in their place: "
              + queues);
    }
    return "%s %s %s %s %s".formatted(kind, name, grant.role().word(), queues, hash);
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name must consist of letters, digits and @._+- characters: \"" + name + "\"");
    }
  }

  /** Returns a hash that matches nothing and takes as long to verify as others of this kind. */
  PasswordHash placeholderHash(String kind) {
    boolean isUser = kind.equals(USER);
    int iterations =
        (isUser ? users : tokens)
            .values().stream()
                .mapToInt(entry -> entry.hash().iterations())
                .findFirst()
                .orElse(isUser ? PasswordHash.ITERATIONS : TOKEN_ITERATIONS);
    return new PasswordHash(iterations, "A".repeat(22), "A".repeat(43));
  }

  @Nullable Entry user(String name) {
    return users.get(name);
  }

  @Nullable Entry token(String name) {
    return tokens.get(name);
  }

  boolean hasUsers() {
    return !users.isEmpty();
  }

  /** Contains only names. */
  @Override
  public String toString() {
    return "Credentials[users " + users.keySet() + ", tokens " + tokens.keySet() + "]";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Credentials that
        && users.equals(that.users)
        && tokens.equals(that.tokens);
  }

  @Override
  public int hashCode() {
    return Objects.hash(users, tokens);
  }
}
