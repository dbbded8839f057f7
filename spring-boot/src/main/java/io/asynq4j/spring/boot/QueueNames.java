package io.asynq4j.spring.boot;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;

/**
 * Finds queues that Spring Boot would misread: outside of brackets, it drops all characters of a
 * key but letters, digits, hyphens and dots, and it ignores a queue without any known setting.
 */
final class QueueNames {

  private static final Pattern KEY =
      Pattern.compile(
          "asynq4j\\.(?:server|servers\\.[^.]+)\\.queues\\.([^.\\[]*[^.\\[\\w-][^.]*|[^.\\[]*_[^.]*)(\\..*)?");

  private static final Pattern SETTING =
      Pattern.compile(
          "asynq4j\\.(?:server|servers\\.(?:\\[[^]]*]|[^.\\[]+)|servers\\[[^]]*])\\.queues(?:\\.?\\[[^]]*]|\\.[^.\\[]+)\\.(.+)");

  private static final Set<String> SETTINGS =
      Arrays.stream(AsynqProperties.Queue.class.getRecordComponents())
          .map(setting -> uniform(setting.getName()))
          .collect(Collectors.toUnmodifiableSet());

  private QueueNames() {}

  static void requireUnchanged(Environment environment) {
    if (environment instanceof ConfigurableEnvironment configurable) {
      configurable.getPropertySources().stream()
          .filter(EnumerablePropertySource.class::isInstance)
          .forEach(source -> requireUnchanged((EnumerablePropertySource<?>) source));
    }
  }

  private static void requireUnchanged(EnumerablePropertySource<?> source) {
    for (String property : source.getPropertyNames()) {
      Matcher key = KEY.matcher(property);
      if (key.matches()) {
        throw new InvalidAsynqSettingException(
            "the name of the queue \"%s\" in the property %s would lose characters, because Spring Boot keeps only letters, digits and hyphens"
                .formatted(key.group(1), property),
            "write the name in brackets: queues.[%s]".formatted(key.group(1)));
      }
      requireSetting(property);
    }
  }

  private static void requireSetting(String property) {
    Matcher key = SETTING.matcher(property);
    if (key.matches() && !SETTINGS.contains(uniform(key.group(1)))) {
      throw new InvalidAsynqSettingException(
          "the property %s is no setting of a queue, so Spring Boot would ignore it"
              .formatted(property),
          "use weight, max-active, ordered, rate-limit or burst, and write a name with a dot in brackets, such as queues.[mail.eu].weight");
    }
  }

  /** Spring Boot reads {@code maxActive}, {@code max-active} and {@code max_active} alike. */
  private static String uniform(String name) {
    return name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT);
  }
}
