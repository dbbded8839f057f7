package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.service.gearman.protocol.PacketType;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The same conversation with the real gearmand and with the gateway: every packet that peers get is
 * the same, but for handles. Skipped without gearmand.
 */
class GearmanReferenceIT {

  private static final Logger log = LoggerFactory.getLogger(GearmanReferenceIT.class);

  @TempDir Path directory;

  /** The received packets, with handles numbered by their first appearance. */
  private static final class Transcript {
    private static final Pattern HANDLE = Pattern.compile("H:[^\\s,\\]]+");
    private final List<String> received = new ArrayList<>();
    private final Map<String, String> handles = new HashMap<>();

    void add(String peerName, Optional<RawPeer.Reply> reply) {
      String text =
          reply
              .map(each -> each.command() + " " + each.arguments())
              .orElse("nothing")
              // gearmand has an empty argument too many when an exception becomes a failure.
              .replaceAll("^(WORK_FAIL .*), ]$", "$1]");
      Matcher handle = HANDLE.matcher(text);
      received.add(
          peerName
              + ": "
              + handle.replaceAll(
                  found ->
                      handles.computeIfAbsent(
                          found.group(), any -> "handle " + (handles.size() + 1))));
    }
  }

  private static final class Conversation {
    private final int port;
    private final Transcript transcript = new Transcript();

    Conversation(int port) {
      this.port = port;
    }

    RawPeer peer() {
      return new RawPeer(port);
    }

    RawPeer.Reply receive(String peerName, RawPeer peer) {
      Optional<RawPeer.Reply> reply = peer.within(Duration.ofSeconds(3));
      transcript.add(peerName, reply);
      return reply.orElseGet(() -> new RawPeer.Reply(PacketType.NO_JOB, List.of("", "", "")));
    }

    void expectNothing(String peerName, RawPeer peer) {
      transcript.add(peerName, peer.within(Duration.ofMillis(150)));
    }
  }

