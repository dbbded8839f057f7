package io.asynq4j.internal.codec;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Member;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Decides which components of records a strict codec requires. */
final class RecordComponents {

  private static final Set<Class<?>> OPTIONAL =
      Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

  private RecordComponents() {}

  /** Returns whether a parameter of a record's constructor is a component that must be present. */
  static boolean isRequired(Member owner, int parameter) {
    if (!(owner instanceof Constructor<?> constructor)
        || !constructor.getDeclaringClass().isRecord()) {
      return false;
    }
    RecordComponent[] components = constructor.getDeclaringClass().getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class[]::new);
    return Arrays.equals(types, constructor.getParameterTypes())
        && !OPTIONAL.contains(types[parameter])
        && !isNullable(components[parameter], constructor, parameter);
  }

  private static boolean isNullable(
      RecordComponent component, Constructor<?> constructor, int parameter) {
    return Stream.of(
            component.getAnnotations(),
            component.getAnnotatedType().getAnnotations(),
            component.getAccessor().getAnnotations(),
            constructor.getParameterAnnotations()[parameter])
        .flatMap(Arrays::stream)
        .map(Annotation::annotationType)
        .anyMatch(type -> type.getSimpleName().equals("Nullable"));
  }
}
