package io.asynq4j.internal.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.internal.redis.command.ResendPolicy;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each script's header, its body, the Java that calls it and the states agree. */
class ScriptContractTest {

  /** What the runner puts in by itself, always first and in this order. */
  private static final List<String> FILLED_IN = List.of("now", "prefix", "sequence", "keep");

  @Test
  void everyFileIsAScriptAndEveryScriptHasItsFile() throws Exception {
    Set<String> scripts =
        Arrays.stream(Script.values())
            .map(Script::file)
            .collect(Collectors.toCollection(TreeSet::new));
    scripts.add("prelude");

    assertThat(files()).isEqualTo(scripts);
  }

  @Test
  void everythingInThePreludeIsUsedByAScript() {
    String all =
        Arrays.stream(Script.values())
            .map(script -> new String(script.source(), StandardCharsets.UTF_8))
            .collect(Collectors.joining());

    assertThat(definitionsIn(ScriptLoader.read("prelude")))
        .contains("clock", "FEW_ACTIVE", "leave_active")
        .hasSizeGreaterThan(30)
        .allMatch(name -> all.contains("local " + name) || all.contains("function " + name));
  }

  @Test
  void aScriptGetsWhatItUsesOfThePreludeAndWhatThatUsesInItsOrder() {
    String parts = ScriptPrelude.partsFor("-- to_millis\nreturn places_of(discard())");

    assertThat(definitionsIn(parts))
        .containsExactly("add", "delete_all", "fields_of", "release", "discard", "places_of");
  }

