package io.asynq4j.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the programs in {@code src/main/go} and {@code src/main/go-semaphore}, each once. */
public final class GoPrograms {

  private static final Logger log = LoggerFactory.getLogger(GoPrograms.class);

  /** Several JVMs test at once, with the same programs. */
  private static final Path PROGRAMS = Path.of("target", "go").toAbsolutePath();

  /** What each of them has for itself. */
  public static final Path TARGET = PROGRAMS.resolve(System.getProperty("asynq4j.fork", "1"));

  private static final String ASYNQ = "github.com/hibiken/asynq";

  /** Output of Go if the proxy has no such module or refuses it. */
  private static final Pattern REFUSAL =
      Pattern.compile("\\b(401|403|404|410) [A-Z]|not available|unknown revision");

  private static final Pattern NEWS = Pattern.compile("^go: (downloading|upgraded|added) ");
  private static final Pattern HOST =
      Pattern.compile("(https?://|lookup | tcp | on )[\\w.-]+\\.[\\w-]+(:\\d+)?");

  private static final Path PEER = Path.of("src", "main", "go");
  private static final Path SEMAPHORE = Path.of("src", "main", "go-semaphore");

  /** Where the modules have to be fetched first, over whatever line there is. */
  private static final Duration FETCHING = Duration.ofMinutes(2);

  /** Without a cache, Go builds its own library too. */
  private static final Duration BUILDING = Duration.ofMinutes(5);

  private static final Duration RUNNING = Duration.ofSeconds(30);

  private static final Map<String, Built> BUILT = new ConcurrentHashMap<>();

  private GoPrograms() {}

  /** A program, or why it cannot be had; one that does not compile is an error. */
  private record Built(Path program, @Nullable String missing) {}

  /** Skips the test, with the reason, where there is no Go or its modules cannot be had. */
  public static Path peer(GoVersion version) {
    return orSkip("peer-" + version.name(), program -> buildPeer(version, program));
  }

  /** The same with a clock that is so much behind. */
  public static Path peerWithSlowClock(GoVersion version, Duration behind) {
    return orSkip(
        "peer-" + version.name() + "-slow-clock",
        program -> buildWithSlowClock(version, behind, program));
  }

  public static Path semaphore(GoVersion version) {
    return orSkip(
        "semaphore-" + version.name(),
        program -> build(SEMAPHORE, Path.of(version.modFile()), List.of(), List.of(), program));
  }

  /** Why a version cannot be had; null when it can. */
  public static @Nullable String missing(GoVersion version) {
    return built("peer-" + version.name(), program -> buildPeer(version, program)).missing;
  }

  private interface Builder {
    @Nullable String build(Path program) throws IOException;
  }

  private static Path orSkip(String name, Builder builder) {
    Built built = built(name, builder);
    if (built.missing != null) {
      Assumptions.abort("the tests with Go: " + built.missing);
    }
    return built.program;
  }

