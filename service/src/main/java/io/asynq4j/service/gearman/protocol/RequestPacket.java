package io.asynq4j.service.gearman.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A packet as a peer has sent it: its command and its arguments. Immutable as long as none writes.
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
    int begin = 0;
    for (int i = 1; i < command.arguments(); i++) {
      int end = begin;
      while (end < length && body[end] != 0) {
        end++;
      }
      if (end == length) {
        throw GearmanException.invalid(
            "%s has %d arguments, and %d were sent".formatted(command, command.arguments(), i));
      }
      arguments.add(Arrays.copyOfRange(body, begin, end));
      begin = end + 1;
    }
    if (command.arguments() > 0) {
      arguments.add(Arrays.copyOfRange(body, begin, length));
    }
    return new RequestPacket(command, arguments);
  }

  public PacketType command() {
    return command;
  }

  public byte[] bytes(int argument) {
    return arguments.get(argument);
  }

  /** All of them. */
  public int size() {
    return arguments.stream().mapToInt(each -> each.length).sum();
  }

  /** As text that keeps every byte, for handles and the like, which nobody looks into. */
  public String latin(int argument) {
    return new String(arguments.get(argument), StandardCharsets.ISO_8859_1);
  }

  /** A name of a function. Throws {@link GearmanException} when it can be none. */
  public String name(int argument) {
    byte[] bytes = arguments.get(argument);
    String name;
    try {
      name = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw GearmanException.invalid("a name of a function must be UTF-8");
    }
    return FunctionNameValidator.require(name);
  }
}
