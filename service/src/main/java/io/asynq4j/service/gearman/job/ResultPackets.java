package io.asynq4j.service.gearman.job;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskState;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.session.ClientSession;
import io.asynq4j.service.gearman.session.WorkerJobs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The packets that report the progress and the result of a job to its clients. */
final class ResultPackets {

  private ResultPackets() {}

  static ByteBuffer progress(JobKey key, Progress progress) {
    JobStatus status = JobStatus.of(progress);
    return Packets.of(
        PacketType.WORK_STATUS,
        key.handle(),
        Packets.latin(status.numerator()),
        Packets.latin(status.denominator()));
  }

  static Function<ClientSession, ByteBuffer> completion(JobKey key, byte[] result) {
    ByteBuffer packet = Packets.of(PacketType.WORK_COMPLETE, key.handle(), result);
    return client -> packet.duplicate();
  }

  /**
   * @param exception sent to clients that want exceptions; null when there is none
   */
  static Function<ClientSession, ByteBuffer> failure(JobKey key, byte @Nullable [] exception) {
    String handle = key.handle();
    return client ->
        exception != null && client.wantsExceptions()
            ? Packets.of(PacketType.WORK_EXCEPTION, handle, exception)
            : Packets.of(PacketType.WORK_FAIL, handle);
  }

  /** The result of a task that has ended. */
  static Function<ClientSession, ByteBuffer> result(JobKey key, TaskInfo task) {
    return task.state() == TaskState.COMPLETED
        ? completion(key, task.result().bytes())
        : failure(key, exception(task.lastError()));
  }

  private static byte @Nullable [] exception(String error) {
    return error.isEmpty() || error.equals(WorkerJobs.FAILED)
        ? null
        : error.getBytes(StandardCharsets.UTF_8);
  }
}
