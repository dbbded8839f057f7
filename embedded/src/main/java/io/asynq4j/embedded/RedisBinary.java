package io.asynq4j.embedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An executable of a Redis server: bundled with this module, another resource of the classpath, or
 * installed on the machine. Immutable and thread-safe.
 *
 * <p>A binary from the classpath is unpacked once into a directory of the user under {@code
 * java.io.tmpdir}; the system property {@value #CACHE_PROPERTY} names another directory.
 */
public final class RedisBinary {

  /** The system property that names the directory into which binaries are unpacked. */
  public static final String CACHE_PROPERTY = "asynq4j.embedded.cache";

  private static final String BUNDLED_VERSION = "7.0.15";
  private static final Pattern VERSION = Pattern.compile("\\bv=(\\d+(?:\\.\\d+)+)");
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final String description;
  private final Supplier<Path> location;

  private RedisBinary(String description, Supplier<Path> location) {
    this.description = description;
    this.location = location;
  }

  /**
   * Returns the Redis 7.0.15 that is bundled with this module, for Linux and macOS.
   *
   * @throws EmbeddedRedisException if there is none for this platform
   */
  public static RedisBinary bundled() {
    return bundled(Platform.current());
  }

  static RedisBinary bundled(Platform platform) {
    if (!platform.isBundled()) {
      throw platform.unsupported();
    }
    return fromClasspath("/redis-server-" + BUNDLED_VERSION + "-" + platform);
  }

  /** Returns the executable in a resource of the classpath, such as {@code /redis-server-6.2}. */
  public static RedisBinary fromClasspath(String resource) {
    String absolute = resource.startsWith("/") ? resource : "/" + resource;
    return new RedisBinary("classpath:" + absolute, () -> unpack(absolute));
  }

  /** Returns the executable at this path. */
  public static RedisBinary at(Path executable) {
    Path absolute = executable.toAbsolutePath();
    return new RedisBinary(
        absolute.toString(),
        () -> {
          if (!Files.isRegularFile(absolute) || !Files.isExecutable(absolute)) {
            throw new EmbeddedRedisException("There is no executable file at " + absolute);
          }
          return absolute;
        });
  }

  /**
   * Returns the first of these programs on the {@code PATH}, for example {@code
   * onPath("redis-server", "valkey-server")}.
   */
  public static Optional<RedisBinary> onPath(String... names) {
    String path = System.getenv("PATH");
    return path == null ? Optional.empty() : find(path, names);
  }

  static Optional<RedisBinary> find(String path, String... names) {
    for (String name : names) {
      for (String directory : path.split(Pattern.quote(File.pathSeparator), -1)) {
        // POSIX reads an empty entry as the working directory: nothing to start a server from.
        if (directory.isEmpty()) {
          continue;
        }
        Path candidate = Path.of(directory, name);
        if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
          return Optional.of(at(candidate));
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the bundled binary, or an installed one if the platform has none. */
  static RedisBinary preferred() {
    Platform platform = Platform.current();
    if (platform.isBundled()) {
      return bundled(platform);
    }
    return onPath("redis-server", "valkey-server").orElseThrow(platform::unsupported);
  }

  /** Returns the version that the executable reports, such as {@code 7.0.15}. */
  public String version() {
    Path executable = executable();
    String output;
    try {
      Process process =
          new ProcessBuilder(executable.toString(), "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new EmbeddedRedisException("Cannot run " + executable + " --version", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedRedisException("Interrupted while running " + executable, e);
    }
    Matcher matcher = VERSION.matcher(output);
    if (!matcher.find()) {
      throw new EmbeddedRedisException(
          executable + " --version does not print the version of a Redis: " + output.strip());
    }
    return matcher.group(1);
  }

  /** Checks again each time: a cleanup of the temporary directory may have removed the file. */
  Path executable() {
    return location.get();
  }

  @Override
  public String toString() {
    return description;
  }

  private static Path unpack(String resource) {
    URL url = locate(resource);
    if (url == null) {
      throw new EmbeddedRedisException(
          "There is no resource "
              + resource
              + " on the classpath; is org.signal:embedded-redis, which carries the bundled"
              + " binaries, excluded?");
    }
    try {
      Path directory = cacheDirectory();
      Path target = directory.resolve(cacheName(url, resource));
      if (!Files.isExecutable(target)) {
        // Another process may do the same at this moment: the last move replaces an equal file, and
        // no process ever sees a partial one.
        Path partial = Files.createTempFile(directory, "unpack-", ".tmp");
        try {
          try (InputStream in = url.openStream()) {
            Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
          }
          makeExecutable(partial);
          Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.deleteIfExists(partial);
        }
      }
      return target;
    } catch (IOException e) {
      throw new EmbeddedRedisException(
          "Cannot unpack "
              + resource
              + "; the system property "
              + CACHE_PROPERTY
              + " names another directory for it",
          e);
    }
  }

  private static @Nullable URL locate(String resource) {
    URL own = RedisBinary.class.getResource(resource);
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return own == null && context != null ? context.getResource(resource.substring(1)) : own;
  }

  /** Derives the name from the checksum in the jar's directory, without unpacking. */
  private static String cacheName(URL url, String resource) throws IOException {
    String name = resource.substring(resource.lastIndexOf('/') + 1);
    URLConnection connection = url.openConnection();
    if (connection instanceof JarURLConnection jar && jar.getJarEntry().getCrc() != -1) {
      return cacheName(name, jar.getJarEntry().getSize(), jar.getJarEntry().getCrc());
    }
    CRC32 crc = new CRC32();
    try (InputStream in = new CheckedInputStream(connection.getInputStream(), crc)) {
      long size = in.transferTo(OutputStream.nullOutputStream());
      return cacheName(name, size, crc.getValue());
    }
  }

  private static String cacheName(String name, long size, long crc) {
    return name + "-" + size + "-" + Long.toHexString(crc);
  }

  private static Path cacheDirectory() throws IOException {
    String configured = System.getProperty(CACHE_PROPERTY);
    if (configured != null && !configured.isBlank()) {
      return Files.createDirectories(Path.of(configured).toAbsolutePath());
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp")).toAbsolutePath();
    String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9._-]", "_");
    Path directory = temporary.resolve("asynq4j-embedded-" + user);
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(temporary);
      try {
        if (isPosix(temporary)) {
          Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } else {
          Files.createDirectory(directory);
        }
      } catch (FileAlreadyExistsException e) {
        // Another process was faster.
      }
    }
    requireOwn(directory, temporary);
    return directory;
  }

  /** In a shared temporary directory any user could have placed a program there. */
  private static void requireOwn(Path directory, Path temporary) throws IOException {
    if (!isPosix(directory)) {
      return;
    }
    Path probe = Files.createTempFile(temporary, "asynq4j-", ".tmp");
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
      if (!Files.getOwner(directory).equals(Files.getOwner(probe))
          || permissions.contains(PosixFilePermission.GROUP_WRITE)
          || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
        throw new IOException(directory + " belongs to, or is writable by, another user");
      }
    } finally {
      Files.delete(probe);
    }
  }

  private static void makeExecutable(Path file) throws IOException {
    if (isPosix(file)) {
      Files.setPosixFilePermissions(file, OWNER_ONLY);
    }
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
