package io.asynq4j.internal.broker;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The central task definitions as text, by task name. Thread-safe. */
public interface DefinitionStore {

  Map<String, String> all();

  Optional<String> get(String name);

  void put(Map<String, String> texts);

  /** Returns the number of removed definitions. */
  long remove(Collection<String> names);
}
