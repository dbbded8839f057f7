package io.asynq4j.embedded;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reply to {@code INFO}, requested without a client library: loading one would take longer than
 * the server's start.
 */
record ServerInfo(String text) {

  private static final int CONNECT_MILLIS = 500;
  private static final int READ_MILLIS = 500;

  static Optional<ServerInfo> ask(int port, @Nullable String password) {
    try (Socket socket = new Socket()) {
      socket.connect(EmbeddedRedis.address(port), CONNECT_MILLIS);
      socket.setSoTimeout(READ_MILLIS);
      OutputStream out = socket.getOutputStream();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      if (password != null) {
        out.write(command("AUTH", password));
        line(in);
      }
      out.write(command("INFO"));
      String head = line(in);
      if (!head.startsWith("$")) {
        return Optional.empty();
      }
      byte[] body = in.readNBytes(Integer.parseInt(head.substring(1)));
      return Optional.of(new ServerInfo(new String(body, StandardCharsets.UTF_8)));
    } catch (IOException | NumberFormatException e) {
      // No process listens yet, or one that is not Redis.
      return Optional.empty();
    }
  }

  /** Returns whether the reply has this line, such as {@code role:master}. */
  boolean has(String line) {
    return text.lines().anyMatch(line::equals);
  }

  private static byte[] command(String... words) {
    StringBuilder command = new StringBuilder("*").append(words.length).append("\r\n");
    for (String word : words) {
      int length = word.getBytes(StandardCharsets.UTF_8).length;
      command.append('$').append(length).append("\r\n").append(word).append("\r\n");
    }
    return command.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.readUnsignedByte(); b != '\n'; b = in.readUnsignedByte()) {
      if (line.length() > 1_000) {
        throw new IOException("not a reply of Redis");
      }
      line.append((char) b);
    }
    return line.toString().strip();
  }
}
