package io.asynq4j.internal.broker;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The central list of task definitions, as texts by their names. Thread-safe. */
public interface DefinitionStore {

  Map<String, String> all();

  Optional<String> get(String name);

  void put(Map<String, String> texts);

  /** How many there were. */
  long remove(Collection<String> names);
}
