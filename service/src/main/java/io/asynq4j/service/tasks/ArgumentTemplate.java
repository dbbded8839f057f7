package io.asynq4j.service.tasks;

import io.asynq4j.handler.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * One argument or environment variable of a program, with placeholders for params: {@code
 * --user={params.user}}. A param fills its placeholder in this one argument and cannot add another
 * argument. Immutable.
 */
public record ArgumentTemplate(String text) {

  private static final Pattern PLACE = Pattern.compile("\\{params\\.([A-Za-z_][A-Za-z0-9_.-]*)\\}");

  public static Optional<String> problemOf(String text) {
    String rest = PLACE.matcher(text).replaceAll("");
    return rest.contains("{params")
        ? Optional.of("has a placeholder that is not of the form {params.name}: \"" + text + "\"")
        : Optional.empty();
  }

  List<String> places() {
    List<String> names = new ArrayList<>();
    Matcher places = PLACE.matcher(text);
    while (places.find()) {
      names.add(places.group(1));
    }
    return names;
  }

  /** Throws an outcome that archives the task if a param is unsuitable. */
  String fill(JsonNode params) {
    Matcher places = PLACE.matcher(text);
    StringBuilder filled = new StringBuilder();
    while (places.find()) {
      String value = value(params, places.group(1));
      places.appendReplacement(filled, Matcher.quoteReplacement(value));
    }
    places.appendTail(filled);
    String argument = filled.toString();
    // Checked after filling: an empty param makes the text behind it the start of the argument.
    if (dashes(argument) > dashes(text)) {
      throw refused(
          places().get(0),
          "makes the argument start with \"-\", which the program would read as an option");
    }
    return argument;
  }

  /** Number of dashes at the start. */
  private static int dashes(String argument) {
    int count = 0;
    while (count < argument.length() && argument.charAt(count) == '-') {
      count++;
    }
    return count;
  }

  private static String value(JsonNode params, String path) {
    JsonNode node = params;
    for (String step : path.split("\\.", -1)) {
      node = node.path(step);
    }
    if (!node.isValueNode() || node.isNull() || node.isMissingNode()) {
      throw refused(path, "is missing or not a single value");
    }
    String value = node.asString();
    if (value.indexOf('\0') >= 0) {
      throw refused(path, "contains a NUL character");
    }
    return value;
  }

  private static RuntimeException refused(String path, String why) {
    return Outcome.archive("params." + path + " " + why).asException();
  }
}
