package io.asynq4j.service.gearman.job;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.http.Sha256;
import io.asynq4j.service.gearman.protocol.Packets;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Identifies the task of a job by its queue and its ID. The handle that peers receive contains
 * both, so that every replica understands the handles of the others.
 */
public record JobKey(String queue, String id) {

  /** libgearman allows 64 bytes, including a terminating zero. */
  private static final int MAX_HANDLE = 63;

  private static final int TAG = 8;
  private static final int MAX_PLAIN_ID = MAX_HANDLE - "H:".length() - TAG - ":".length();

  /** First character of an ID that is a digest. */
  private static final char DIGEST = '~';

  /**
   * {@code H:<queue>:<id>}, with digests of the queue name and of an ID that is too long or not
   * printable.
   */
  public String handle() {
    return "H:" + tag(queue) + ":" + (isPlain(id) ? id : digest(Packets.latin(escaped(id))));
  }

  private static String escaped(String id) {
    return new String(id.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Whether a task has ended; gearmand would not know it any more. */
  public static boolean hasEnded(TaskInfo task) {
    return task.state() == TaskState.COMPLETED || task.state() == TaskState.ARCHIVED;
  }

  /** The digest of a queue name in handles. */
  static String tag(String queue) {
    return Sha256.hex(queue).substring(0, TAG);
  }

  /** The tag in a handle; empty when the handle is not of a gateway. */
  static String tagOf(String handle) {
    int end = handle.indexOf(':', 2);
    return handle.startsWith("H:") && end == 2 + TAG ? handle.substring(2, end) : "";
  }

  /** The ID in a handle that has a tag. */
  public static String idOf(String handle) {
    return handle.substring(handle.indexOf(':', 2) + 1);
  }

  static String newId() {
    return UUID.randomUUID().toString();
  }

  /**
   * The task ID for the unique key of a client: the key itself if possible, otherwise a digest.
   *
   * @param unique each byte as a char
   */
  public static String idOfUnique(String unique) {
    return isPlain(unique) && unique.charAt(0) != DIGEST ? unique : digest(Packets.latin(unique));
  }

  static String digest(byte[] bytes) {
    return DIGEST + Sha256.hex(bytes).substring(0, 32);
  }

  private static boolean isPlain(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_PLAIN_ID
        && id.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }
}
