package io.asynq4j.internal.redis.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.redis.codec.wire.WireSchedulerEntry;
import io.asynq4j.internal.redis.codec.wire.WireSchedulerEvent;
import io.asynq4j.internal.redis.codec.wire.WireServer;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.codec.wire.WireWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages to bytes and back by the classes that protobuf generates: what {@link MessageCodec} and
 * {@link PresenceCodec} must agree with.
 */
final class ProtobufReferenceCodec {

  /** The instant by which Go says "never"; an absent one would read as 1970 there. */
  private static final long GO_ZERO_TIME = -62135596800L;

  private ProtobufReferenceCodec() {}

  static byte[] encode(TaskMessage message) {
    WireTask.Builder wire =
        WireTask.newBuilder()
            .setType(message.type())
            .setPayload(ByteString.copyFrom(message.payload().view()))
            .setId(message.id())
            .setQueue(message.queue().value())
            .setRetry(message.maxRetry())
            .setRetried(message.retried())
            .setErrorMsg(MessageCodec.errorText(message.lastError()))
            .setTimeout(message.timeout().toSeconds())
            .setDeadline(seconds(message.deadline()))
            .setUniqueKey(message.uniqueKey())
            .setLastFailedAt(seconds(message.lastFailedAt()))
            .setRetention(message.retention().toSeconds())
            .setCompletedAt(seconds(message.completedAt()))
            .setGroupKey(message.group());
    if (!message.headers().isEmpty()) {
      // In order, so that equal messages have equal bytes.
      wire.putAllHeaders(new TreeMap<>(message.headers()));
    }
    if (message.unknownFields().isPresent()) {
      wire.setUnknownFields(unknownFields(message.unknownFields()));
    }
    return wire.build().toByteArray();
  }

  /**
   * Reads a message and checks that it is the one of this task: workers find a task's keys by what
   * it says.
   */
  static TaskMessage decode(byte[] bytes, QueueName queue, String id)
      throws UnreadableMessageException, InvalidProtocolBufferException {
    WireTask wire = WireTask.parseFrom(bytes);
    if (!wire.getId().equals(id) || !wire.getQueue().equals(queue.value())) {
      throw new UnreadableMessageException(
          "its message belongs to task \""
              + wire.getId()
              + "\" of queue \""
              + wire.getQueue()
              + "\"");
    }
    if (wire.getType().isBlank()) {
      throw new UnreadableMessageException("its message has no task type");
    }
    return new TaskMessage(
        wire.getType(),
        payload(wire.getPayload()),
        id,
        queue,
        wire.getRetry(),
        wire.getRetried(),
        wire.getErrorMsg(),
        Duration.ofSeconds(wire.getTimeout()),
        instant(wire.getDeadline()),
        wire.getUniqueKey(),
        instant(wire.getLastFailedAt()),
        Duration.ofSeconds(wire.getRetention()),
        instant(wire.getCompletedAt()),
        wire.getGroupKey(),
        wire.getHeadersMap(),
        wire.getUnknownFields().asMap().isEmpty()
            ? Payload.absent()
            : Payload.of(wire.getUnknownFields().toByteArray()));
  }

  static byte[] encode(Presence.Server server) {
    return WireServer.newBuilder()
        .setHost(server.host())
        .setPid(server.pid())
        .setServerId(server.serverId())
        .setConcurrency(server.concurrency())
        .putAllQueues(new TreeMap<>(server.queues()))
        .setStrictPriority(server.strictPriority())
        .setStatus(server.status())
        .setStartTime(timestamp(server.started()))
        .setActiveWorkerCount(server.activeWorkers())
        .setHeartbeatMillis(server.heartbeat() == null ? 0 : server.heartbeat().toMillis())
        .build()
        .toByteArray();
  }

  static Presence.Server decodeServer(byte[] bytes) throws InvalidProtocolBufferException {
    WireServer wire = WireServer.parseFrom(bytes);
    return new Presence.Server(
        wire.getHost(),
        wire.getPid(),
        wire.getServerId(),
        wire.getConcurrency(),
        wire.getQueuesMap(),
        wire.getStrictPriority(),
        wire.getStatus(),
        instant(wire.getStartTime()),
        wire.getActiveWorkerCount(),
        wire.getHeartbeatMillis() > 0 ? Duration.ofMillis(wire.getHeartbeatMillis()) : null);
  }

