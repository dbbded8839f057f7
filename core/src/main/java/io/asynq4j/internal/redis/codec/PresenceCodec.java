package io.asynq4j.internal.redis.codec;

import static io.asynq4j.internal.redis.codec.WireType.bytes;
import static io.asynq4j.internal.redis.codec.WireType.varint;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Presence;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes and decodes the presence records of servers and schedulers in the format of asynq. The
 * layout with the numbers of the fields is that of {@code core/src/test/protobuf/asynq.proto}.
 */
public final class PresenceCodec {

  /** Initial size, sufficient for most records. */
  private static final int USUAL_SIZE = 256;

  /** A field of asynq4j; the Go implementation ignores it. */
  private static final int HEARTBEAT_MILLIS = 101;

  private static final int ENTRY_ID = 1;

  private PresenceCodec() {}

  public static byte[] encode(Presence.Server server) {
    WireWriter out = new WireWriter(USUAL_SIZE);
    out.nonEmpty(bytes(1), server.host());
    out.nonZero(varint(2), server.pid());
    out.nonEmpty(bytes(3), server.serverId());
    out.nonZero(varint(4), server.concurrency());
    new TreeMap<>(server.queues())
        .forEach(
            (queue, priority) -> {
              WireWriter entry = new WireWriter(USUAL_SIZE);
              entry.string(bytes(1), queue);
              entry.number(varint(2), priority);
              out.message(bytes(5), entry);
            });
    out.nonZero(varint(6), server.strictPriority() ? 1 : 0);
    out.nonEmpty(bytes(7), server.status());
    WireTime.of(server.started()).write(bytes(8), out);
    out.nonZero(varint(9), server.activeWorkers());
    Duration heartbeat = server.heartbeat();
    out.nonZero(varint(HEARTBEAT_MILLIS), heartbeat == null ? 0 : heartbeat.toMillis());
    return out.toByteArray();
  }

  public static Presence.Server decodeServer(byte[] row) {
    WireFields in = WireFields.of(row);
    Map<String, Integer> queues = new HashMap<>();
    for (WireFields entry : in.messages(5)) {
      queues.put(entry.string(1), entry.int32(2));
    }
    long heartbeatMillis = in.int64(HEARTBEAT_MILLIS);
    return new Presence.Server(
        in.string(1),
        in.int32(2),
        in.string(3),
        in.int32(4),
        queues,
        in.int64(6) != 0,
        in.string(7),
        in.time(8).orNever(),
        in.int32(9),
        heartbeatMillis > 0 ? Duration.ofMillis(heartbeatMillis) : null);
  }

  public static byte[] encode(Presence.Worker worker) {
    WireWriter out = new WireWriter(USUAL_SIZE + worker.taskPayload().size());
    out.nonEmpty(bytes(1), worker.host());
    out.nonZero(varint(2), worker.pid());
    out.nonEmpty(bytes(3), worker.serverId());
    out.nonEmpty(bytes(4), worker.taskId());
    out.nonEmpty(bytes(5), worker.taskType());
    out.nonEmpty(bytes(6), worker.taskPayload());
    out.nonEmpty(bytes(7), worker.queue().value());
    WireTime.of(worker.started()).write(bytes(8), out);
    WireTime.of(worker.deadline()).write(bytes(9), out);
    return out.toByteArray();
  }

  public static Presence.Worker decodeWorker(byte[] row) {
    WireFields in = WireFields.of(row);
    // First: an invalid queue name must not hide that the record cannot be read.
    Instant started = in.time(8).orNever();
    Instant deadline = in.time(9).orNever();
    return new Presence.Worker(
        in.string(1),
        in.int32(2),
        in.string(3),
        in.string(4),
        in.string(5),
        in.payload(6),
        QueueName.of(in.string(7)),
        started,
        deadline);
  }

  public static byte[] encode(Presence.SchedulerEntry entry) {
    WireWriter out = new WireWriter(USUAL_SIZE + entry.taskPayload().size());
    out.nonEmpty(bytes(ENTRY_ID), entry.id());
    out.nonEmpty(bytes(2), entry.spec());
    out.nonEmpty(bytes(3), entry.taskType());
    out.nonEmpty(bytes(4), entry.taskPayload());
    entry.options().forEach(option -> out.string(bytes(5), option));
    WireTime.of(entry.next()).write(bytes(6), out);
    WireTime.of(entry.previous()).write(bytes(7), out);
    return out.toByteArray();
  }

  public static Presence.SchedulerEntry decodeSchedulerEntry(byte[] row) {
    WireFields in = WireFields.of(row);
    return new Presence.SchedulerEntry(
        in.string(ENTRY_ID),
        in.string(2),
        in.string(3),
        in.payload(4),
        in.strings(5),
        in.time(6).orNever(),
        in.time(7).orNever());
  }

  /** Returns the ID of an entry even if the rest cannot be read; empty if it has none. */
  public static String schedulerEntryId(byte[] row) {
    try {
      WireReader in = new WireReader(row);
      int tag = in.tag();
      while (tag != 0 && tag != bytes(ENTRY_ID)) {
        in.skip(tag);
        tag = in.tag();
      }
      return tag == 0 ? "" : in.string();
    } catch (WireFormatException e) {
      return "";
    }
  }

  public static byte[] encode(Presence.SchedulerEvent event) {
    WireWriter out = new WireWriter(USUAL_SIZE);
    out.nonEmpty(bytes(1), event.taskId());
    WireTime.of(event.enqueuedAt()).write(bytes(2), out);
    return out.toByteArray();
  }

  public static Presence.SchedulerEvent decodeSchedulerEvent(byte[] row) {
    WireFields in = WireFields.of(row);
    return new Presence.SchedulerEvent(in.string(1), in.time(2).toInstant());
  }
}
