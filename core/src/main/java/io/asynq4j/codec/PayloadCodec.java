package io.asynq4j.codec;

import io.asynq4j.Payload;
import io.asynq4j.internal.codec.JsonCodec;
import java.lang.reflect.Type;

/**
 * Encodes inputs and results as bytes, and decodes them. Set it once on the connection, with {@code
 * RedisConfig.builder().codec(codec)}. Clients, servers, schedulers and leases use it unless their
 * builder sets another.
 *
 * <p>An implementation must be thread-safe. It must never use Java serialization, which would let
 * anyone with write access to Redis run code in the process. Equal values should become equal
 * bytes, because the lock of a unique task is derived from them.
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
   * @throws PayloadException if the bytes cannot be decoded
   */
  Object decode(Payload payload, Type type);

  /**
   * Decodes a value of a class.
   *
   * @throws PayloadException if the bytes cannot be decoded
   */
  // Class.cast does not work for primitive types.
  @SuppressWarnings("unchecked")
  default <T> T decode(Payload payload, Class<T> type) {
    return (T) decode(payload, (Type) type);
  }

  /**
   * Returns a codec for JSON by Jackson 3, or by Jackson 2 if only that is on the class path.
   * Without either, its first use throws a {@link LinkageError}, and tasks are retried. Unknown
   * properties are ignored, so that producers may be newer than servers. Missing components of
   * records become null.
   */
  static PayloadCodec json() {
    return JsonCodec.INSTANCE;
  }

  /**
   * Returns a codec like {@link #json()} that rejects a payload without a component of a record,
   * such as a renamed one. The {@link PayloadException} names the component.
   *
   * <p>Components of type {@code Optional} may be absent, and those with an annotation named {@code
   * Nullable} that is retained at run time. With Jackson 2, {@code Optional} needs {@code
   * jackson-datatype-jdk8} on the class path.
   *
   * <p>Declare a new component as nullable or optional until all tasks of older producers have
   * ended, because a task with a rejected payload is archived.
   */
  static PayloadCodec strictJson() {
    return JsonCodec.STRICT;
  }

  /**
   * Returns a codec for JSON by a mapper of the application: an {@code ObjectMapper} or {@code
   * JsonMapper} of Jackson 3 or 2. The parameter is an {@code Object} so that neither library has
   * to be on the class path.
   *
   * <p>Keep the settings of the mapper stable. If property order, date formats or names change,
   * equal values become different bytes, and unique tasks enqueued before no longer count as equal.
   * Tasks enqueued with the old settings must remain readable.
   *
   * @throws IllegalArgumentException if the object is not such a mapper
   */
  static PayloadCodec jackson(Object mapper) {
    return JsonCodec.by(mapper);
  }
}
