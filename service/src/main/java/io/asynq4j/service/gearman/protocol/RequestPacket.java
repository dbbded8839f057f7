package io.asynq4j.service.gearman.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A packet that a peer has sent: its command and its arguments. Its arrays must not be modified.
 */
public final class RequestPacket {

  private final PacketType command;
  private final List<byte[]> arguments;

  private RequestPacket(PacketType command, List<byte[]> arguments) {
    this.command = command;
    this.arguments = arguments;
  }

  /** Throws {@link GearmanException} when arguments are missing. */
  static RequestPacket parse(PacketType command, byte[] body, int length) {
    List<byte[]> arguments = new ArrayList<>(command.arguments());
    int start = 0;
    for (int i = 1; i < command.arguments(); i++) {
      int end = start;
      while (end < length && body[end] != 0) {
        end++;
      }
      if (end == length) {
        throw GearmanException.invalid(
            "%s has %d arguments, and %d were sent".formatted(command, command.arguments(), i));
      }
      arguments.add(Arrays.copyOfRange(body, start, end));
      start = end + 1;
    }
    if (command.arguments() > 0) {
      arguments.add(Arrays.copyOfRange(body, start, length));
    }
    return new RequestPacket(command, arguments);
  }

  public PacketType command() {
    return command;
  }

  public byte[] bytes(int argument) {
    return arguments.get(argument);
  }

  /** Size of all arguments in bytes. */
  public int size() {
    return arguments.stream().mapToInt(each -> each.length).sum();
  }

  /** An argument as text with one char per byte, for handles and other opaque values. */
  public String latin(int argument) {
    return new String(arguments.get(argument), StandardCharsets.ISO_8859_1);
  }

  /** The name of a function. Throws {@link GearmanException} when it is invalid. */
  public String name(int argument) {
    byte[] bytes = arguments.get(argument);
    String name;
    try {
      name = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw GearmanException.invalid("the name of a function must be UTF-8");
    }
    return FunctionNameValidator.require(name);
  }
}
