package io.asynq4j.codec;

import io.asynq4j.Payload;
import io.asynq4j.internal.codec.JsonCodec;
import java.lang.reflect.Type;

/**
 * Encodes inputs and results as bytes, and decodes them. Set it once, on the connection ({@code
 * RedisConfig.builder().codec(codec)}): clients, servers and schedulers use that one unless their
 * own builder sets another.
 *
 * <p>An implementation must be thread-safe. It must never use Java serialization: anyone who can
 * write to Redis could then run code in the process. Equal values should become equal bytes, since
 * the lock of a unique task is derived from them.
 */
public interface PayloadCodec {

  /**
   * Encodes a value.
   *
   * @throws PayloadException if the value cannot be encoded
   */
  Payload encode(Object value);

  /**
   * Decodes a value of a type, which may be generic, such as {@code List<Order>}.
   *
   * @throws PayloadException if the bytes are no such value
   */
  Object decode(Payload payload, Type type);

  /**
   * Decodes a value of a class.
   *
   * @throws PayloadException if the bytes are no such value
   */
  // The class of a primitive cannot cast what stands for it.
  @SuppressWarnings("unchecked")
  default <T> T decode(Payload payload, Class<T> type) {
    return (T) decode(payload, (Type) type);
  }

  /**
   * JSON by Jackson 3, or by Jackson 2 when only that is on the class path. Without either, it
   * fails when it is first used. Unknown properties are ignored, so that producers may be newer
   * than servers; components of records that the JSON lacks become null.
   */
  static PayloadCodec json() {
    return JsonCodec.INSTANCE;
  }

  /**
   * The same JSON, but a payload that lacks a component of a record is refused with a {@link
   * PayloadException} that names it, instead of becoming null: so a renamed component is noticed.
   * Components that are annotated as {@code @Nullable}, with any annotation of that name that is
   * kept at run time, and those of type {@code Optional} may be absent. With Jackson 2, {@code
   * Optional} needs {@code jackson-datatype-jdk8} on the class path. Unknown properties are ignored
   * here too.
   *
   * <p>Deploy servers with care: a component that is added to a record must be nullable or optional
   * until all tasks of older producers have ended, since a task with a refused payload is archived.
   */
  static PayloadCodec strictJson() {
    return JsonCodec.STRICT;
  }

  /**
   * JSON by a mapper of the application: an {@code ObjectMapper} or {@code JsonMapper} of Jackson 3
   * or Jackson 2. The parameter is an {@code Object} so that neither library has to be on the class
   * path.
   *
   * <p>Keep its settings stable: when a change of the property order, of date formats or of naming
   * changes the bytes of equal values, unique tasks that were enqueued before no longer count as
   * equal. Tasks that were enqueued with the old settings must stay readable.
   *
   * @throws IllegalArgumentException if it is no such mapper
   */
  static PayloadCodec jackson(Object mapper) {
    return JsonCodec.by(mapper);
  }
}