  private static Built built(String name, Builder builder) {
    return BUILT.computeIfAbsent(
        name,
        unused -> {
          Path program = PROGRAMS.resolve(name);
          try {
            Files.createDirectories(TARGET);
            String noGo = goIsMissing();
            if (noGo != null) {
              return new Built(program, noGo);
            }
            // Go leaves a program alone that is up to date, so the first one builds it for all.
            try (FileChannel lock =
                FileChannel.open(
                    PROGRAMS.resolve(name + ".lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE)) {
              lock.lock();
              return new Built(program, builder.build(program));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static @Nullable String goIsMissing() {
    try {
      Output version = run(PEER, List.of("go", "version"), "", RUNNING);
      return version.exit == 0 ? null : "go does not work: " + version.firstError();
    } catch (IOException e) {
      return "go is not installed";
    }
  }

  private static @Nullable String buildPeer(GoVersion version, Path program) throws IOException {
    Modules modules = modules(version);
    return modules.missing != null
        ? modules.missing
        : build(PEER, modules.file, version.tags(), List.of(), program);
  }

  /** The module file to build with, or the reason why there is none. */
  private record Modules(Path file, @Nullable String missing) {}

  /** That of the newest commit is made here. */
  private static Modules modules(GoVersion version) throws IOException {
    if (version != GoVersion.NEWEST_COMMIT) {
      return new Modules(Path.of(version.modFile()), null);
    }
    Path modules = TARGET.resolve(version.modFile());
    Files.copy(PEER.resolve("go.mod"), modules, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(
        PEER.resolve("go.sum"), TARGET.resolve("newest.sum"), StandardCopyOption.REPLACE_EXISTING);
    Output got =
        run(PEER, List.of("go", "get", "-modfile=" + modules, ASYNQ + "@master"), "", FETCHING);
    if (got.exit != 0) {
      return new Modules(modules, whyNotGiven(version, got));
    }
    log.info("{} is {}", version, asked(version));
    return new Modules(modules, null);
  }

  /** Whether the proxy refused the module, as opposed to not replying. */
  static String whyNotGiven(GoVersion version, Output got) {
    boolean refused = REFUSAL.matcher(got.errors).find();
    return (refused ? "the module proxy does not give " : "there was no way to fetch ")
        + version
        + " ("
        + got.firstError()
        + ")";
  }

  /** The asynq that a version is to be built with, as its file of modules has it. */
  public static String asked(GoVersion version) throws IOException {
    Path directory = version == GoVersion.NEWEST_COMMIT ? TARGET : PEER;
    Matcher line =
        Pattern.compile(Pattern.quote(ASYNQ) + " (v\\S+)")
            .matcher(Files.readString(directory.resolve(version.modFile())));
    assertThat(line.find()).as("a line with asynq in " + version.modFile()).isTrue();
    return line.group(1);
  }

  private static @Nullable String build(
      Path sources, Path modules, List<String> tags, List<String> flags, Path program)
      throws IOException {
    String modFile = "-modfile=" + modules;
    Output download = run(sources, List.of("go", "mod", "download", modFile), "", FETCHING);
    assertThat(download.errors).as("sums of modules").doesNotContain("checksum mismatch");
    if (download.exit != 0) {
      return "the Go modules could not be fetched: " + download.firstError();
    }
    List<String> command = new ArrayList<>(List.of("go", "build", "-mod=readonly", modFile));
    command.addAll(tags);
    command.addAll(flags);
    command.addAll(List.of("-o", program.toString(), "."));
    Output build = run(sources, command, "", BUILDING);
    assertThat(build.exit).as("%s: %s", command, build.errors).isZero();
    return null;
  }

  /**
   * Go reads the time directly from the kernel, so the clock is set back when the program is built:
   * a line is added to Go's own {@code time.Now}.
   */
  private static @Nullable String buildWithSlowClock(
      GoVersion version, Duration behind, Path program) throws IOException {
    Modules modules = modules(version);
    if (modules.missing != null) {
      return modules.missing;
    }
    Output root = run(PEER, List.of("go", "env", "GOROOT"), "", RUNNING);
    Path source = Path.of(root.text.strip(), "src", "time", "time.go");
    String readOfTheClock = "sec, nsec, mono := runtimeNow()";
    String text = Files.readString(source);
    if (text.split(Pattern.quote(readOfTheClock), -1).length != 2) {
      return "this Go asks for the time in another way, and its clock cannot be put back";
    }
    Path changed = TARGET.resolve("time.go");
    Files.writeString(
        changed, text.replace(readOfTheClock, readOfTheClock + "\n\tsec -= " + behind.toSeconds()));
    Path overlay = TARGET.resolve("overlay.json");
    Files.writeString(
        overlay,
        GoPeer.JSON.writeValueAsString(
            Map.of("Replace", Map.of(source.toString(), changed.toString()))));
    return build(
        PEER, modules.file, version.tags(), List.of("-overlay", overlay.toString()), program);
  }

  record Output(int exit, String text, String errors) {
    /** Without what is only news, and without hosts, which are of this machine alone. */
    String firstError() {
      return errors
          .lines()
          .filter(line -> !NEWS.matcher(line).find())
          .findFirst()
          .map(line -> HOST.matcher(line).replaceAll("$1…"))
          .orElse("exit code " + exit);
    }
  }

  /** Runs a program to its end. Its output goes through files, which no full pipe can block. */
  static Output run(Path directory, List<String> command, String input, Duration most)
      throws IOException {
    Path in = Files.writeString(Files.createTempFile(TARGET, "run", ".in"), input);
    Path out = Files.createTempFile(TARGET, "run", ".out");
    Path err = Files.createTempFile(TARGET, "run", ".err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      // Nothing of ours needs C, and without it there is less to build.
      builder.environment().put("CGO_ENABLED", "0");
      Process process = builder.start();
      if (!process.waitFor(most.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Output(-1, "", "no answer within " + most.toSeconds() + " s");
      }
      return new Output(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      Files.delete(in);
      Files.delete(out);
      Files.delete(err);
    }
  }
}
