package io.asynq4j.cli.output;

import io.asynq4j.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A payload or result in its most readable form: JSON if it is a JSON object, array, number or
 * string, else text, else bytes. Immutable.
 */
public final class DecodedPayload {

  private final Payload payload;
  private final @Nullable String text;
  private final @Nullable Object json;

  private DecodedPayload(Payload payload, @Nullable String text, @Nullable Object json) {
    this.payload = payload;
    this.text = text;
    this.json = json;
  }

  public static DecodedPayload of(Payload payload) {
    String text = utf8(payload);
    return new DecodedPayload(payload, text, text == null ? null : parsed(text));
  }

  private static @Nullable String utf8(Payload payload) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(payload.bytes()))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static @Nullable Object parsed(String text) {
    try {
      return JsonReader.read(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** JSON document; null if it is not JSON. */
  public @Nullable Object json() {
    return json;
  }

  /** Text; null if it is JSON, empty or not text. */
  public @Nullable String text() {
    return json != null || payload.size() == 0 ? null : text;
  }

  /** Bytes; null if it is text. */
  public @Nullable String base64() {
    return text == null ? Base64.getEncoder().encodeToString(payload.bytes()) : null;
  }

  /** Adds it to a JSON object, with the form as a suffix of the key unless it is JSON. */
  public void into(Map<String, @Nullable Object> object, String name) {
    object.put(name, json());
    object.put(name + "_text", text());
    object.put(name + "_base64", base64());
  }

  /** One line, for tables. */
  public String line() {
    return payload.size() == 0
        ? ""
        : Optional.ofNullable(text).map(CellFormatter::oneLine).orElse(bytes());
  }

  /** All lines. */
  public String block(AnsiColors colors) {
    if (payload.size() == 0) {
      return colors.dim("(none)");
    }
    if (json != null) {
      return JsonWriter.indented(json, colors);
    }
    return text == null ? colors.dim(bytes()) : CellFormatter.harmless(text);
  }

  private String bytes() {
    return "(%,d bytes, binary)".formatted(payload.size());
  }
}
