package io.asynq4j.spring.internal;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Action;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.spring.internal.TaskBeanScanner.AnnotatedMethod;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.aot.BeanRegistrationExcludeFilter;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Registers what is called by reflection when the beans of a context are generated ahead of time:
 * handler methods, and the types of payloads and results, which a codec reads and writes.
 */
public final class TaskBeanAotProcessor
    implements BeanRegistrationAotProcessor, BeanRegistrationExcludeFilter {

  /** Types that no codec reads or writes. */
  private static final Set<Type> OWN =
      Set.of(
          Object.class,
          Void.class,
          String.class,
          byte[].class,
          Payload.class,
          Task.class,
          TaskContext.class);

  @Override
  public boolean isExcludedFromAotProcessing(RegisteredBean bean) {
    return TaskTypeBeans.isOfHandler(bean.getBeanName());
  }

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
    List<AnnotatedMethod> methods = TaskBeanScanner.methods(bean.getBeanName(), type);
    Set<Type> payloads = new LinkedHashSet<>();
    for (Class<?> generic : List.of(Handler.class, Action.class, TaskType.class)) {
      addPayload(payloads, bean.getBeanType().as(generic));
    }
    return methods.isEmpty() && payloads.isEmpty()
        ? null
        : new Contribution(
            type, methods.stream().map(each -> each.method().method()).toList(), payloads);
  }

  private static void addPayload(Set<Type> payloads, ResolvableType type) {
    ResolvableType payload = type.getGeneric(0);
    Class<?> raw = payload.resolve();
    if (raw != null && !OWN.contains(raw)) {
      payloads.add(payload.hasGenerics() ? TypeVariableResolver.resolve(payload) : raw);
    }
  }

  private record Contribution(Class<?> type, List<Method> methods, Set<Type> payloads)
      implements BeanRegistrationAotContribution {

    @Override
    public void applyTo(GenerationContext context, BeanRegistrationCode code) {
      ReflectionHints reflection = context.getRuntimeHints().reflection();
      BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();
      binding.registerReflectionHints(reflection, payloads.toArray(Type[]::new));
      for (Method method : methods) {
        reflection.registerMethod(method, ExecutableMode.INVOKE);
        // A proxy of interfaces is called by the method of an interface.
        for (Class<?> declaring : ClassUtils.getAllInterfacesForClass(type)) {
          Method declared =
              ClassUtils.getMethodIfAvailable(
                  declaring, method.getName(), method.getParameterTypes());
          if (declared != null) {
            reflection.registerMethod(declared, ExecutableMode.INVOKE);
          }
        }
        for (Type parameter : method.getGenericParameterTypes()) {
          register(binding, reflection, parameter);
        }
        register(binding, reflection, method.getGenericReturnType());
      }
    }

    private void register(
        BindingReflectionHintsRegistrar binding, ReflectionHints reflection, Type declared) {
      Type resolved = TypeVariableResolver.resolve(declared, type);
      if (!(resolved instanceof Class<?> raw)) {
        binding.registerReflectionHints(reflection, resolved);
      } else if (!raw.isPrimitive()
          && !OWN.contains(raw)
          && !raw.getName().startsWith("io.asynq4j.handler.Outcome")) {
        binding.registerReflectionHints(reflection, raw);
      }
    }
  }
}
