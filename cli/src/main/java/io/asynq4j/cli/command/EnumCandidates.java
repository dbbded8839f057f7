package io.asynq4j.cli.command;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;

/** Names of an enum in lower case, for shell completion. */
public abstract class EnumCandidates implements Iterable<String> {

  private final Enum<?>[] values;

  protected EnumCandidates(Enum<?>... values) {
    this.values = values.clone();
  }

  @Override
  public final Iterator<String> iterator() {
    return Arrays.stream(values).map(each -> each.name().toLowerCase(Locale.ROOT)).iterator();
  }
}
