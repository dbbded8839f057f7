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
 * The configuration file {@code ~/.asynq.yaml}: connection settings as in asynq for Go, and named
 * contexts with their own settings. Immutable; changes return a new instance to save.
 *
 * @param path path of the file; it does not have to exist
 * @param settings settings outside of contexts
 * @param contexts by name
 * @param current name of the current context; null for none
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
   * Reads the file.
   *
   * @param given path that must exist; null for the default path, which does not have to exist
   * @param setting the option or variable that sets the path
   */
  public static ConfigFile load(@Nullable Path given, String setting, Path home) {
    if (given != null && !Files.isRegularFile(given)) {
      throw new IllegalArgumentException(
          "Configuration file " + given + " does not exist: correct or remove " + setting);
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
    Map<String, Object> top = map(parse(path), "configuration file " + path);
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
      // The message of the exception quotes the file, which may contain a password.
      throw new IllegalArgumentException(
          "configuration file %s is not valid YAML: %s%s"
              .formatted(
                  path,
                  e.getProblem(),
                  e.getProblemMark().map(mark -> ", line " + (mark.getLine() + 1)).orElse("")));
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException("configuration file " + path + " is not valid YAML");
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot read configuration file " + path + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, Object> map(@Nullable Object value, String what) {
    Map<String, Object> result = new LinkedHashMap<>();
    if (value == null) {
      return result;
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(what + " must consist of lines such as \"redis: URL\"");
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
                "unknown setting \"%2$s\" in configuration file %1$s; the settings are %3$s, %4$s, %5$s"
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
   * Settings of a context.
   *
   * @param name null for the current context, or for the settings outside of contexts if there is
   *     none
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
   * Returns the file with another current context.
   *
   * @param name null for none
   */
  public ConfigFile using(@Nullable String name) {
    if (name != null) {
      of(name);
    }
    return new ConfigFile(path, settings, contexts, name);
  }

  /** Writes the file so that only its owner can read it. Comments are lost. */
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
          "cannot write configuration file " + path + ": " + e.getMessage(), e);
    }
  }
}
