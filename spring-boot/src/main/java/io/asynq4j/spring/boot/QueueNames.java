package io.asynq4j.spring.boot;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;

/**
 * Finds names of queues that Spring Boot would change: outside of brackets, it drops all characters
 * of a key but letters, digits, hyphens and dots.
 */
final class QueueNames {

  private static final Pattern KEY =
      Pattern.compile(
          "asynq4j\\.(?:server|servers\\.[^.]+)\\.queues\\.([^.\\[]*[^.\\[\\w-][^.]*|[^.\\[]*_[^.]*)(\\..*)?");

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
    }
  }
}
