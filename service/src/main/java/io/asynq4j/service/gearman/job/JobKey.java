package io.asynq4j.service.gearman.job;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.service.gearman.protocol.Packets;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Which task a job is: its queue and its id. The handle that peers know it by says both, so that
 * every replica understands the handles of all others.
 */
public record JobKey(String queue, String id) {

  /** libgearman has room for 64 bytes, the last of which is a zero. */
  private static final int LONGEST_HANDLE = 63;

  private static final int TAG = 8;
  private static final int LONGEST_PLAIN_ID = LONGEST_HANDLE - "H:".length() - TAG - ":".length();

  /** What an id begins with that stands for something longer. */
  private static final char DIGEST = '~';

  /** {@code H:<queue>:<id>}, with a digest for the name of the queue, and for an unwieldy id. */
  public String handle() {
    return "H:" + tag(queue) + ":" + (isPlain(id) ? id : digest(Packets.latin(escaped(id))));
  }

  private static String escaped(String id) {
    return new String(id.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Whether a task is one that gearman would have forgotten. */
  public static boolean hasEnded(TaskInfo task) {
    return task.state() == TaskState.COMPLETED || task.state() == TaskState.ARCHIVED;
  }

  /** What handles say instead of the name of a queue. */
  static String tag(String queue) {
    return hex(queue.getBytes(StandardCharsets.UTF_8)).substring(0, TAG);
  }

  /** The tag in a handle; empty when it is none of ours. */
  static String tagOf(String handle) {
    int end = handle.indexOf(':', 2);
    return handle.startsWith("H:") && end == 2 + TAG ? handle.substring(2, end) : "";
  }

  /** The id in a handle that has a tag. */
  public static String idOf(String handle) {
    return handle.substring(handle.indexOf(':', 2) + 1);
  }

  /** A new id. */
  static String anyId() {
    return UUID.randomUUID().toString();
  }

  /**
   * The id for what a client calls unique: that itself where it can be one.
   *
   * @param unique each byte as a char
   */
  public static String idOfUnique(String unique) {
    return isPlain(unique) && unique.charAt(0) != DIGEST ? unique : digest(Packets.latin(unique));
  }

  static String digest(byte[] bytes) {
    return DIGEST + hex(bytes).substring(0, 32);
  }

  private static boolean isPlain(String id) {
    return !id.isEmpty()
        && id.length() <= LONGEST_PLAIN_ID
        && id.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }

  private static String hex(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
