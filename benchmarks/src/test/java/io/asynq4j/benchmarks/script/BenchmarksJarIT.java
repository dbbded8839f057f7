package io.asynq4j.benchmarks.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** The jar that {@code ./check --full} measures the scripts with. */
class BenchmarksJarIT {

  private static final Path JAR = Path.of("target", "asynq4j-benchmarks.jar");

  @Test
  void allLibrariesThatItNamesAreThere() throws Exception {
    String libraries;
    try (JarFile jar = new JarFile(JAR.toFile())) {
      libraries = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
    }

    assertThat(libraries.split(" "))
        .isNotEmpty()
        .allSatisfy(library -> assertThat(JAR.resolveSibling(library)).exists());
  }
}
