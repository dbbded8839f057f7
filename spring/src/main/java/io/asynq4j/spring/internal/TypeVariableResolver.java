package io.asynq4j.spring.internal;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;

/**
 * Replaces the type variables of generic superclasses by what a class defines for them, at any
 * depth: Spring replaces only those that are the type itself or its direct arguments.
 */
final class TypeVariableResolver {

  private TypeVariableResolver() {}

  /** Returns the type in this class; it still has the variables that the class does not define. */
  static Type resolve(Type type, Class<?> owner) {
    Type known =
        type instanceof TypeVariable<?> ? GenericTypeResolver.resolveType(type, owner) : type;
    return hasVariable(known) ? replaced(known, variables(owner)) : known;
  }

  // The variables of a class are a raw type in Spring.
  @SuppressWarnings({"rawtypes", "unchecked"})
  private static Map<TypeVariable<?>, Type> variables(Class<?> owner) {
    return (Map) GenericTypeResolver.getTypeVariableMap(owner);
  }

  private static Type replaced(Type type, Map<TypeVariable<?>, Type> variables) {
    if (type instanceof TypeVariable<?> variable) {
      Type value = variables.get(variable);
      return value == null || value.equals(type) ? type : replaced(value, variables);
    }
    if (type instanceof WildcardType wildcard && hasVariable(wildcard)) {
      return replaced(wildcard.getUpperBounds()[0], variables);
    }
    if (type instanceof GenericArrayType array) {
      Type element = replaced(array.getGenericComponentType(), variables);
      return element instanceof Class<?> known ? known.arrayType() : type;
    }
    if (type instanceof ParameterizedType generic && hasVariable(generic)) {
      ResolvableType[] arguments =
          Stream.of(generic.getActualTypeArguments())
              .map(argument -> ResolvableType.forType(replaced(argument, variables)))
              .toArray(ResolvableType[]::new);
      return ResolvableType.forClassWithGenerics((Class<?>) generic.getRawType(), arguments)
          .getType();
    }
    return type;
  }

  /** Returns the type with the variables that Spring knows by its context, such as a subclass. */
  static Type resolve(ResolvableType type) {
    Class<?> raw = type.resolve();
    if (raw == null || !hasVariable(type.getType())) {
      return type.getType();
    }
    ResolvableType[] arguments =
        Stream.of(type.getGenerics())
            .map(argument -> ResolvableType.forType(resolve(argument)))
            .toArray(ResolvableType[]::new);
    return arguments.length == 0
        ? raw
        : ResolvableType.forClassWithGenerics(raw, arguments).getType();
  }

  /** Returns whether a type has a type variable, such as {@code List<T>}: no codec can read it. */
  static boolean hasVariable(Type type) {
    if (type instanceof ParameterizedType generic) {
      return Stream.of(generic.getActualTypeArguments())
          .anyMatch(TypeVariableResolver::hasVariable);
    }
    if (type instanceof GenericArrayType array) {
      return hasVariable(array.getGenericComponentType());
    }
    if (type instanceof WildcardType wildcard) {
      return Stream.of(wildcard.getUpperBounds()).anyMatch(TypeVariableResolver::hasVariable);
    }
    return type instanceof TypeVariable<?>;
  }
}
