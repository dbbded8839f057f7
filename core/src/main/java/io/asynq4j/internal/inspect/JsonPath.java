package io.asynq4j.internal.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A path in a JSON document: {@code $.user.mails[0]} or {@code $["odd name"]}. Works on the maps
 * and lists of any JSON library.
 *
 * @param steps names and indexes, in order
 */
public record JsonPath(List<Object> steps) {

  private static final Pattern STEP =
      Pattern.compile("\\.([^.\\[\\]]+)|\\[(\\d{1,9})]|\\[\"((?:[^\"\\\\]|\\\\.)*)\"]");

  public static JsonPath parse(String text) {
    List<Object> steps = new ArrayList<>();
    Matcher step = STEP.matcher(text);
    int end = text.startsWith("$") ? 1 : 0;
    while (end > 0 && end < text.length() && step.find(end) && step.start() == end) {
      if (step.group(2) != null) {
        steps.add(Integer.valueOf(step.group(2)));
      } else {
        steps.add(
            step.group(1) != null ? step.group(1) : step.group(3).replaceAll("\\\\(.)", "$1"));
      }
      end = step.end();
    }
    require(
        end > 0 && end == text.length(),
        "invalid JSON path, expected a form such as $.user.mails[0] or $[\"odd name\"]: \"%s\""
            .formatted(text));
    return new JsonPath(List.copyOf(steps));
  }

  /** Returns empty if the value is absent or null. */
  public Optional<Object> find(Object document) {
    Object here = document;
    for (Object step : steps) {
      if (step instanceof Integer place && here instanceof List<?> list) {
        here = place < list.size() ? list.get(place) : null;
      } else if (step instanceof String name && here instanceof Map<?, ?> map) {
        here = map.get(name);
      } else {
        return Optional.empty();
      }
      if (here == null) {
        return Optional.empty();
      }
    }
    return Optional.of(here);
  }
}
