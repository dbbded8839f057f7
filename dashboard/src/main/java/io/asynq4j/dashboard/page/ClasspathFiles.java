package io.asynq4j.dashboard.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Files that come with the dashboard. */
public final class ClasspathFiles {

  private static final String FOLDER = "/io/asynq4j/dashboard/";

  private ClasspathFiles() {}

  /**
   * Null when there is no such file.
   *
   * @param name below the folder of the dashboard; the caller has made sure that it stays there
   */
  public static byte @Nullable [] read(String name) {
    try (InputStream in = ClasspathFiles.class.getResourceAsStream(FOLDER + name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
