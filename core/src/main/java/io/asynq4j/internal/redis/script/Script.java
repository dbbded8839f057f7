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
 * The Lua scripts: one file each under {@code lua}, with the keys and arguments of its header. The
 * arguments per task follow the common ones.
 *
 * <p>Every script on a queue also declares the key {@code guard}, which never exists. While a slot
 * migrates, Redis refuses a command that names a missing key; so a script either finds all keys of
 * its queue on one node, or does not run.
 */
@SuppressWarnings(
    "ImmutableEnumChecker") // never changed after construction; the types of lists and arrays do
// not express that
public enum Script {
  ENQUEUE(NUMBERED, "pending lane guard", "now prefix sequence keep width", "id msg lock ttl"),
  SCHEDULE(
      NUMBERED,
      "scheduled groups lane guard",
      "now prefix sequence keep",
      "id msg lock ttl at delay precise group"),
  GROUP(NUMBERED, "groups lane guard", "now prefix sequence keep", "id msg lock ttl group"),
  FIRE(
      NUMBERED,
      "schedules pending scheduled groups lane guard",
      "now prefix sequence keep",
      "entry decided instant id msg lock ttl at delay precise group"),
  CLAIM(
      NUMBERED,
      "pending active lease paused settings bucket lane guard",
      "now prefix sequence keep max duration token max_active ordered rate rate_ms burst",
      ""),
  EXTEND(SAFE, "lease guard", "now prefix duration", "id token"),
  COMPLETE(
      NUMBERED,
      "active lease completed lane guard",
      "now prefix sequence keep width",
      "id token expiry msg lock retention has_result result"),
  RETRY(
      NUMBERED,
      "active lease retry pending settings lane guard",
      "now prefix sequence keep ordered",
      "id token msg delay precise failure report"),
  RESCHEDULE(
      NUMBERED,
      "active lease scheduled pending settings lane guard",
      "now prefix sequence keep ordered",
      "id token delay precise"),
  ARCHIVE(
      NUMBERED,
      "active lease archived lane guard",
      "now prefix sequence keep max_size max_age release_locks",
      "id token msg lock quarantine report"),
  REQUEUE(NUMBERED, "active lease pending lane guard", "now prefix sequence keep", "id token"),
  RESTORE(SAFE, "lease guard", "prefix", "id token"),
  CANCEL(SAFE, "guard", "prefix id after", ""),
  WRITE_RESULT(SAFE, "lease guard", "prefix", "id token field value"),

  FORWARD(SAFE, "scheduled retry pending groups guard", "now prefix limit", ""),
  EXPIRED(SAFE, "active lease guard", "now prefix limit go_grace", ""),
  RECOVER(
      SAFE,
      "active lease pending retry archived settings guard",
      "now prefix ordered max_size max_age release_locks",
      "id score action msg lock delay quarantine"),
  EXPIRE(SAFE, "completed guard", "now prefix limit", ""),
  TRIM(SAFE, "archived guard", "now prefix max_size max_age limit", ""),
  REPAIR(SAFE, "active lease guard", "now prefix offset limit", ""),
  RELIST(SAFE, "active lease guard", "prefix", "id"),
  LIST_GROUP(SAFE, "groups aggregation_sets guard", "prefix group", ""),

  EXAMINE(
      SAFE,
      "pending active lease scheduled retry archived completed groups aggregation_sets guard",
      "now prefix repair read remove",
      "id in_pending in_active place listed_at expected score group reason digest"),
  TIDY(
      SAFE,
      "groups aggregation_sets spent scheduled retry guard",
      "now prefix repair overdue",
      "kind name"),

  AGGREGATE(
      SAFE,
      "groups aggregation_sets guard",
      "now prefix group set max_size max_delay grace timeout",
      ""),
  READ_SET(SAFE, "aggregation_sets guard", "prefix set_key offset limit", ""),
  QUARANTINE(SAFE, "archived aggregation_sets guard", "now prefix set_key id reason", ""),
  FINISH_SET(
      NUMBERED,
      "aggregation_sets groups spent pending scheduled lane guard",
      "now prefix sequence keep set_key set id msg lock ttl at delay precise group",
      ""),
  SWEEP(SAFE, "spent guard", "prefix limit", ""),
  RECLAIM(SAFE, "aggregation_sets groups guard", "now prefix set_key limit", ""),

  RUN(NEVER, "pending groups guard", "now prefix", "id"),
  ARCHIVE_WAITING(
      NEVER,
      "archived groups guard",
      "now prefix max_size max_age release_locks drop_oldest",
      "id"),
  DELETE(NEVER, "groups guard", "prefix container expected", "id"),
  RESCHEDULE_WAITING(NEVER, "scheduled retry groups guard", "prefix due_ms", "id"),
  UPDATE(NEVER, "pending guard", "prefix id old_msg new_msg old_lock new_lock", ""),
  REMOVE_QUEUE(
      SAFE,
      "pending active lease scheduled retry archived completed groups aggregation_sets spent paused settings processed"
          + " failed guard",
      "now prefix",
      ""),

  QUEUE_STATS(
      SAFE,
      "pending active scheduled retry archived completed paused groups aggregation_sets processed failed guard",
      "now prefix",
      ""),
  MEMORY(
      SAFE,
      "pending active scheduled retry archived completed groups guard",
      "prefix sample group_sample",
      ""),
  GROUP_STATS(SAFE, "groups guard", "prefix", ""),
  TASK(SAFE, "scheduled retry archived lease guard", "now prefix id", ""),
  LIST(
      SAFE,
      "lease guard",
      "now prefix container kind newest_first offset limit after_id after",
      ""),

  ENROLL(SAFE, "schedules guard", "now prefix", "entry spec old_spec anchor from last paused run"),
  SERVER_STATE(SAFE, "server workers gathered", "ttl info part", "id worker"),
  SCHEDULER_ENTRIES(SAFE, "entries", "ttl", "entry"),
  SCHEDULER_EVENT(SAFE, "history", "at event most ttl", ""),
  REGISTER(SAFE, "registry", "now ttl_ms member", ""),
  LIVE(SAFE, "registry", "now", ""),
  ACQUIRE(SAFE, "semaphore", "now tokens deadline id", "");

  final ResendPolicy repeat;
  final List<String> keys;
  final List<String> args;
  private final List<String> items;
  private final byte[] source;
  private final byte[] sha;

  Script(ResendPolicy repeat, String keys, String args, String items) {
    this.repeat = repeat;
    this.keys = words(keys);
    this.args = words(args);
    this.items = words(items);
    String body = ScriptLoader.read(file());
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

  private static List<String> words(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(" "));
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
