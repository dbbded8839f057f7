package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Presence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes and decodes the presence records of servers and schedulers in the format of asynq. The
 * layout is that of {@code core/src/test/protobuf/asynq.proto}.
 */
public final class PresenceCodec {

  /** Initial size, sufficient for most records. */
  private static final int USUAL_SIZE = 256;

  private PresenceCodec() {}

  public static byte[] encode(Presence.Server server) {
    WireWriter out = new WireWriter(USUAL_SIZE);
    out.nonEmpty(ServerField.HOST, server.host());
    out.nonZero(ServerField.PID, server.pid());
    out.nonEmpty(ServerField.SERVER_ID, server.serverId());
    out.nonZero(ServerField.CONCURRENCY, server.concurrency());
    new TreeMap<>(server.queues())
        .forEach(
            (queue, priority) -> {
              int entry = out.begin(ServerField.QUEUES);
              out.string(MapField.KEY, queue);
              out.number(MapField.NUMBER, priority);
              out.end(entry);
            });
    out.nonZero(ServerField.STRICT_PRIORITY, server.strictPriority() ? 1 : 0);
    out.nonEmpty(ServerField.STATUS, server.status());
    WireTime.of(server.started()).write(ServerField.START_TIME, out);
    out.nonZero(ServerField.ACTIVE_WORKERS, server.activeWorkers());
    Duration heartbeat = server.heartbeat();
    out.nonZero(ServerField.HEARTBEAT_MILLIS, heartbeat == null ? 0 : heartbeat.toMillis());
    return out.toByteArray();
  }

