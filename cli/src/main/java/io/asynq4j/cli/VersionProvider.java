package io.asynq4j.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** Version that the build wrote into the manifest of the jar. */
final class VersionProvider implements IVersionProvider {

  static String number() {
    return Optional.ofNullable(Asynq.class.getPackage().getImplementationVersion())
        .orElse("(not packaged)");
  }

  @Override
  public String[] getVersion() {
    return new String[] {"asynq4j " + number(), "Java " + Runtime.version()};
  }
}
