package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadCodec;
import java.lang.reflect.Type;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** JSON by the version of Jackson on the class path. The class path is searched on first use. */
public final class JsonCodec implements PayloadCodec {

  /** Advice for applications without a usable version of Jackson. */
  static final String ALTERNATIVES =
      " set your own PayloadCodec, or use Payload as the type of the input";

  public static final JsonCodec INSTANCE = new JsonCodec(/* strict= */ false);
  public static final JsonCodec STRICT = new JsonCodec(/* strict= */ true);

  private final boolean strict;

  /** Found on first use: an application that only moves bytes needs no JSON library. */
  private volatile @Nullable PayloadCodec found;

  private JsonCodec(boolean strict) {
    this.strict = strict;
  }

  private PayloadCodec found() {
    PayloadCodec known = found;
    if (known == null) {
      known = find(JsonCodec::isPresent, strict);
      found = known;
    }
    return known;
  }

  @Override
  public Payload encode(Object value) {
    return found().encode(value);
  }

  @Override
  public Object decode(Payload payload, Type type) {
    return found().decode(payload, type);
  }

  /** Returns a codec with a mapper of the application. */
  public static PayloadCodec by(Object mapper) {
    for (Class<?> each = mapper.getClass(); each != null; each = each.getSuperclass()) {
      if (each.getName().equals("tools.jackson.databind.ObjectMapper")) {
        return new Jackson3Codec(mapper);
      }
      if (each.getName().equals("com.fasterxml.jackson.databind.ObjectMapper")) {
        return new Jackson2Codec(mapper);
      }
    }
    throw new IllegalArgumentException(
        "%s is not a Jackson mapper: pass an ObjectMapper or JsonMapper of Jackson 3 or 2"
            .formatted(mapper.getClass().getName()));
  }

  /**
   * Returns the codec for the version of Jackson that is present.
   *
   * @throws LinkageError with advice if no version is usable: not the fault of a payload
   */
  public static PayloadCodec find(Predicate<String> isPresent, boolean strict) {
    if (isPresent.test("tools.jackson.databind.json.JsonMapper")) {
      return new Jackson3Codec(strict);
    }
    if (isPresent.test("com.fasterxml.jackson.databind.ObjectMapper")) {
      return Jackson2Codec.ofClassPath(strict);
    }
    throw new NoClassDefFoundError(
        "there is no JSON library on the class path: add tools.jackson.core:jackson-databind,"
            + ALTERNATIVES);
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName(name, false, JsonCodec.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
