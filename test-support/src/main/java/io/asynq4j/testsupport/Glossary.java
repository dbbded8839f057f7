package io.asynq4j.testsupport;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words that texts for users must not contain, each with the plain words to use instead. Tests
 * apply this one list to help pages, error messages, HTTP problems, pages and documents of all
 * modules.
 */
public final class Glossary {

  private static final int CONTEXT = 30;

  /** Code in Markdown: it may have names of the past, and words of other programs. */
  private static final Pattern MARKDOWN_CODE = Pattern.compile("(?s)```.*?```|`[^`\n]*`");

  /** Phrases as regular expressions, each with its replacement. */
  private static final Map<Pattern, String> INSTEAD = instead();

  private Glossary() {}

  private static Map<Pattern, String> instead() {
    Map<Pattern, String> instead = new LinkedHashMap<>();
    add(instead, "report, return, print, show or send", "told|tells?|telling|say|says|said|saying");
    add(
        instead,
        "the name of the thing or person",
        "whoever|who have|who has|whom|nobody|somebody|anybody|everybody|he|she|him|his",
        "whose id begins");
    add(
        instead,
        "the number, or 'this many', 'this long'",
        "so many|so long|so often|so much|as it told");
    add(
        instead,
        "'Default: VALUE.'",
        "when not said|if not said|unless set|if it is not said|when missing",
        "goes without saying");
    add(instead, "(repeatable)", "may be given more than once");
    add(instead, "invalid, with the value and the reason", "makes? no sense");
    add(instead, "valid", "understood");
    add(instead, "blocks the queue", "holds? the line");
    add(instead, "certificate chain", "vouch(?:es|ed)?");
    add(instead, "redirect loop", "in circles");
    add(instead, "enqueue or submit", "hands? in|handed in|takes? in|taken in|took in");
    add(
        instead,
        "requeue or return",
        "puts? back|puts the rest back|gives? back|gave back|given back");
    add(instead, "repair", "puts? right|puts it right|set right|mends?");
    add(
        instead,
        "finding or inconsistency",
        "amiss|ailments?|suspects?|fits? together|fitted together");
    add(instead, "outcome", "verdicts?");
    add(instead, "duty", "chores?");
    add(instead, "watch", "lookouts?");
    add(instead, "fire", "volleys?");
    add(instead, "claim", "grabs?|grabbed|grabbing");
    add(instead, "the killed server or process", "victims?|dead server");
    add(instead, "interval", "stretches");
    add(instead, "started", "begun");
    add(instead, "successful or failed", "well or badly|ends? badly|ended badly");
    add(instead, "scan, check or bulk operation", "walk(?:s|ed|ing)?|visit(?:s|ed|ing)?");
    add(instead, "continue or resume", "go on|goes on|going on|went on|gone on");
    add(
        instead,
        "manage, read, scan, check or list",
        "steers?|steered|looks? (?:at|through|again|further)|looked (?:at|for)|looking at");
    add(instead, "the caller waits, or does not wait", "is (?:not )?waited for");
    add(instead, "again", "anew");
    add(instead, "currently", "just now[,;]");
    add(instead, "bundled", "comes along");
    add(instead, "for development", "to play with");
    add(instead, "the result, what happens to", "what becomes? of|what became of");
    add(instead, "permanently", "for good");
    add(
        instead,
        "already exists, does not exist, not found",
        "is there already|there is no such|is not here");
    add(instead, "selected tasks", "(?:task|tasks) chosen|chosen tasks?");
    add(instead, "all details, no data", "all that is known|nothing is known");
    add(instead, "on, while", "upon|whilst");
    return instead;
  }

  /** Blanks also match line breaks, where a help page is wrapped. */
  private static void add(Map<Pattern, String> instead, String plain, String... phrases) {
    instead.put(
        Pattern.compile(
            "(?<![\\w-])(?:" + String.join("|", phrases).replace(" ", "\\s+") + ")(?![\\w-])",
            Pattern.CASE_INSENSITIVE),
        plain);
  }

  /** Returns one message for each forbidden word in the text; empty if the text is plain. */
  public static List<String> violations(String text) {
    List<String> found = new ArrayList<>();
    INSTEAD.forEach(
        (pattern, plain) -> {
          Matcher matcher = pattern.matcher(text);
          while (matcher.find()) {
            int from = Math.max(0, matcher.start() - CONTEXT);
            int to = Math.min(text.length(), matcher.end() + CONTEXT);
            found.add(
                "'%s' in '…%s…': use %s"
                    .formatted(
                        oneLine(matcher.group()).toLowerCase(Locale.ROOT),
                        oneLine(text.substring(from, to)),
                        plain));
          }
        });
    return found;
  }

  /** Like {@link #violations}, without the code in a Markdown document. */
  public static List<String> violationsInMarkdown(String document) {
    return violations(MARKDOWN_CODE.matcher(document).replaceAll("``"));
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
