package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A client or worker that sends exactly the packets of a test. Every byte is a char. */
public final class RawPeer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A packet of the server. */
  record Reply(PacketType command, List<String> arguments) {
    String argument(int i) {
      return arguments.get(i);
    }
  }

  private final Socket socket;
  private final DataInputStream in;

  RawPeer(int port) {
    try {
      this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      this.in = new DataInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] packet(int code, String... arguments) {
    byte[] body = String.join("\0", arguments).getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocate(12 + body.length)
        .putInt(Packets.REQUEST_MAGIC)
        .putInt(code)
        .putInt(body.length)
        .put(body)
        .array();
  }

  RawPeer send(PacketType command, String... arguments) {
    return sendBytes(packet(command.code(), arguments));
  }

  RawPeer sendBytes(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next packet; fails if there is none. */
  Reply next() {
    return within(PATIENCE).orElseThrow(() -> new AssertionError("no packet came"));
  }

  /** The next packet, if one arrives in this time. */
  Optional<Reply> within(Duration patience) {
    try {
      socket.setSoTimeout((int) patience.toMillis());
      byte[] header = new byte[12];
      int first = in.read();
      if (first < 0) {
        throw new AssertionError("the connection was closed");
      }
      header[0] = (byte) first;
      socket.setSoTimeout((int) PATIENCE.toMillis());
      in.readFully(header, 1, 11);
      ByteBuffer fields = ByteBuffer.wrap(header);
      assertThat(fields.getInt()).isEqualTo(0x00_52_45_53);
      PacketType command = PacketType.ofCode(fields.getInt());
      byte[] body = new byte[fields.getInt()];
      in.readFully(body);
      String text = new String(body, StandardCharsets.ISO_8859_1);
      return Optional.of(
          new Reply(
              Objects.requireNonNull(command, "an unknown packet"), List.of(text.split("\0", -1))));
    } catch (SocketTimeoutException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next packet, which must be this one. Returns its arguments. */
  List<String> expect(PacketType command) {
    Reply reply = next();
    assertThat(reply.command()).as("%s", reply).isEqualTo(command);
    return reply.arguments();
  }

  /** Asserts that nothing arrives in this time. */
  void expectNothing(Duration patience) {
    assertThat(within(patience)).isEmpty();
  }

  /** Sends a request and reads the next packet, which must be of this type. */
  List<String> ask(PacketType answer, PacketType command, String... arguments) {
    return send(command, arguments).expect(answer);
  }

  /** Submits a job. Returns its handle. */
  String submit(PacketType command, String function, String unique, String data) {
    return ask(PacketType.JOB_CREATED, command, function, unique, data).get(0);
  }

  /** Requests a job until there is one, sleeping in between. Returns handle, function and data. */
  List<String> work() {
    while (true) {
      Reply reply = send(PacketType.GRAB_JOB).next();
      while (reply.command() == PacketType.NOOP) {
        // Woken at the moment of its own request.
        reply = next();
      }
      if (reply.command() == PacketType.JOB_ASSIGN) {
        return reply.arguments();
      }
      assertThat(reply.command()).as("%s", reply).isEqualTo(PacketType.NO_JOB);
      send(PacketType.PRE_SLEEP).expect(PacketType.NOOP);
    }
  }

  /** Sleeps after a request without a job. */
  RawPeer sleep() {
    Reply reply = send(PacketType.GRAB_JOB).next();
    assertThat(reply.command()).as("%s", reply).isEqualTo(PacketType.NO_JOB);
    return send(PacketType.PRE_SLEEP);
  }

  /** A line of the admin protocol, with an answer of one line. */
  String admin(String line) {
    sendBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    return line();
  }

  /** The same with an answer of many lines that ends with a dot. */
  List<String> adminList(String line) {
    sendBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    List<String> lines = new ArrayList<>();
    for (String next = line(); !next.equals("."); next = line()) {
      lines.add(next);
    }
    return lines;
  }

  private String line() {
    try {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      StringBuilder text = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          throw new AssertionError("the connection was closed after: " + text);
        }
        text.append((char) c);
      }
      return text.toString().strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the other side has closed, and discards what still arrives. */
  void expectEnd() {
    try {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      while (in.read() >= 0) {
        // Continues to the end.
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the connection was not closed", e);
    } catch (IOException e) {
      // A reset is an end too.
    }
  }

  /** Disconnects without a packet. */
  void hangUp() {
    close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
