package io.asynq4j.cli.settings;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** Thrown if the configuration file does not have a context. */
public final class UnknownContextException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnknownContextException(String name, Path path, Set<String> known) {
    super(
        "Context \"%s\" does not exist in %s%s"
            .formatted(
                name,
                path,
                known.isEmpty()
                    ? ""
                    : "; the contexts are " + String.join(", ", new TreeSet<>(known))));
  }
}
