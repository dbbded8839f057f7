package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.testing.CliRunner;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** The paths in the container files exist, since not every machine can build images. */
class ContainerFilesTest {

  private static final Path ROOT = Path.of("..");

  @TempDir private Path home;

  private static String containerfile() throws Exception {
    // Joins continued lines.
    return Files.readString(ROOT.resolve("Containerfile")).replace("\\\n", " ");
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return (Map<?, ?>) Objects.requireNonNull(value);
  }

  private static List<String> words(@Nullable Object value) {
    return ((List<?>) Objects.requireNonNull(value)).stream().map(String::valueOf).toList();
  }

  private Map<?, ?> services() throws Exception {
    Object compose =
        new Load(LoadSettings.builder().build())
            .loadFromString(Files.readString(ROOT.resolve("compose.yaml")));
    return map(map(compose).get("services"));
  }

  /** Fails if the command line is invalid. */
  private void assertUnderstood(List<String> words) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CommandLine asynq = Asynq.commandLine(new CliRunner(home).environment(bytes, bytes));
    ParseResult parsed = asynq.parseArgs(words.toArray(String[]::new));
    assertThat(parsed.errors()).isEmpty();
  }

  @Test
  void theImageContainsTheBuiltFiles() throws Exception {
    String text = containerfile();
    Matcher build = Pattern.compile("RUN mvn (.*)").matcher(text);
    assertThat(build.find()).isTrue();
    List<String> options = Arrays.asList(build.group(1).split("\\s+", -1));
    assertThat(options).contains("-pl", "-am", "package");
    String module = options.get(options.indexOf("-pl") + 1);
    String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
    String jar = module + "/target/asynq4j-" + module + ".jar";
    assertThat(pom).contains("<finalName>asynq4j-" + module + "</finalName>");
    assertThat(text).contains("COPY --from=build /src/asynq /src/" + jar + " /opt/asynq/");
    assertThat(ROOT.resolve("asynq")).isExecutable();

    // The build skips the same modules as that of the launcher.
    String launcher = Files.readString(ROOT.resolve("asynq"));
    options.stream()
        .filter(option -> option.startsWith("-D"))
        .forEach(option -> assertThat(launcher).contains(option));
    // The launcher looks for it in its own directory.
    assertThat(text).contains("mv /opt/asynq/asynq4j-" + module + ".jar /opt/asynq/asynq.jar");
    assertThat(launcher).contains("\"$root/asynq.jar\"", "XDG_CACHE_HOME");
    assertThat(text).contains("XDG_CACHE_HOME=", "ENTRYPOINT [\"/opt/asynq/asynq\"]");
  }

  @Test
  void ignoredFilesAreNotNeeded() throws Exception {
    assertThat(Files.readAllLines(ROOT.resolve(".dockerignore")))
        .contains("**/target", ".git")
        .noneMatch(line -> line.startsWith("cli") || line.startsWith("core"));
  }

  @Test
  void theExamplesInTheFilesAreValid() throws Exception {
    Pattern example =
        Pattern.compile("# +docker (?:run|compose run)(?: -\\S+)* (?:asynq|dev) (.*)");
    int seen = 0;
    for (String file : List.of("Containerfile", "compose.yaml")) {
      Matcher matcher = example.matcher(Files.readString(ROOT.resolve(file)));
      while (matcher.find()) {
        assertUnderstood(Arrays.asList(matcher.group(1).strip().split("\\s+", -1)));
        seen++;
      }
    }
    assertThat(seen).isEqualTo(2);
  }

  @Test
  void theServicesAreBuiltFromTheFileAndTheirCommandsAreValid() throws Exception {
    Map<?, ?> services = services();
    Map<?, ?> dev = map(services.get("dev"));
    Map<?, ?> build = map(dev.get("build"));
    assertThat(ROOT.resolve(String.valueOf(build.get("dockerfile")))).exists();
    List<String> command = words(dev.get("command"));
    assertUnderstood(command);
    // It could not be reached from outside of the container.
    assertThat(command).contains("--no-dashboard");
    words(dev.get("depends_on")).forEach(other -> assertThat(services.containsKey(other)).isTrue());
    assertThat(command).contains("redis://redis:6379");
    Map<?, ?> redis = map(services.get("redis"));
    // It has no password, so it must not be reachable from the network.
    assertThat(words(redis.get("ports"))).allMatch(port -> port.startsWith("127.0.0.1:"));
  }
}
