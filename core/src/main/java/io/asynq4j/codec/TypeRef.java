package io.asynq4j.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A generic Java type, which a {@code Class} cannot represent. Create it as an anonymous subclass:
 * {@code new TypeRef<List<Order>>() {}}. Immutable.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {

  private final Type type;

  protected TypeRef() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parameterized)
        || getClass().getSuperclass() != TypeRef.class) {
      throw new IllegalStateException(
          "a TypeRef needs its type: write new TypeRef<List<Order>>() {}");
    }
    this.type = parameterized.getActualTypeArguments()[0];
  }

  /** Returns the type, such as {@code java.util.List<com.example.Order>}. */
  public final Type type() {
    return type;
  }
}