  public static Presence.Server decodeServer(byte[] bytes) throws WireFormatException {
    String host = "";
    int pid = 0;
    String serverId = "";
    int concurrency = 0;
    Map<String, Integer> queues = new HashMap<>();
    boolean strictPriority = false;
    String status = "";
    WireTime started = WireTime.EPOCH;
    int activeWorkers = 0;
    long heartbeatMillis = 0;
    WireReader in = new WireReader(bytes);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case ServerField.HOST -> host = in.string();
        case ServerField.PID -> pid = in.int32();
        case ServerField.SERVER_ID -> serverId = in.string();
        case ServerField.CONCURRENCY -> concurrency = in.int32();
        case ServerField.QUEUES -> readQueue(in.message(), queues);
        case ServerField.STRICT_PRIORITY -> strictPriority = in.bool();
        case ServerField.STATUS -> status = in.string();
        case ServerField.START_TIME -> started = started.merge(in);
        case ServerField.ACTIVE_WORKERS -> activeWorkers = in.int32();
        case ServerField.HEARTBEAT_MILLIS -> heartbeatMillis = in.int64();
        default -> in.skip(tag);
      }
    }
    return new Presence.Server(
        host,
        pid,
        serverId,
        concurrency,
        queues,
        strictPriority,
        status,
        started.orNever(),
        activeWorkers,
        heartbeatMillis > 0 ? Duration.ofMillis(heartbeatMillis) : null);
  }

  private static void readQueue(WireReader in, Map<String, Integer> queues)
      throws WireFormatException {
    String queue = "";
    int priority = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case MapField.KEY -> queue = in.string();
        case MapField.NUMBER -> priority = in.int32();
        default -> in.skip(tag);
      }
    }
    queues.put(queue, priority);
  }

  public static byte[] encode(Presence.Worker worker) {
    WireWriter out = new WireWriter(USUAL_SIZE + worker.taskPayload().size());
    out.nonEmpty(WorkerField.HOST, worker.host());
    out.nonZero(WorkerField.PID, worker.pid());
    out.nonEmpty(WorkerField.SERVER_ID, worker.serverId());
    out.nonEmpty(WorkerField.TASK_ID, worker.taskId());
    out.nonEmpty(WorkerField.TASK_TYPE, worker.taskType());
    out.nonEmpty(WorkerField.TASK_PAYLOAD, worker.taskPayload());
    out.nonEmpty(WorkerField.QUEUE, worker.queue().value());
    WireTime.of(worker.started()).write(WorkerField.START_TIME, out);
    WireTime.of(worker.deadline()).write(WorkerField.DEADLINE, out);
    return out.toByteArray();
  }

  public static Presence.Worker decodeWorker(byte[] bytes) throws WireFormatException {
    String host = "";
    int pid = 0;
    String serverId = "";
    String taskId = "";
    String taskType = "";
    Payload taskPayload = Payload.absent();
    String queue = "";
    WireTime started = WireTime.EPOCH;
    WireTime deadline = WireTime.EPOCH;
    WireReader in = new WireReader(bytes);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case WorkerField.HOST -> host = in.string();
        case WorkerField.PID -> pid = in.int32();
        case WorkerField.SERVER_ID -> serverId = in.string();
        case WorkerField.TASK_ID -> taskId = in.string();
        case WorkerField.TASK_TYPE -> taskType = in.string();
        case WorkerField.TASK_PAYLOAD -> taskPayload = in.payload();
        case WorkerField.QUEUE -> queue = in.string();
        case WorkerField.START_TIME -> started = started.merge(in);
        case WorkerField.DEADLINE -> deadline = deadline.merge(in);
        default -> in.skip(tag);
      }
    }
    return new Presence.Worker(
        host,
        pid,
        serverId,
        taskId,
        taskType,
        taskPayload,
        QueueName.of(queue),
        started.orNever(),
        deadline.orNever());
  }

  public static byte[] encode(Presence.SchedulerEntry entry) {
    WireWriter out = new WireWriter(USUAL_SIZE + entry.taskPayload().size());
    out.nonEmpty(EntryField.ID, entry.id());
    out.nonEmpty(EntryField.SPEC, entry.spec());
    out.nonEmpty(EntryField.TASK_TYPE, entry.taskType());
    out.nonEmpty(EntryField.TASK_PAYLOAD, entry.taskPayload());
    entry.options().forEach(option -> out.string(EntryField.OPTIONS, option));
    WireTime.of(entry.next()).write(EntryField.NEXT, out);
    WireTime.of(entry.previous()).write(EntryField.PREVIOUS, out);
    return out.toByteArray();
  }

  public static Presence.SchedulerEntry decodeSchedulerEntry(byte[] bytes)
      throws WireFormatException {
    String id = "";
    String spec = "";
    String taskType = "";
    Payload taskPayload = Payload.absent();
    List<String> options = new ArrayList<>();
    WireTime next = WireTime.EPOCH;
    WireTime previous = WireTime.EPOCH;
    WireReader in = new WireReader(bytes);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case EntryField.ID -> id = in.string();
        case EntryField.SPEC -> spec = in.string();
        case EntryField.TASK_TYPE -> taskType = in.string();
        case EntryField.TASK_PAYLOAD -> taskPayload = in.payload();
        case EntryField.OPTIONS -> options.add(in.string());
        case EntryField.NEXT -> next = next.merge(in);
        case EntryField.PREVIOUS -> previous = previous.merge(in);
        default -> in.skip(tag);
      }
    }
    return new Presence.SchedulerEntry(
        id, spec, taskType, taskPayload, options, next.orNever(), previous.orNever());
  }

  /** Returns the ID of an entry even if the rest cannot be read; empty if it has none. */
  public static String schedulerEntryId(byte[] bytes) {
    try {
      WireReader in = new WireReader(bytes);
      for (int tag = in.tag(); tag != 0; tag = in.tag()) {
        if (tag == EntryField.ID) {
          return in.string();
        }
        in.skip(tag);
      }
      return "";
    } catch (WireFormatException e) {
      return "";
    }
  }

  public static byte[] encode(Presence.SchedulerEvent event) {
    WireWriter out = new WireWriter(USUAL_SIZE);
    out.nonEmpty(EventField.TASK_ID, event.taskId());
    WireTime.of(event.enqueuedAt()).write(EventField.ENQUEUED_AT, out);
    return out.toByteArray();
  }

  public static Presence.SchedulerEvent decodeSchedulerEvent(byte[] bytes)
      throws WireFormatException {
    String taskId = "";
    WireTime enqueuedAt = WireTime.EPOCH;
    WireReader in = new WireReader(bytes);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case EventField.TASK_ID -> taskId = in.string();
        case EventField.ENQUEUED_AT -> enqueuedAt = enqueuedAt.merge(in);
        default -> in.skip(tag);
      }
    }
    return new Presence.SchedulerEvent(taskId, enqueuedAt.toInstant());
  }

  private static final class ServerField {
    static final int HOST = 1 << WireType.BITS | WireType.BYTES;
    static final int PID = 2 << WireType.BITS | WireType.VARINT;
    static final int SERVER_ID = 3 << WireType.BITS | WireType.BYTES;
    static final int CONCURRENCY = 4 << WireType.BITS | WireType.VARINT;
    static final int QUEUES = 5 << WireType.BITS | WireType.BYTES;
    static final int STRICT_PRIORITY = 6 << WireType.BITS | WireType.VARINT;
    static final int STATUS = 7 << WireType.BITS | WireType.BYTES;
    static final int START_TIME = 8 << WireType.BITS | WireType.BYTES;
    static final int ACTIVE_WORKERS = 9 << WireType.BITS | WireType.VARINT;

    /** A field of asynq4j; the Go implementation ignores it. */
    static final int HEARTBEAT_MILLIS = 101 << WireType.BITS | WireType.VARINT;
  }

  private static final class MapField {
    static final int KEY = 1 << WireType.BITS | WireType.BYTES;
    static final int NUMBER = 2 << WireType.BITS | WireType.VARINT;
  }

  private static final class WorkerField {
    static final int HOST = 1 << WireType.BITS | WireType.BYTES;
    static final int PID = 2 << WireType.BITS | WireType.VARINT;
    static final int SERVER_ID = 3 << WireType.BITS | WireType.BYTES;
    static final int TASK_ID = 4 << WireType.BITS | WireType.BYTES;
    static final int TASK_TYPE = 5 << WireType.BITS | WireType.BYTES;
    static final int TASK_PAYLOAD = 6 << WireType.BITS | WireType.BYTES;
    static final int QUEUE = 7 << WireType.BITS | WireType.BYTES;
    static final int START_TIME = 8 << WireType.BITS | WireType.BYTES;
    static final int DEADLINE = 9 << WireType.BITS | WireType.BYTES;
  }

  private static final class EntryField {
    static final int ID = 1 << WireType.BITS | WireType.BYTES;
    static final int SPEC = 2 << WireType.BITS | WireType.BYTES;
    static final int TASK_TYPE = 3 << WireType.BITS | WireType.BYTES;
    static final int TASK_PAYLOAD = 4 << WireType.BITS | WireType.BYTES;
    static final int OPTIONS = 5 << WireType.BITS | WireType.BYTES;
    static final int NEXT = 6 << WireType.BITS | WireType.BYTES;
    static final int PREVIOUS = 7 << WireType.BITS | WireType.BYTES;
  }

  private static final class EventField {
    static final int TASK_ID = 1 << WireType.BITS | WireType.BYTES;
    static final int ENQUEUED_AT = 2 << WireType.BITS | WireType.BYTES;
  }
}
