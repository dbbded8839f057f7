package io.asynq4j.internal.redis.script;

import static io.asynq4j.internal.redis.command.ResendPolicy.NEVER;
import static io.asynq4j.internal.redis.command.ResendPolicy.NUMBERED;
import static io.asynq4j.internal.redis.command.ResendPolicy.SAFE;

import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisNodes.PoolKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The Lua scripts: one file each under {@code lua}, whose header has the names of its keys, of its
 * common arguments and of the arguments per task (the items), which follow the common ones.
 *
 * <p>Every script on a queue also declares the key {@code guard}, which never exists. While a slot
 * migrates, Redis refuses a command that names a missing key; so a script either finds all keys of
 * its queue on one node, or does not run.
 */
// Nothing in it changes after it was read.
@SuppressWarnings("ImmutableEnumChecker")
public enum Script {
  ENQUEUE(NUMBERED),
  SCHEDULE(NUMBERED),
  GROUP(NUMBERED),
  FIRE(NUMBERED),
  CLAIM(NUMBERED),
  EXTEND(SAFE),
  COMPLETE(NUMBERED),
  RETRY(NUMBERED),
  RESCHEDULE(NUMBERED),
  ARCHIVE(NUMBERED),
  REQUEUE(NUMBERED),
  RESTORE(SAFE),
  CANCEL(SAFE),
  WRITE_RESULT(SAFE),

  FORWARD(SAFE),
  EXPIRED(SAFE),
  RECOVER(SAFE),
  EXPIRE(SAFE),
  TRIM(SAFE),
  REPAIR(SAFE),
  RELIST(SAFE),
  LIST_GROUP(SAFE),

  EXAMINE(SAFE),
  TIDY(SAFE),

  AGGREGATE(SAFE),
  READ_SET(SAFE),
  QUARANTINE(SAFE),
  FINISH_SET(NUMBERED),
  SWEEP(SAFE),
  RECLAIM(SAFE),

  RUN(NEVER),
  ARCHIVE_WAITING(NEVER),
  DELETE(NEVER),
  RESCHEDULE_WAITING(NEVER),
  UPDATE(NEVER),
  REMOVE_QUEUE(SAFE),

  QUEUE_STATS(SAFE),
  MEMORY(SAFE),
  GROUP_STATS(SAFE),
  TASK(SAFE),
  LIST(SAFE),

  ENROLL(SAFE),
  SERVER_STATE(SAFE),
  SCHEDULER_ENTRIES(SAFE),
  SCHEDULER_EVENT(SAFE),
  REGISTER(SAFE),
  LIVE(SAFE),
  ACQUIRE(SAFE);

  final ResendPolicy repeat;

  /** Read at once: the jar may be replaced while the process runs. */
  private final String body;

  /** Prepared when the script is first used: a process uses few of them. */
  private volatile @Nullable Text text;

  private static final class Text {
    final List<String> keys;
    final List<String> args;
    final List<String> items;
    final byte[] source;
    final byte[] sha;

    Text(String file, String body) {
      keys = ScriptLoader.header(file, body, "KEYS");
      args = ScriptLoader.header(file, body, "ARGV");
      items = ScriptLoader.header(file, body, "ITEMS");
      source = (ScriptPrelude.partsFor(body) + body).getBytes(StandardCharsets.UTF_8);
      sha = sha1(source).getBytes(StandardCharsets.US_ASCII);
    }
  }

  Script(ResendPolicy repeat) {
    this.repeat = repeat;
    this.body = ScriptLoader.read(file());
  }

  private Text text() {
    Text known = text;
    if (known == null) {
      known = new Text(file(), body);
      text = known;
    }
    return known;
  }

  String file() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Extending and settling must not wait for connections that handlers use. The same holds for
   * writing reports, since settling waits for it.
   */
  PoolKind pool() {
    return switch (this) {
      case EXTEND, COMPLETE, RETRY, ARCHIVE, RESCHEDULE, REQUEUE, WRITE_RESULT -> PoolKind.RESERVED;
      default -> PoolKind.SHARED;
    };
  }

  List<String> keys() {
    return text().keys;
  }

  List<String> args() {
    return text().args;
  }

  public List<String> items() {
    return text().items;
  }

  public byte[] source() {
    return text().source;
  }

  public byte[] sha() {
    return text().sha;
  }

  public static String sha1(byte[] text) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(
          "this JVM provides no SHA-1, by which Redis identifies scripts; use a JDK with SHA-1 support",
          e);
    }
  }
}
