package io.asynq4j.cli.settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The file {@code ~/.asynq.yaml}: the settings of a connection, as Go's has them, and named
 * contexts, each with settings of its own. Immutable; a change is another one that is to be saved.
 *
 * @param path where it is, or will be
 * @param settings those that no context has
 * @param contexts by name
 * @param current the name of the context that is used; null for none
 */
public record ConfigFile(
    Path path,
    ConnectionSettings settings,
    Map<String, ConnectionSettings> contexts,
    @Nullable String current) {

  private static final String CURRENT = "context";
  private static final String CONTEXTS = "contexts";

  public ConfigFile {
    contexts = Map.copyOf(contexts);
  }

  /**
   * Reads it.
   *
   * @param given a path that was asked for and must exist; null for the usual one, which need not
   */
  public static ConfigFile load(@Nullable Path given, Path home) {
    if (given != null && !Files.isRegularFile(given)) {
      throw new IllegalArgumentException(
          "there is no configuration file " + given + ": correct --config, or leave it out");
    }
    Optional<Path> found =
        given != null
            ? Optional.of(given)
            : Stream.of(".asynq.yaml", ".asynq.yml", ".asynq.json")
                .map(home::resolve)
                .filter(Files::isRegularFile)
                .findFirst();
    return found
        .map(ConfigFile::read)
        .orElseGet(
            () ->
                new ConfigFile(
                    home.resolve(".asynq.yaml"), ConnectionSettings.NONE, Map.of(), null));
  }

  private static ConfigFile read(Path path) {
    Map<String, Object> top = map(parse(path), "the configuration file " + path);
    String current = top.containsKey(CURRENT) ? String.valueOf(top.remove(CURRENT)) : null;
    Map<String, ConnectionSettings> contexts = new LinkedHashMap<>();
    map(top.remove(CONTEXTS), CONTEXTS + " in " + path)
        .forEach(
            (name, value) ->
                contexts.put(name, settings(map(value, "context " + name + " in " + path), path)));
    return new ConfigFile(path, settings(top, path), contexts, current);
  }

  private static @Nullable Object parse(Path path) {
    try {
      return new Load(LoadSettings.builder().setLabel(path.toString()).build())
          .loadFromString(Files.readString(path));
    } catch (MarkedYamlEngineException e) {
      // Not its message, which quotes the file: there may be a password in it.
      throw new IllegalArgumentException(
          "the configuration file %s is no YAML: %s%s"
              .formatted(
                  path,
                  e.getProblem(),
                  e.getProblemMark().map(mark -> ", line " + (mark.getLine() + 1)).orElse("")));
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException("the configuration file " + path + " is no YAML");
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the configuration file " + path + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static Map<String, Object> map(@Nullable Object value, String what) {
    Map<String, Object> result = new LinkedHashMap<>();
    if (value == null) {
      return result;
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(what + " must consist of lines like \"redis: URL\"");
    }
    map.forEach((key, each) -> result.put(String.valueOf(key), each));
    return result;
  }

  private static ConnectionSettings settings(Map<String, Object> values, Path path) {
    Map<String, Object> read = new LinkedHashMap<>();
    Map<String, ConnectionSetting> known =
        Arrays.stream(ConnectionSetting.values())
            .collect(Collectors.toMap(ConnectionSetting::key, each -> each));
    values.forEach(
        (key, value) -> {
          ConnectionSetting setting = known.get(key);
          if (setting == null) {
            throw new IllegalArgumentException(
                "the configuration file %s has \"%s\", which is no setting; the settings are %s, %s, %s"
                    .formatted(
                        path,
                        key,
                        Arrays.stream(ConnectionSetting.values())
                            .map(ConnectionSetting::key)
                            .collect(Collectors.joining(", ")),
                        CURRENT,
                        CONTEXTS));
          }
          if (value != null) {
            read.put(key, setting.read(value, "\"" + key + "\" in " + path));
          }
        });
    return ConnectionSettings.of(read);
  }

  /**
   * The settings of a context.
   *
   * @param name null for the current one, and for what stands outside of contexts if there is none
   */
  public ConnectionSettings of(@Nullable String name) {
    String wanted = name != null ? name : current;
    if (wanted == null) {
      return settings;
    }
    ConnectionSettings found = contexts.get(wanted);
    if (found == null) {
      throw new UnknownContextException(wanted, path, contexts.keySet());
    }
    return found;
  }

  public ConfigFile with(String name, ConnectionSettings of) {
    Map<String, ConnectionSettings> all = new LinkedHashMap<>(contexts);
    all.put(name, of);
    return new ConfigFile(path, settings, all, current);
  }

  public ConfigFile without(String name) {
    of(name);
    Map<String, ConnectionSettings> all = new LinkedHashMap<>(contexts);
    all.remove(name);
    return new ConfigFile(path, settings, all, name.equals(current) ? null : current);
  }

  /**
   * With another current context.
   *
   * @param name null for none
   */
  public ConfigFile using(@Nullable String name) {
    if (name != null) {
      of(name);
    }
    return new ConfigFile(path, settings, contexts, name);
  }

  /** Writes it so that only its owner can read it. Comments in it are lost. */
  public void save() {
    Map<String, Object> top = new LinkedHashMap<>(settings.toMap());
    if (current != null) {
      top.put(CURRENT, current);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    contexts.keySet().stream()
        .sorted()
        .forEach(name -> all.put(name, contexts.getOrDefault(name, settings).toMap()));
    if (!all.isEmpty()) {
      top.put(CONTEXTS, all);
    }
    String text =
        new Dump(DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build())
            .dumpToString(top);
    try {
      Path directory = path.toAbsolutePath().getParent();
      Files.createDirectories(directory);
      Path draft = Files.createTempFile(directory, ".asynq", ".new");
      if (Files.getFileStore(draft).supportsFileAttributeView("posix")) {
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-------"));
      }
      Files.writeString(draft, text);
      Files.move(draft, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the configuration file " + path + " cannot be written: " + e.getMessage(), e);
    }
  }
}
