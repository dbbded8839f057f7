package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.PayloadCodec;
import java.util.function.Predicate;

/** The JSON library that is there. */
public final class JsonCodec implements PayloadCodec {

  /** What helps without another JSON library. */
  static final String ALTERNATIVES =
      " give a PayloadCodec of your own, or use Payload as the type of the input";

  public static final JsonCodec INSTANCE = new JsonCodec();

  private JsonCodec() {}

  @Override
  public Payload encode(Object value) {
    return Found.CODEC.encode(value);
  }

  @Override
  public <T> T decode(Payload payload, Class<T> type) {
    return Found.CODEC.decode(payload, type);
  }

  public static PayloadCodec find(Predicate<String> isPresent) {
    if (isPresent.test("tools.jackson.databind.json.JsonMapper")) {
      return new Jackson3Codec();
    }
    if (isPresent.test("com.fasterxml.jackson.databind.ObjectMapper")) {
      return Jackson2Codec.ofClassPath();
    }
    return new MissingCodec(
        "there is no JSON library on the class path: add tools.jackson.core:jackson-databind,"
            + ALTERNATIVES);
  }

  /** Looked for when it is first needed: who only moves bytes needs no JSON. */
  private static final class Found {
    static final PayloadCodec CODEC = find(Found::isPresent);

    private static boolean isPresent(String name) {
      try {
        Class.forName(name, false, JsonCodec.class.getClassLoader());
        return true;
      } catch (ClassNotFoundException e) {
        return false;
      }
    }
  }

  /** Says what to do where JSON is needed and no library can write it. */
  record MissingCodec(String advice) implements PayloadCodec {
    @Override
    public Payload encode(Object value) {
      throw new IllegalStateException(advice);
    }

    @Override
    public <T> T decode(Payload payload, Class<T> type) {
      throw new IllegalStateException(advice);
    }
  }
}
