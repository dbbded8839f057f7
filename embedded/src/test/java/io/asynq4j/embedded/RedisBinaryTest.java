package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisBinaryTest {

  static final String REDIS_62 = "/redis-server-6.2.6-v5-linux-amd64";

  @TempDir Path directory;

  @AfterEach
  void useTheDefaultCache() {
    System.clearProperty(RedisBinary.CACHE_PROPERTY);
  }

  @Test
  void theBundledBinaryReportsItsVersion() {
    assertThat(RedisBinary.bundled().version()).isEqualTo("7.0.15");
  }

  @Test
  void aBinaryFromTheClasspathReportsItsOwnVersionRegardlessOfItsName() {
    assumeTrue(Platform.current().equals(new Platform("linux", "amd64")));

    assertThat(RedisBinary.fromClasspath(REDIS_62).version()).isEqualTo("6.2.11");
  }

  @Test
  void theVersionOfAValkeyIsUnderstood() throws IOException {
    Path valkey =
        program("valkey-server", "echo 'Valkey server v=8.0.1 sha=0:0 malloc=jemalloc bits=64'");

    assertThat(RedisBinary.at(valkey).version()).isEqualTo("8.0.1");
  }

  @Test
  void aProgramThatIsNoRedisHasNoVersion() throws IOException {
    Path other = program("other", "echo hello");

    assertThatThrownBy(() -> RedisBinary.at(other).version())
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("hello");
  }

  @Test
  void aPlatformWithoutABinaryIsNamedTogetherWithTheWayOut() {
    assertThatThrownBy(() -> RedisBinary.bundled(Platform.of("Linux", "s390x")))
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("this platform, linux-s390x")
        .hasMessageContaining("linux-amd64, linux-arm64, linux-386, darwin-amd64, darwin-arm64")
        .hasMessageContaining("Install Redis or Valkey 6.2 or newer")
        .hasMessageContaining("redis://localhost:6379");
  }

  @Test
  void windowsHasNoBinaryEither() {
    assertThatThrownBy(() -> RedisBinary.bundled(Platform.of("Windows 11", "amd64")))
        .hasMessageContaining("this platform, windows-amd64")
        .hasMessageContaining("WSL");
  }

  @Test
  void theJvmsNamesOfPlatformsAreThoseOfTheBinaries() {
    assertThat(Platform.of("Mac OS X", "aarch64")).hasToString("darwin-arm64");
    assertThat(Platform.of("Linux", "x86_64")).hasToString("linux-amd64");
    assertThat(Platform.of("Linux", "i386")).hasToString("linux-386");
    assertThat(Platform.BUNDLED)
        .allSatisfy(
            platform ->
                assertThat(RedisBinary.class.getResource("/redis-server-7.0.15-" + platform))
                    .isNotNull());
  }

  @Test
  void aMissingResourceIsNamed() {
    RedisBinary missing = RedisBinary.fromClasspath("/no-such-redis");

    assertThatThrownBy(missing::version).hasMessageContaining("/no-such-redis");
  }

  @Test
  void aMissingFileIsNamed() {
    RedisBinary missing = RedisBinary.at(directory.resolve("nothing"));

    assertThatThrownBy(missing::version).hasMessageContaining("nothing");
  }

  @Test
  void theFirstOfTheNamesThatIsOnThePathIsTaken() throws IOException {
    Path other = Files.createDirectory(directory.resolve("bin"));
    Path valkey = program("bin/valkey-server", "echo 'Valkey server v=8.0.1'");
    String path = directory + File.pathSeparator + other;

    assertThat(RedisBinary.find(path, "redis-server", "valkey-server"))
        .hasValueSatisfying(binary -> assertThat(binary.executable()).isEqualTo(valkey));
    assertThat(RedisBinary.find(path, "redis-server")).isEmpty();
  }

  @Test
  void manyAtOnceUnpackTheSameBinary() throws Exception {
    Path cache = directory.resolve("cache");
    System.setProperty(RedisBinary.CACHE_PROPERTY, cache.toString());
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Path>> tasks = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        tasks.add(() -> RedisBinary.bundled().executable());
      }
      for (Future<Path> unpacked : threads.invokeAll(tasks)) {
        assertThat(unpacked.get()).isExecutable().hasParent(cache);
      }
    } finally {
      threads.shutdownNow();
    }
    try (Stream<Path> files = Files.list(cache)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void aBinaryThatWasCleanedAwayIsUnpackedAgain() throws IOException {
    System.setProperty(RedisBinary.CACHE_PROPERTY, directory.toString());
    RedisBinary binary = RedisBinary.bundled();
    Files.delete(binary.executable());

    assertThat(binary.executable()).isExecutable();
  }

  private Path program(String name, String script) throws IOException {
    Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
