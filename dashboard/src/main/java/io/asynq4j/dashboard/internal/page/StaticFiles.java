package io.asynq4j.dashboard.internal.page;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Serves the files of the web page. Only names of a strict form are accepted, so that no path
 * leaves their directory. Other paths without an extension belong to the page and return it.
 */
public final class StaticFiles {

  private static final Pattern NAME =
      Pattern.compile("([A-Za-z0-9_@-][A-Za-z0-9._@-]*/)*[A-Za-z0-9_@-][A-Za-z0-9._@-]*");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "png", "image/png",
          "ico", "image/x-icon",
          "woff2", "font/woff2",
          "json", "application/json",
          "webmanifest", "application/manifest+json",
          "txt", "text/plain; charset=utf-8");

  private static final String BASE = "{{base}}";

  private final Map<String, Optional<File>> files = new ConcurrentHashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record File(byte[] bytes, String type, String tag) {}

  /**
   * Returns empty if the file does not exist.
   *
   * @param root path at which the dashboard is mounted, the base of all links of the page
   */
  public Optional<ApiResponse> get(String path, String root) {
    String name = path.substring(1);
    if (name.isEmpty() || (!name.contains(".") && NAME.matcher(name).matches())) {
      return index(root);
    }
    if (!NAME.matcher(name).matches() || name.contains("..")) {
      return Optional.empty();
    }
    return file(name)
        .map(
            file ->
                ApiResponse.bytes(file.bytes(), file.type())
                    .with("Cache-Control", "no-cache")
                    .with("ETag", file.tag()));
  }

  private Optional<ApiResponse> index(String root) {
    return file("index.html")
        .map(
            file ->
                ApiResponse.bytes(
                        new String(file.bytes(), StandardCharsets.UTF_8)
                            .replace(BASE, escaped(root) + "/")
                            .getBytes(StandardCharsets.UTF_8),
                        file.type())
                    .with("Cache-Control", "no-cache"));
  }

  private static String escaped(String root) {
    return root.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
  }

  private Optional<File> file(String name) {
    String ending = name.substring(name.lastIndexOf('.') + 1);
    String type = TYPES.get(ending);
    if (type == null) {
      return Optional.empty();
    }
    Optional<File> known = files.get(name);
    if (known != null) {
      return known;
    }
    byte[] bytes = ClasspathFiles.read("web/" + name);
    if (bytes == null) {
      // Not cached, because the number of wrong names is unlimited.
      return Optional.empty();
    }
    Optional<File> file = Optional.of(new File(bytes, type, tag(bytes)));
    files.put(name, file);
    return file;
  }

  private static String tag(byte[] bytes) {
    return "\"" + Sha256.hex(bytes).substring(0, 24) + "\"";
  }
}
