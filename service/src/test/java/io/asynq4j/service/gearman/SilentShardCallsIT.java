package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Durability;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.MessageBus;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.SilentShard;
import io.asynq4j.service.gearman.job.AssignedJob;
import io.asynq4j.service.gearman.job.AssignedJobRegistry;
import io.asynq4j.service.gearman.job.FunctionRegistry;
import io.asynq4j.service.gearman.job.GatewayBus;
import io.asynq4j.service.gearman.job.JobKey;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.limit.PendingTaskLimiter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of the gateway other than claims while one Redis server of a cluster does not respond. */
class SilentShardCallsIT {

  private static final Duration LEASE = Duration.ofMinutes(10);

  private final List<RawPeer> peers = new ArrayList<>();
  private final List<GearmanGateway> gateways = new ArrayList<>();
  private SilentShard shard;
  private RedisConnection redis;
  private RedisConnection other;
  private TaskClient client;

  @BeforeEach
  void start() {
    shard = new SilentShard(0);
    redis = shard.connect(SilentShard.VERY_LONG, Duration.ZERO);
    other = shard.connect(Duration.ofSeconds(2), Duration.ofSeconds(10));
    client = TaskClient.create(other);
  }

  @AfterEach
  void stop() {
    shard.resume();
    peers.forEach(RawPeer::close);
    gateways.forEach(GearmanGateway::close);
    client.close();
    other.close();
    redis.close();
    shard.close();
  }

  private void define(List<String> names) {
    TaskDefinitions definitions = TaskDefinitions.of(redis);
    names.forEach(name -> definitions.put(TaskDefinition.builder(name, TaskKind.WORKER).build()));
  }

  private GearmanGateway gateway(AttemptListener attempts) {
    GearmanConfig config =
        GearmanConfig.builder().port(0).drainTimeout(Duration.ofMillis(200)).build();
    GearmanGateway gateway =
        GearmanGateway.start(
            redis,
            config,
            (definition, payload) -> Optional.empty(),
            attempts,
            new PendingTaskLimiter(Inspector.create(redis)),
            Durability.PRIMARY);
    gateways.add(gateway);
    return gateway;
  }

  private RawPeer peer(GearmanGateway gateway) {
    RawPeer peer = new RawPeer(gateway.port());
    peers.add(peer);
    return peer;
  }

  private void enqueue(String queue, String id) {
    client
        .enqueue(Task.of(queue, Payload.ofUtf8("x")), TaskOptions.of(o -> o.queue(queue).id(id)))
        .orThrow();
  }

  @Test
  void jobsForOtherServersAreSubmittedAndAnswersKeepTheirOrder() {
    String stuck = shard.queues(true, 1).get(0);
    List<String> healthy = shard.queues(false, 2);
    define(List.of(stuck, healthy.get(0)));
    String mixed = "mixed";
    TaskDefinitions definitions = TaskDefinitions.of(redis);
    definitions.put(TaskDefinition.builder(mixed, TaskKind.WORKER).queue(healthy.get(1)).build());
    definitions.put(
        TaskDefinition.builder(mixed + ":high", TaskKind.WORKER)
            .queue(shard.queues(true, 2).get(1))
            .build());
    GearmanGateway gateway = gateway(AttemptListener.NONE);
    RawPeer ofStuck = peer(gateway);
    RawPeer ofMixed = peer(gateway);
    RawPeer ofHealthy = peer(gateway);
    shard.pause();

    ofStuck.send(PacketType.SUBMIT_JOB_BG, stuck, "first", "x");
    ofStuck.send(PacketType.SUBMIT_JOB_BG, healthy.get(0), "second", "x");
    // Its unique key may be taken in the queue of high priority, which is on the silent server.
    ofMixed.send(PacketType.SUBMIT_JOB_BG, mixed, "unique", "x");
    for (int i = 0; i < 5; i++) {
      ofHealthy.submit(PacketType.SUBMIT_JOB_BG, healthy.get(0), "u" + i, "x");
      ofHealthy.submit(PacketType.SUBMIT_JOB_BG, mixed, "", "x");
    }
    Inspector inspector = Inspector.create(other);
    await().until(() -> inspector.queue(healthy.get(0)).count(List.of("second")) == 1);

    shard.resume();
    assertThat(ofStuck.expect(PacketType.JOB_CREATED).get(0))
        .isEqualTo(new JobKey(stuck, "first").handle());
    assertThat(ofStuck.expect(PacketType.JOB_CREATED).get(0))
        .isEqualTo(new JobKey(healthy.get(0), "second").handle());
    ofMixed.expect(PacketType.JOB_CREATED);
  }

  @Test
  void aFollowUpForTheServerHoldsOnlyTheQueueOfItsTask() {
    String stuck = shard.queues(true, 1).get(0);
    List<String> healthy = shard.queues(false, 2);
    define(healthy);
    try (TaskClient followUps = TaskClient.create(redis)) {
      GearmanGateway gateway = gateway(new FollowUp(healthy.get(0), stuck, followUps));
      RawPeer held = peer(gateway).send(PacketType.CAN_DO, healthy.get(0));
      RawPeer ofBoth = peer(gateway);
      ofBoth.send(PacketType.CAN_DO, healthy.get(0)).send(PacketType.CAN_DO, healthy.get(1));
      enqueue(healthy.get(0), "held");
      shard.pause();

      held.sleep();
      for (int i = 0; i < 3; i++) {
        enqueue(healthy.get(1), "free-" + i);
        assertThat(ofBoth.work().get(1)).isEqualTo(healthy.get(1));
      }

      shard.resume();
      held.expect(PacketType.NOOP);
      assertThat(held.work().get(0)).isEqualTo(new JobKey(healthy.get(0), "held").handle());
      assertThat(Inspector.create(other).queue(stuck).count(List.of("held.before"))).isEqualTo(1);
    }
  }

