package io.asynq4j.dashboard.internal.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Reads the bundled files of the dashboard. */
public final class ClasspathFiles {

  private static final String FOLDER = "/io/asynq4j/dashboard/";

  private ClasspathFiles() {}

  /**
   * Returns null if the file does not exist.
   *
   * @param name path below the directory of the dashboard, validated by the caller
   */
  public static byte @Nullable [] read(String name) {
    try (InputStream in = ClasspathFiles.class.getResourceAsStream(FOLDER + name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
