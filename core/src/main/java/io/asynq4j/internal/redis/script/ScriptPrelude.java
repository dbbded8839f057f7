package io.asynq4j.internal.redis.script;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lua functions shared by several scripts. Redis creates every function again for each run of a
 * script, so a script gets only what it uses. Blank lines divide {@code prelude.lua} into parts
 * that use only earlier parts. A script gets the parts that define a word used by the script or by
 * another part that it gets.
 */
final class ScriptPrelude {

  private static final Pattern COMMENT = Pattern.compile("--.*");
  private static final Pattern WORD = Pattern.compile("\\w+");
  private static final Pattern DEFINITION =
      Pattern.compile("^local (?:function )?(\\w+)", Pattern.MULTILINE);
  private static final List<String> PARTS =
      Stream.of(ScriptLoader.read("prelude").split("\n\n", -1)).map(String::strip).toList();

  private ScriptPrelude() {}

  /** Returns the parts that a script uses, in order. */
  static String partsFor(String script) {
    Set<String> words = words(script);
    Deque<String> used = new ArrayDeque<>();
    for (int i = PARTS.size() - 1; i >= 0; i--) {
      String part = PARTS.get(i);
      if (DEFINITION.matcher(part).results().anyMatch(match -> words.contains(match.group(1)))) {
        used.addFirst(part);
        words.addAll(words(part));
      }
    }
    return used.stream().map(text -> text + "\n\n").collect(Collectors.joining());
  }

  private static Set<String> words(String text) {
    return WORD.matcher(COMMENT.matcher(text).replaceAll(""))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(HashSet::new));
  }
}