  /** Before each task of one queue, enqueues one in another. */
  private record FollowUp(String queue, String target, TaskClient client)
      implements AttemptListener {

    @Override
    public Set<String> queuesBefore(LeasedTask task) {
      return task.queue().value().equals(queue) ? Set.of(target) : Set.of();
    }

    @Override
    public void begin(List<LeasedTask> tasks) {
      tasks.stream()
          .filter(task -> !queuesBefore(task).isEmpty())
          .map(
              task ->
                  EnqueueRequest.of(
                      Task.of(target, Payload.absent()),
                      TaskOptions.of(o -> o.queue(target).id(task.id() + ".before"))))
          .forEach(request -> client.enqueueAll(List.of(request)));
    }
  }

  @Test
  void manyQueuesOfTheServerTakeNoThreadsFromOthers() {
    List<String> stuck = shard.queues(true, 70);
    String healthy = shard.queues(false, 1).get(0);
    GearmanConfig config = GearmanConfig.builder().port(0).lease(LEASE).build();
    EventLoop loop = loop();
    AssignedJobRegistry jobs =
        new AssignedJobRegistry(
            new FunctionRegistry(redis, config), loop, config, AttemptListener.NONE);
    try {
      List<AssignedJob> all = new ArrayList<>();
      List<String> queues = new ArrayList<>(stuck);
      queues.add(healthy);
      for (String queue : queues) {
        AssignedJob job = job(queue);
        all.add(job);
        jobs.add(job);
      }
      AssignedJob last = all.get(all.size() - 1);
      shard.pause();

      jobs.extendLeases();
      TaskLeases leases = TaskLeases.create(other);
      await()
          .until(
              () ->
                  leases
                      .restore(healthy, last.task().id(), last.task().token())
                      .orElseThrow()
                      .leasedUntil()
                      .isAfter(last.task().leasedUntil()));
      Map<AssignedJob, Optional<Outcome>> ends = new ConcurrentHashMap<>();
      for (AssignedJob job : all) {
        jobs.settle(job, Outcome.done(), outcome -> ends.put(job, outcome));
      }
      await().until(() -> ends.equals(Map.of(last, Optional.of(Outcome.done()))));
    } finally {
      shard.resume();
      jobs.close(Duration.ZERO);
      loop.close();
    }
  }

  private static EventLoop loop() {
    EventLoop loop =
        new EventLoop(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100, 1 << 20);
    loop.start(
        connection -> {
          throw new IllegalStateException("nobody connects");
        });
    return loop;
  }

  @SuppressWarnings("NullAway") // Only a lost lease notifies the worker.
  private AssignedJob job(String queue) {
    enqueue(queue, "id");
    LeasedTask task = TaskLeases.create(other).claim(queue, 1, Duration.ofMinutes(1)).get(0);
    return new AssignedJob(task, null, LEASE, "here");
  }

  @Test
  void messagesToOtherGatewaysAreSentAndNoJobWaitsForThoseThatAreNot() {
    String stuck = "to-{" + shard.queues(true, 1).get(0) + "}";
    String healthy = "to-{" + shard.queues(false, 1).get(0) + "}";
    EventLoop loop = loop();
    List<byte[]> received = new CopyOnWriteArrayList<>();
    GatewayBus bus = new GatewayBus(redis, loop, new Deaf());
    MessageBus receiver = MessageBus.open(other, List.of(healthy), received::add);
    try {
      AssignedJob ofBoth = job(shard.queues(false, 1).get(0));
      ofBoth.listeners().addAll(List.of(stuck, healthy));
      shard.pause();

      List<String> steps = new CopyOnWriteArrayList<>();
      bus.forward(ofBoth, ByteBuffer.allocate(8));
      bus.afterMessages(ofBoth, () -> steps.add("settled"));
      await().until(() -> received.size() == 1 && steps.size() == 1);
    } finally {
      shard.resume();
      receiver.close();
      bus.close(Duration.ZERO);
      loop.close();
    }
  }

  private static final class Deaf implements GatewayBus.Listener {
    @Override
    public void packet(JobKey key, ByteBuffer packet) {}

    @Override
    public void poll(JobKey key) {}

    @Override
    public void subscribed(JobKey key, String gateway) {}
  }

  @Test
  void clientsLearnOfJobsOfOtherServers() {
    String stuck = shard.queues(true, 1).get(0);
    String healthy = shard.queues(false, 1).get(0);
    define(List.of(stuck, healthy));
    GearmanGateway gateway = gateway(AttemptListener.NONE);
    RawPeer ofStuck = peer(gateway);
    String stuckHandle = ofStuck.submit(PacketType.SUBMIT_JOB, stuck, "", "x");
    shard.pause();

    for (int i = 0; i < 4; i++) {
      peer(gateway).send(PacketType.GET_STATUS, stuckHandle);
    }
    // Several: the silent server is asked for the result of its job in the meantime.
    for (int i = 0; i < 5; i++) {
      RawPeer waiting = peer(gateway);
      String handle = waiting.submit(PacketType.SUBMIT_JOB, healthy, "", "x");
      assertThat(peer(gateway).ask(PacketType.STATUS_RES, PacketType.GET_STATUS, handle).get(1))
          .isEqualTo("1");
      TaskLeases elsewhere = TaskLeases.create(other);
      LeasedTask task = elsewhere.claim(healthy, 1, LEASE).get(0);
      elsewhere.complete(task, Payload.ofUtf8("done"));
      assertThat(waiting.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "done");
    }
  }
}
