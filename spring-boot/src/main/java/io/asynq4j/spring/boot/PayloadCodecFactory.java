package io.asynq4j.spring.boot;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.spring.boot.AsynqProperties.Codec;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.util.ClassUtils;

/** Chooses the codec that {@code asynq4j.codec} names. */
final class PayloadCodecFactory {

  private static final Logger log = LoggerFactory.getLogger(PayloadCodecFactory.class);

  /** The newer library first: an application may have the older one for its dependencies only. */
  private static final List<String> MAPPERS =
      List.of("tools.jackson.databind.ObjectMapper", "com.fasterxml.jackson.databind.ObjectMapper");

  private PayloadCodecFactory() {}

  static PayloadCodec create(Codec codec, ListableBeanFactory beans) {
    return switch (codec) {
      case JSON -> PayloadCodec.json();
      case STRICT_JSON -> PayloadCodec.strictJson();
      case APPLICATION -> ofApplication(beans);
    };
  }

  private static PayloadCodec ofApplication(ListableBeanFactory beans) {
    for (String mapper : MAPPERS) {
      if (!ClassUtils.isPresent(mapper, PayloadCodecFactory.class.getClassLoader())) {
        continue;
      }
      Class<?> type =
          ClassUtils.resolveClassName(mapper, PayloadCodecFactory.class.getClassLoader());
      try {
        Object bean = beans.getBeanProvider(type).getIfAvailable();
        if (bean != null) {
          log.warn(
              "payloads are encoded by the mapper of the application (asynq4j.codec=application): if its settings change,"
                  + " unique tasks enqueued before no longer count as equal, and old payloads may become unreadable");
          return PayloadCodec.jackson(bean);
        }
      } catch (NoUniqueBeanDefinitionException e) {
        throw new InvalidAsynqSettingException(
            "asynq4j.codec is application, but there are several mappers %s, and none is primary"
                .formatted(e.getBeanNamesFound()),
            "mark one with @Primary, or define a bean of type PayloadCodec");
      }
    }
    throw new InvalidAsynqSettingException(
        "asynq4j.codec is application, but there is no bean of type ObjectMapper or JsonMapper",
        "add Spring Boot's starter for JSON, or leave out asynq4j.codec");
  }
}
