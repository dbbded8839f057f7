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

/**
 * The Lua scripts: one file each under {@code lua}, whose header has the names of its keys, of its
 * common arguments and of the arguments per task (the items), which follow the common ones.
 *
 * <p>Every script on a queue also declares the key {@code guard}, which never exists. While a slot
 * migrates, Redis refuses a command that names a missing key; so a script either finds all keys of
 * its queue on one node, or does not run.
 */
@SuppressWarnings(
    "ImmutableEnumChecker") // never changed after construction; the types of lists and arrays do
// not express that
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
  final List<String> keys;
  final List<String> args;
  private final List<String> items;
  private final byte[] source;
  private final byte[] sha;

  Script(ResendPolicy repeat) {
    this.repeat = repeat;
    String body = ScriptLoader.read(file());
    this.keys = ScriptLoader.header(file(), body, "KEYS");
    this.args = ScriptLoader.header(file(), body, "ARGV");
    this.items = ScriptLoader.header(file(), body, "ITEMS");
    this.source = (ScriptPrelude.partsFor(body) + body).getBytes(StandardCharsets.UTF_8);
    this.sha = sha1(source).getBytes(StandardCharsets.US_ASCII);
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

  public List<String> items() {
    return items;
  }

  public byte[] source() {
    return source;
  }

  public byte[] sha() {
    return sha;
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
