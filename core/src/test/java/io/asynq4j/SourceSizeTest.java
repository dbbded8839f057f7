package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sizes of packages and classes in the main code of all modules. */
class SourceSizeTest {

  private static final Path ROOT = Path.of("..");
  private static final int MAX_TYPES = 25;
  private static final int MAX_LINES = 400;

  /** Top-level types of all modules. */
  private static List<Path> types() throws IOException {
    List<Path> types = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        Path sources = module.resolve("src/main/java");
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            files
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.toString().endsWith("-info.java"))
                .forEach(types::add);
          }
        }
      }
    }
    return types;
  }

  private static String moduleOf(Path type) {
    return ROOT.relativize(type).getName(0).toString();
  }

  @Test
  void noPackageHasTooManyTypes() throws IOException {
    Map<Path, Long> sizes =
        types().stream()
            .collect(Collectors.groupingBy(Path::getParent, TreeMap::new, Collectors.counting()));

    assertThat(sizes).hasSizeGreaterThan(50);
    sizes.values().removeIf(size -> size <= MAX_TYPES);
    assertThat(sizes).isEmpty();
  }

  @Test
  void noClassIsTooLong() throws IOException {
    Map<Path, Integer> lengths = new TreeMap<>();
    for (Path type : types()) {
      lengths.put(type, Files.readAllLines(type).size());
    }

    lengths.values().removeIf(lines -> lines <= MAX_LINES);
    assertThat(lengths).isEmpty();
  }

  @Test
  void noTwoClassesOfAModuleHaveTheSameName() throws IOException {
    Map<String, List<Path>> byName =
        types().stream()
            .collect(Collectors.groupingBy(type -> moduleOf(type) + " " + type.getFileName()));

    assertThat(byName.values()).allSatisfy(sameName -> assertThat(sameName).hasSize(1));
  }
}