  private static List<String> definitionsIn(String source) {
    return Pattern.compile("^local (?:function )?(\\w+)", Pattern.MULTILINE)
        .matcher(source)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static Set<String> files() throws IOException, URISyntaxException {
    URI folder = Script.class.getResource("lua/prelude.lua").toURI();
    try (Stream<Path> paths = Files.list(Path.of(folder).getParent())) {
      return paths
          .map(path -> path.getFileName().toString().replace(".lua", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void javaReadsKeysArgumentsAndItemsFromTheHeader(Script script) {
    Map<String, String> header = header(script);

    assertThat(header).containsKeys("TRANSITION", "KEYS", "ARGV", "RETURNS");
    assertThat(words(header.getOrDefault("KEYS", ""))).as("KEYS").isEqualTo(script.keys());
    assertThat(words(header.getOrDefault("ARGV", ""))).as("ARGV").isEqualTo(script.args());
    assertThat(words(header.getOrDefault("ITEMS", ""))).as("ITEMS").isEqualTo(script.items());
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void theBodyCallsItsKeysAndArgumentsByTheNamesInTheHeader(Script script) {
    Map<String, String> bound = bindings(body(script));

    for (int i = 0; i < script.keys().size(); i++) {
      String name = bound.get("KEYS[" + (i + 1) + "]");
      if (name != null) {
        assertThat(name).as("KEYS[%d]", i + 1).isEqualTo(script.keys().get(i));
      }
    }
    for (int i = 0; i < script.args().size(); i++) {
      assertThat(bound.get("ARGV[" + (i + 1) + "]"))
          .as("ARGV[%d]", i + 1)
          .isEqualTo(script.args().get(i));
    }
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void theBodyWalksOverItsItemsInTheirNumber(Script script) {
    Matcher loop =
        Pattern.compile("for i = (\\d+), #ARGV(?:, (\\d+))? do|column\\((\\d+), (\\d+|width)\\)")
            .matcher(body(script));
    int first = script.args().size() + 1;
    int width = script.items().size();
    int loops = 0;
    for (; loop.find(); loops++) {
      boolean column = loop.group(3) != null;
      int from = Integer.parseInt(loop.group(column ? 3 : 1));
      String step = loop.group(column ? 4 : 2);
      if ("width".equals(step)) {
        assertThat(script.args()).as(loop.group()).contains("width");
      } else {
        assertThat(step == null ? 1 : Integer.parseInt(step)).as(loop.group()).isEqualTo(width);
      }
      assertThat(from).as(loop.group()).isBetween(first, column ? first + width - 1 : first);
    }
    assertThat(loops > 0).as("loops over items").isEqualTo(width > 0);
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void whatTheRunnerFillsInComesFirst(Script script) {
    List<String> filledIn = script.args().stream().filter(FILLED_IN::contains).toList();

    assertThat(script.args().subList(0, filledIn.size())).isEqualTo(filledIn);
    assertThat(filledIn).isEqualTo(FILLED_IN.stream().filter(filledIn::contains).toList());
    boolean numbered = script.repeat == ResendPolicy.NUMBERED;
    assertThat(filledIn.contains("sequence") && filledIn.contains("keep")).isEqualTo(numbered);
    assertThat(script.keys().contains("lane")).isEqualTo(numbered);
    assertThat(body(script).contains("recall(lane, sequence)")).isEqualTo(numbered);
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void everyScriptOnAQueueNamesTheGuardSoThatItDoesNotRunOnHalfASlot(Script script) {
    boolean onQueue = script.args().contains("prefix");

    assertThat(script.keys().contains("guard")).isEqualTo(onQueue);
    assertThat(onQueue && !script.keys().get(script.keys().size() - 1).equals("guard")).isFalse();
    assertThat(body(script)).doesNotContain("guard =", "', guard");
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void everyTransitionIsAnEdgeOfTheStates(Script script) {
    for (Edge edge : edges(script)) {
      if (edge.from().equals("absent")) {
        assertThat(TaskState.initial()).contains(TaskState.ofWord(edge.to()));
      } else if (!edge.to().equals("absent")) {
        assertThat(TaskState.ofWord(edge.from()).next()).contains(TaskState.ofWord(edge.to()));
      }
    }
  }

  @Test
  void everyEdgeOfTheStatesIsATransitionOfSomeScript() {
    Set<String> done = new TreeSet<>();
    for (Script script : Script.values()) {
      edges(script).forEach(edge -> done.add(edge.from() + " -> " + edge.to()));
    }

    assertThat(done).isEqualTo(legalEdges());
  }

  private static Set<String> legalEdges() {
    Set<String> legal = new TreeSet<>();
    TaskState.initial().forEach(state -> legal.add("absent -> " + state.word()));
    for (TaskState state : TaskState.values()) {
      legal.add(state.word() + " -> absent");
      state.next().forEach(next -> legal.add(state.word() + " -> " + next.word()));
    }
    return legal;
  }

  @Test
  void theDiagramShowsEveryEdgeAndTheScriptsThatDoIt() throws IOException {
    Map<String, String> drawn = new TreeMap<>();
    Matcher arrow =
        Pattern.compile("^ +(\\S+) --> (\\S+): (.*)$", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("../docs/reference/states.md")));
    while (arrow.find()) {
      String edge = (arrow.group(1) + " -> " + arrow.group(2)).replace("[*]", "absent");
      drawn.merge(edge, arrow.group(3), (one, other) -> one + ", " + other);
    }

    assertThat(drawn.keySet()).isEqualTo(legalEdges());
    for (Script script : Script.values()) {
      for (Edge edge : edges(script)) {
        assertThat(drawn.get(edge.from() + " -> " + edge.to()))
            .as("%s", edge)
            .contains(script.file());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Script.class)
  void theStatesThatABodyWritesAreThoseOfItsTransitions(Script script) {
    Set<String> targets = new TreeSet<>();
    edges(script).forEach(edge -> targets.add(edge.to()));
    Matcher written = Pattern.compile("HSET', task,[^\n]*'state', '(\\w+)'").matcher(body(script));
    while (written.find()) {
      assertThat(targets).contains(written.group(1));
    }
  }

  private record Edge(String from, String to) {}

  private static List<Edge> edges(Script script) {
    String transition = header(script).getOrDefault("TRANSITION", "none");
    List<Edge> edges = new ArrayList<>();
    if (!transition.equals("none")) {
      for (String each : transition.split(", ", -1)) {
        String[] ends = each.split(" -> ", -1);
        edges.add(new Edge(ends[0], ends[1]));
      }
    }
    return edges;
  }

  /**
   * The lines of the header, by their first word; a line that begins with spaces goes on with the
   * one before.
   */
  private static Map<String, String> header(Script script) {
    Map<String, String> header = new LinkedHashMap<>();
    String last = null;
    for (String line :
        ScriptLoader.read(script.file())
            .lines()
            .takeWhile(line -> line.startsWith("--"))
            .toList()) {
      Matcher entry = Pattern.compile("-- ([A-Z]+) +(.*)").matcher(line);
      if (entry.matches()) {
        last = entry.group(1);
        header.put(last, entry.group(2));
      } else if (last != null && line.startsWith("--   ")) {
        header.merge(last, line.substring(2).strip(), (before, more) -> before + " " + more);
      }
    }
    return header;
  }

  private static String body(Script script) {
    return ScriptLoader.read(script.file())
        .lines()
        .dropWhile(line -> line.startsWith("--"))
        .collect(Collectors.joining("\n"));
  }

  /**
   * What each KEYS[i] and ARGV[i] is called, from the assignments of locals at the top of the body.
   */
  private static Map<String, String> bindings(String body) {
    Map<String, String> bound = new LinkedHashMap<>();
    Matcher assignment =
        Pattern.compile("^local ([\\w, ]+) =\\s+(.*)$", Pattern.MULTILINE).matcher(body);
    while (assignment.find()) {
      if (assignment.group(2).contains("redis.call(")) {
        continue;
      }
      String[] names = assignment.group(1).split(", ", -1);
      List<String> values = new ArrayList<>();
      Matcher value = Pattern.compile("(?:KEYS|ARGV)\\[\\d+\\]").matcher(assignment.group(2));
      while (value.find()) {
        values.add(value.group());
      }
      for (int i = 0; i < Math.min(names.length, values.size()); i++) {
        bound.putIfAbsent(values.get(i), names[i]);
      }
    }
    return bound;
  }

  private static List<String> words(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(" ", -1));
  }
}
