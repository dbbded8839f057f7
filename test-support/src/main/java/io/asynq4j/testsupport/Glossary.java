package io.asynq4j.testsupport;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words that texts for users must not contain, each with the plain words to use instead. Tests
 * apply it to help pages, error messages, HTTP problems and documents.
 */
public final class Glossary {

  private static final int CONTEXT = 30;

  /** In lower case; a word stands only for itself, so that each form has its own entry. */
  private static final Map<String, String> INSTEAD = instead();

  private static final Map<String, Pattern> PATTERNS = patterns();

  private Glossary() {}

  private static Map<String, String> instead() {
    Map<String, String> instead = new LinkedHashMap<>();
    String report = "report, return, print, show or send";
    List.of("told", "tell", "tells", "telling", "say", "says", "said", "saying")
        .forEach(word -> instead.put(word, report));
    String subject = "the name of the thing or person";
    List.of("whoever", "who have", "who has", "whom", "nobody", "somebody", "everybody")
        .forEach(word -> instead.put(word, subject));
    String number = "the number, or 'this many', 'this long'";
    List.of("so many", "so long", "so often", "so much", "as it told")
        .forEach(word -> instead.put(word, number));
    List.of(
            "when not said",
            "if not said",
            "unless set",
            "if it is not said",
            "goes without saying")
        .forEach(word -> instead.put(word, "'Default: VALUE.'"));
    instead.put("may be given more than once", "(repeatable)");
    instead.put("makes no sense", "invalid, with the value and the reason");
    instead.put("make no sense", "invalid, with the value and the reason");
    instead.put("understood", "valid");
    instead.put("holds the line", "blocks the queue");
    instead.put("vouch", "certificate chain");
    List.of("hand in", "hands in", "handed in", "take in", "takes in", "taken in")
        .forEach(word -> instead.put(word, "enqueue"));
    List.of("put back", "puts back", "puts the rest back")
        .forEach(word -> instead.put(word, "requeue"));
    List.of("put right", "puts right", "puts it right", "set right")
        .forEach(word -> instead.put(word, "repair"));
    List.of("amiss", "ailment", "ailments", "suspect", "suspects", "fits together", "fit together")
        .forEach(word -> instead.put(word, "finding or inconsistency"));
    instead.put("verdict", "outcome");
    instead.put("verdicts", "outcomes");
    instead.put("chore", "duty");
    instead.put("chores", "duties");
    instead.put("lookout", "watch");
    instead.put("volley", "fire");
    List.of("walk", "walks", "walked", "visit", "visits", "visited")
        .forEach(word -> instead.put(word, "scan, check or bulk operation"));
    List.of("go on", "goes on", "going on")
        .forEach(word -> instead.put(word, "continue or resume"));
    List.of("steer", "steers", "look at", "looks at", "looked at")
        .forEach(word -> instead.put(word, "manage, read, scan or list"));
    instead.put("anew", "again");
    instead.put("comes along", "bundled");
    instead.put("to play with", "for development");
    return Map.copyOf(instead);
  }

  /** Blanks also match line breaks, where a help page is wrapped. */
  private static Map<String, Pattern> patterns() {
    Map<String, Pattern> patterns = new LinkedHashMap<>();
    INSTEAD.keySet().stream()
        .sorted()
        .forEach(
            words ->
                patterns.put(
                    words,
                    Pattern.compile(
                        "(?<![\\w-])" + words.replace(" ", "\\s+") + "(?![\\w-])",
                        Pattern.CASE_INSENSITIVE)));
    return patterns;
  }

  /** Returns one message for each forbidden word in the text; empty if the text is plain. */
  public static List<String> violations(String text) {
    List<String> found = new ArrayList<>();
    PATTERNS.forEach(
        (words, pattern) -> {
          Matcher matcher = pattern.matcher(text);
          while (matcher.find()) {
            int from = Math.max(0, matcher.start() - CONTEXT);
            int to = Math.min(text.length(), matcher.end() + CONTEXT);
            found.add(
                "'%s' in '…%s…': use %s"
                    .formatted(
                        words,
                        text.substring(from, to).replaceAll("\\s+", " ").strip(),
                        INSTEAD.get(words)));
          }
        });
    return found;
  }
}
