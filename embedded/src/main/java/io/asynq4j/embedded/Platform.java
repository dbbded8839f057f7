package io.asynq4j.embedded;

import java.util.List;
import java.util.Locale;

/** An operating system and processor, as named in the file names of the bundled binaries. */
record Platform(String os, String arch) {

  static final List<Platform> BUNDLED =
      List.of(
          new Platform("linux", "amd64"),
          new Platform("linux", "arm64"),
          new Platform("linux", "386"),
          new Platform("darwin", "amd64"),
          new Platform("darwin", "arm64"));

  static Platform current() {
    return of(System.getProperty("os.name", "unknown"), System.getProperty("os.arch", "unknown"));
  }

  static Platform of(String osName, String osArch) {
    String os = osName.toLowerCase(Locale.ROOT);
    String arch = osArch.toLowerCase(Locale.ROOT);
    return new Platform(
        os.startsWith("mac") ? "darwin" : os.startsWith("windows") ? "windows" : os,
        switch (arch) {
          case "x86_64" -> "amd64";
          case "aarch64" -> "arm64";
          case "x86", "i386", "i486", "i586", "i686" -> "386";
          default -> arch;
        });
  }

  boolean isBundled() {
    return BUNDLED.contains(this);
  }

  boolean isWindows() {
    return os.equals("windows");
  }

  EmbeddedRedisException unsupported() {
    return new EmbeddedRedisException(
        "No embedded Redis for this platform, "
            + this
            + "; available for "
            + String.join(", ", BUNDLED.stream().map(Platform::toString).toList())
            + ". Install Redis or Valkey 6.2 or newer (on Windows: in WSL or a container) and use"
            + " its URL, for example redis://localhost:6379, instead.");
  }

  @Override
  public String toString() {
    return os + "-" + arch;
  }
}
