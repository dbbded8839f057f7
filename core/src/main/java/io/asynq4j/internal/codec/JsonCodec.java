package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadCodec;
import java.lang.reflect.Type;
import java.util.function.Predicate;

/** The JSON library that is there. */
public final class JsonCodec implements PayloadCodec {

  /** What helps without another JSON library. */
  static final String ALTERNATIVES =
      " give a PayloadCodec of your own, or use Payload as the type of the input";

  public static final JsonCodec INSTANCE = new JsonCodec(/* strict= */ false);
  public static final JsonCodec STRICT = new JsonCodec(/* strict= */ true);

  private final boolean strict;

  private JsonCodec(boolean strict) {
    this.strict = strict;
  }

  private PayloadCodec found() {
    return strict ? FoundStrict.CODEC : Found.CODEC;
  }

  @Override
  public Payload encode(Object value) {
    return found().encode(value);
  }

  @Override
  public Object decode(Payload payload, Type type) {
    return found().decode(payload, type);
  }

  /** A codec by a mapper of the application, whose library is therefore there. */
  public static PayloadCodec by(Object mapper) {
    for (Class<?> each = mapper.getClass(); each != null; each = each.getSuperclass()) {
      if (each.getName().equals("tools.jackson.databind.ObjectMapper")) {
        return Jackson3Codec.by(mapper);
      }
      if (each.getName().equals("com.fasterxml.jackson.databind.ObjectMapper")) {
        return Jackson2Codec.by(mapper);
      }
    }
    throw new IllegalArgumentException(
        "%s is no mapper of Jackson: give an ObjectMapper or a JsonMapper of Jackson 3 or 2"
            .formatted(mapper.getClass().getName()));
  }

  public static PayloadCodec find(Predicate<String> isPresent, boolean strict) {
    if (isPresent.test("tools.jackson.databind.json.JsonMapper")) {
      return strict ? Jackson3Codec.strict() : new Jackson3Codec();
    }
    if (isPresent.test("com.fasterxml.jackson.databind.ObjectMapper")) {
      return Jackson2Codec.ofClassPath(strict);
    }
    return new MissingCodec(
        "there is no JSON library on the class path: add tools.jackson.core:jackson-databind,"
            + ALTERNATIVES);
  }

  /** Looked for when it is first needed: who only moves bytes needs no JSON. */
  private static final class Found {
    static final PayloadCodec CODEC = find(JsonCodec::isPresent, /* strict= */ false);
  }

  private static final class FoundStrict {
    static final PayloadCodec CODEC = find(JsonCodec::isPresent, /* strict= */ true);
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName(name, false, JsonCodec.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Says what to do where JSON is needed and no library can write it. */
  record MissingCodec(String advice) implements PayloadCodec {
    @Override
    public Payload encode(Object value) {
      throw new IllegalStateException(advice);
    }

    @Override
    public Object decode(Payload payload, Type type) {
      throw new IllegalStateException(advice);
    }
  }
}