  static byte[] encode(Presence.Worker worker) {
    return WireWorker.newBuilder()
        .setHost(worker.host())
        .setPid(worker.pid())
        .setServerId(worker.serverId())
        .setTaskId(worker.taskId())
        .setTaskType(worker.taskType())
        .setTaskPayload(ByteString.copyFrom(worker.taskPayload().view()))
        .setQueue(worker.queue().value())
        .setStartTime(timestamp(worker.started()))
        .setDeadline(timestamp(worker.deadline()))
        .build()
        .toByteArray();
  }

  static Presence.Worker decodeWorker(byte[] bytes) throws InvalidProtocolBufferException {
    WireWorker wire = WireWorker.parseFrom(bytes);
    return new Presence.Worker(
        wire.getHost(),
        wire.getPid(),
        wire.getServerId(),
        wire.getTaskId(),
        wire.getTaskType(),
        payload(wire.getTaskPayload()),
        QueueName.of(wire.getQueue()),
        instant(wire.getStartTime()),
        instant(wire.getDeadline()));
  }

  static byte[] encode(Presence.SchedulerEntry entry) {
    return WireSchedulerEntry.newBuilder()
        .setId(entry.id())
        .setSpec(entry.spec())
        .setTaskType(entry.taskType())
        .setTaskPayload(ByteString.copyFrom(entry.taskPayload().view()))
        .addAllEnqueueOptions(entry.options())
        .setNextEnqueueTime(timestamp(entry.next()))
        .setPrevEnqueueTime(timestamp(entry.previous()))
        .build()
        .toByteArray();
  }

  static Presence.SchedulerEntry decodeSchedulerEntry(byte[] bytes)
      throws InvalidProtocolBufferException {
    WireSchedulerEntry wire = WireSchedulerEntry.parseFrom(bytes);
    return new Presence.SchedulerEntry(
        wire.getId(),
        wire.getSpec(),
        wire.getTaskType(),
        payload(wire.getTaskPayload()),
        wire.getEnqueueOptionsList(),
        instant(wire.getNextEnqueueTime()),
        instant(wire.getPrevEnqueueTime()));
  }

  static byte[] encode(Presence.SchedulerEvent event) {
    return WireSchedulerEvent.newBuilder()
        .setTaskId(event.taskId())
        .setEnqueueTime(timestamp(event.enqueuedAt()))
        .build()
        .toByteArray();
  }

  static Presence.SchedulerEvent decodeSchedulerEvent(byte[] bytes)
      throws InvalidProtocolBufferException {
    WireSchedulerEvent wire = WireSchedulerEvent.parseFrom(bytes);
    Timestamp at = wire.getEnqueueTime();
    return new Presence.SchedulerEvent(wire.getTaskId(), instant(at.getSeconds(), at.getNanos()));
  }

  private static UnknownFieldSet unknownFields(Payload bytes) {
    try {
      return UnknownFieldSet.parseFrom(ByteString.copyFrom(bytes.view()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("unknown fields of a message must have come from one", e);
    }
  }

  private static Payload payload(ByteString bytes) {
    return bytes.isEmpty() ? Payload.absent() : Payload.of(bytes.toByteArray());
  }

  private static long seconds(@Nullable Instant instant) {
    return instant == null ? 0 : instant.getEpochSecond();
  }

  private static @Nullable Instant instant(long seconds) {
    return seconds == 0 ? null : instant(seconds, 0);
  }

  /**
   * Beyond what Java can say, as near to it as it can: one odd date must not spoil a whole batch.
   */
  private static Instant instant(long seconds, int nanos) {
    long sayable =
        Math.max(Instant.MIN.getEpochSecond(), Math.min(Instant.MAX.getEpochSecond(), seconds));
    return Instant.ofEpochSecond(
        sayable, sayable == seconds ? Math.max(0, Math.min(999_999_999, nanos)) : 0);
  }

  private static Timestamp timestamp(@Nullable Instant instant) {
    return instant == null
        ? Timestamp.newBuilder().setSeconds(GO_ZERO_TIME).build()
        : Timestamp.newBuilder()
            .setSeconds(instant.getEpochSecond())
            .setNanos(instant.getNano())
            .build();
  }

  private static @Nullable Instant instant(Timestamp timestamp) {
    return timestamp.getSeconds() == GO_ZERO_TIME
        ? null
        : instant(timestamp.getSeconds(), timestamp.getNanos());
  }
}