  /** The steps for which both must behave the same. */
  private static List<String> converse(int port) {
    Conversation conversation = new Conversation(port);
    try (RawPeer client = conversation.peer();
        RawPeer second = conversation.peer();
        RawPeer worker = conversation.peer()) {
      client.send(PacketType.ECHO_REQ, "a\0b");
      conversation.receive("client", client);
      client.send(PacketType.OPTION_REQ, "exceptions");
      conversation.receive("client", client);
      client.send(PacketType.OPTION_REQ, "unheard");
      conversation.receive("client", client);
      client.send(PacketType.GET_STATUS, "H:none:1");
      conversation.receive("client", client);
      client.send(PacketType.GET_STATUS_UNIQUE, "none");
      conversation.receive("client", client);
      worker
          .send(PacketType.SET_CLIENT_ID, "w")
          .send(PacketType.CAN_DO, "f")
          .send(PacketType.GRAB_JOB);
      conversation.receive("worker", worker);
      worker.send(PacketType.PRE_SLEEP);
      conversation.expectNothing("worker", worker);

      client.send(PacketType.SUBMIT_JOB, "f", "one", "data\0x");
      conversation.receive("client", client);
      conversation.receive("worker", worker);
      worker.send(PacketType.GRAB_JOB_UNIQ);
      String handle = conversation.receive("worker", worker).argument(0);
      second.send(PacketType.GET_STATUS, handle);
      conversation.receive("second", second);
      worker.send(PacketType.WORK_STATUS, handle, "3", "10");
      conversation.receive("client", client);
      second.send(PacketType.GET_STATUS, handle);
      conversation.receive("second", second);
      second.send(PacketType.GET_STATUS_UNIQUE, "one");
      conversation.receive("second", second);
      worker.send(PacketType.WORK_DATA, handle, "part");
      conversation.receive("client", client);
      worker.send(PacketType.WORK_WARNING, handle, "warning");
      conversation.receive("client", client);
      second.send(PacketType.SUBMIT_JOB, "f", "one", "other data");
      conversation.receive("second", second);
      worker.send(PacketType.WORK_COMPLETE, handle, "res\0ult");
      conversation.receive("client", client);
      conversation.receive("second", second);
      second.send(PacketType.GET_STATUS, handle);
      conversation.receive("second", second);

      client.send(PacketType.SUBMIT_JOB, "f", "two", "d");
      conversation.receive("client", client);
      second.send(PacketType.SUBMIT_JOB, "f", "two", "d");
      conversation.receive("second", second);
      worker.send(PacketType.GRAB_JOB);
      handle = conversation.receive("worker", worker).argument(0);
      worker.send(PacketType.WORK_EXCEPTION, handle, "it broke");
      conversation.receive("client", client);
      conversation.receive("second", second);
      conversation.expectNothing("client", client);

      client.send(PacketType.SUBMIT_JOB, "f", "twice", "d");
      conversation.receive("client", client);
      client.send(PacketType.SUBMIT_JOB_HIGH, "f", "twice", "e");
      conversation.receive("client", client);
      client.send(PacketType.SUBMIT_JOB_LOW_BG, "f", "twice", "g");
      conversation.receive("client", client);
      second.send(PacketType.GET_STATUS_UNIQUE, "twice");
      conversation.receive("second", second);
      worker.send(PacketType.GRAB_JOB);
      handle = conversation.receive("worker", worker).argument(0);
      worker.send(PacketType.WORK_DATA, handle, "part");
      conversation.receive("client", client);
      conversation.receive("client", client);
      worker.send(PacketType.WORK_COMPLETE, handle, "done");
      conversation.receive("client", client);
      conversation.receive("client", client);
      conversation.expectNothing("client", client);
      worker.send(PacketType.GRAB_JOB);
      conversation.receive("worker", worker);

      client.send(PacketType.SUBMIT_JOB, "f", "three", "d");
      conversation.receive("client", client);
      worker.send(PacketType.GRAB_JOB_ALL);
      handle = conversation.receive("worker", worker).argument(0);
      worker.send(PacketType.WORK_FAIL, handle);
      conversation.receive("client", client);
      worker.send(PacketType.WORK_COMPLETE, "H:none:2", "x");
      conversation.receive("worker", worker);

      client.send(PacketType.SUBMIT_JOB_LOW_BG, "f", "l", "low");
      conversation.receive("client", client);
      client.send(PacketType.SUBMIT_JOB_BG, "f", "n", "normal");
      conversation.receive("client", client);
      client.send(PacketType.SUBMIT_JOB_HIGH_BG, "f", "h", "high");
      conversation.receive("client", client);
      for (int i = 0; i < 3; i++) {
        worker.send(PacketType.GRAB_JOB);
        worker.send(
            PacketType.WORK_COMPLETE, conversation.receive("worker", worker).argument(0), "");
      }
      client.send(PacketType.SUBMIT_JOB_BG, "f", "again", "d");
      conversation.receive("client", client);
      worker.send(PacketType.GRAB_JOB_UNIQ);
      conversation.receive("worker", worker);
      worker.hangUp();
      try (RawPeer next = conversation.peer()) {
        next.send(PacketType.CAN_DO, "f");
        next.send(PacketType.GRAB_JOB_UNIQ);
        Optional<RawPeer.Reply> reply = next.within(Duration.ofSeconds(3));
        // The end of a connection may be noticed a moment later.
        while (reply.isPresent() && reply.get().command() == PacketType.NO_JOB) {
          next.send(PacketType.GRAB_JOB_UNIQ);
          reply = next.within(Duration.ofSeconds(3));
        }
        conversation.transcript.add("next", reply);
        next.send(PacketType.WORK_COMPLETE, reply.orElseThrow().argument(0), "");
        next.send(PacketType.CANT_DO, "f").send(PacketType.GRAB_JOB);
        conversation.receive("next", next);
      }
    }
    return conversation.transcript.received;
  }

  @Test
  void peersHearTheSameFromTheGatewayAsFromGearmand() throws IOException {
    Optional<Path> gearmand = gearmand();
    if (gearmand.isEmpty()) {
      log.warn("SKIPPED: gearmand is not there (Debian: gearman-job-server)");
    }
    assumeTrue(gearmand.isPresent(), "gearmand is not there (Debian: gearman-job-server)");
    int port = freePort();
    Process process =
        new ProcessBuilder(
                gearmand.orElseThrow().toString(),
                "--port=" + port,
                "--listen=127.0.0.1",
                "--log-file=" + directory.resolve("gearmand.log"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("gearmand.out").toFile())
            .start();
    List<String> expected;
    try {
      await().until(() -> answers(port));
      expected = converse(port);
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
    try (GatewayFixture fixture = new GatewayFixture()) {
      fixture.define("f", "f:high", "f:low");
      assertThat(converse(fixture.start().port())).isEqualTo(expected);
    }
  }

  private static Optional<Path> gearmand() {
    List<String> places =
        new ArrayList<>(
            List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)));
    places.add("/usr/sbin");
    return places.stream()
        .map(place -> Path.of(place, "gearmand"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
