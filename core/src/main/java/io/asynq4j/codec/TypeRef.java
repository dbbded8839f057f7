package io.asynq4j.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Objects;

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

  private TypeRef(Type type) {
    this.type = Objects.requireNonNull(type, "type");
  }

  /** Returns a type that is known only at run time, such as the type of a parameter of a method. */
  public static TypeRef<?> of(Type type) {
    return new TypeRef<Object>(type) {};
  }

  /** Returns the type, such as {@code java.util.List<com.example.Order>}. */
  public final Type type() {
    return type;
  }
}
