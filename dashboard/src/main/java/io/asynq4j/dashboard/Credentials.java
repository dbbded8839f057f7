package io.asynq4j.dashboard;

import io.asynq4j.dashboard.auth.PasswordHash;
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
 * Who may log in, by a password or a token, and what they may do. Immutable.
 *
 * <p>One line for each, in a file or a variable of the environment; only hashes are kept:
 *
 * <pre>
 * # kind  name   role      queues        hash
 * user    anna   admin     *             pbkdf2-sha512:210000:…:…
 * token   ci     operator  mail,report-* pbkdf2-sha512:210000:…:…
 * </pre>
 *
 * <p>A user logs in by HTTP basic authentication; a token is sent as {@code Authorization: Bearer
 * ci.<secret>}.
 */
public final class Credentials {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9@._+-]{1,64}");

  /** What lines begin with. */
  static final String USER = "user";

  static final String TOKEN = "token";

  private static final int TOKEN_ITERATIONS = 1_000;
  private static final int TOKEN_BYTES = 32;

  private final Map<String, Entry> users;
  private final Map<String, Entry> tokens;

  record Entry(String name, Grant grant, PasswordHash hash) {}

  /** What {@link #newToken} makes: the token to give away, and the line to keep. */
  public record NewToken(String token, String line) {

    /** Without the token. */
    @Override
    public String toString() {
      return line;
    }
  }

  private Credentials(Map<String, Entry> users, Map<String, Entry> tokens) {
    this.users = users;
    this.tokens = tokens;
  }

  /** From lines as above; empty ones and those that begin with # say nothing. */
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
          "the credentials name nobody, so that nobody could log in; 'asynq dashboard hash' makes"
              + " lines like \"user anna admin * <hash>\"");
    }
    return new Credentials(users, tokens);
  }

  private static void add(String line, Map<String, Entry> users, Map<String, Entry> tokens) {
    List<String> parts = Arrays.asList(line.split("\\s+", -1));
    if (parts.size() != 5) {
      throw new IllegalArgumentException(
          "it must have five parts, kind, name, role, queues and hash, but has " + parts.size());
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
                  "it must begin with user or token: \"" + parts.get(0) + "\"");
        };
    if (kind.put(name, entry) != null) {
      throw new IllegalArgumentException(parts.get(0) + " " + name + " is there twice");
    }
  }

  /** From a file. Keep it readable for its owner only. */
  public static Credentials fromFile(Path file) {
    try {
      return of(Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException("the file of credentials cannot be read: " + file, e);
    }
  }

  /** From a variable of the environment; semicolons may stand for the ends of lines. */
  public static Credentials fromEnvironment(String variable) {
    String value = System.getenv(variable);
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(
          "the variable " + variable + " is not set; it must hold credentials");
    }
    return of(Arrays.asList(value.split("[;\n]", -1)));
  }

  /** The hash of a password, to be written into a line. Takes a fraction of a second. */
  public static String hash(char[] password) {
    if (password.length < 8) {
      throw new IllegalArgumentException("a password must have 8 characters or more");
    }
    return PasswordHash.of(password).toString();
  }

  /** The line of a user; see {@link #hash} for his password. */
  public static String newUser(String name, Grant grant, char[] password) {
    return line("user", name, grant, hash(password));
  }

  /** A new token; show it once, and keep its line. */
  public static NewToken newToken(String name, Grant grant) {
    byte[] secret = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(secret);
    String text = HexFormat.of().formatHex(secret);
    // Such a secret cannot be guessed: the hash need not be slow.
    String hash = PasswordHash.of(text.toCharArray(), TOKEN_ITERATIONS).toString();
    return new NewToken(name + "." + text, line("token", name, grant, hash));
  }

  private static String line(String kind, String name, Grant grant, String hash) {
    requireName(name);
    String queues = String.join(",", grant.queues());
    if (grant.queues().stream().anyMatch(queue -> !queue.matches("[^\\s,]+"))) {
      throw new IllegalArgumentException(
          "a queue with spaces or commas in its name cannot stand in a line; write * for them: "
              + queues);
    }
    return "%s %s %s %s %s".formatted(kind, name, grant.role().word(), queues, hash);
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a name must be of letters, digits and @._+- : \"" + name + "\"");
    }
  }

  /** A hash that nothing matches, and that takes as long as those of this kind. */
  PasswordHash hashOfNobody(String kind) {
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

  /** Names only. */
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
