package io.asynq4j.cli.settings;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** A context was named that the configuration file does not have. */
public final class UnknownContextException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnknownContextException(String name, Path path, Set<String> known) {
    super(
        "there is no context \"%s\" in %s%s"
            .formatted(
                name,
                path,
                known.isEmpty() ? "" : "; there are " + String.join(", ", new TreeSet<>(known))));
  }
}
