package io.asynq4j.dashboard.internal.config;

import io.asynq4j.internal.text.Glob;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * A JSON path that is redacted in payloads and results of some task types, such as {@code
 * $.card.number}, {@code $.users[*].token} or {@code $..password}. Immutable.
 */
public final class RedactionRule {

  public static final String MASK = "[redacted]";

  private static final Pattern STEP =
      Pattern.compile(
          "(\\.\\.)([^.\\[\\]*]+)|\\.(\\*|[^.\\[\\]*]+)|\\[(\\*|\\d{1,9})]|\\[\"((?:[^\"\\\\]|\\\\.)*)\"]");

  private final Glob type;
  private final List<Step> steps;

  /**
   * @param name property name or array index; * for any
   * @param atAnyDepth whether the step also matches descendants
   */
  private record Step(String name, boolean atAnyDepth) {
    boolean isAny() {
      return name.equals("*");
    }
  }

  private RedactionRule(Glob type, List<Step> steps) {
    this.type = type;
    this.steps = steps;
  }

  public static RedactionRule of(String typeGlob, String path) {
    List<Step> steps = new ArrayList<>();
    Matcher step = STEP.matcher(path);
    int end = path.startsWith("$") ? 1 : 0;
    while (end > 0 && end < path.length() && step.find(end) && step.start() == end) {
      if (step.group(1) != null) {
        steps.add(new Step(step.group(2), true));
      } else if (step.group(3) != null) {
        steps.add(new Step(step.group(3), false));
      } else if (step.group(4) != null) {
        steps.add(new Step(step.group(4), false));
      } else {
        steps.add(new Step(step.group(5).replaceAll("\\\\(.)", "$1"), false));
      }
      end = step.end();
    }
    if (steps.isEmpty() || end < path.length()) {
      throw new IllegalArgumentException(
          "invalid path, expected for example $.card.number, $.users[*].token or $..password: \""
              + path
              + "\"");
    }
    return new RedactionRule(Glob.of(typeGlob), steps);
  }

  public boolean isFor(String taskType) {
    return type.matches(taskType);
  }

  /** Replaces the matching values of the document with the mask. */
  public void mask(JsonNode document) {
    mask(document, 0);
  }

  private void mask(JsonNode node, int index) {
    Step step = steps.get(index);
    boolean isLast = index == steps.size() - 1;
    if (node instanceof ObjectNode object) {
      for (String name : List.copyOf(object.propertyNames())) {
        if (step.isAny() || step.name().equals(name)) {
          if (isLast) {
            object.put(name, MASK);
          } else {
            mask(object.get(name), index + 1);
          }
        }
      }
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        if (step.isAny() || step.name().equals(Integer.toString(i))) {
          if (isLast) {
            array.set(i, StringNode.valueOf(MASK));
          } else {
            mask(array.get(i), index + 1);
          }
        }
      }
    }
    if (step.atAnyDepth()) {
      for (JsonNode child : node) {
        mask(child, index);
      }
    }
  }

  /** Whether a document contains the mask, so that it comes from a redacted view. */
  public static boolean isMasked(JsonNode node) {
    if (node.isString()) {
      return node.stringValue().equals(MASK);
    }
    for (JsonNode child : node) {
      if (isMasked(child)) {
        return true;
      }
    }
    return false;
  }
}
