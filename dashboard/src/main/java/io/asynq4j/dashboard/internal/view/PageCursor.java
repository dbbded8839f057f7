package io.asynq4j.dashboard.internal.view;

import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.Json;
import io.asynq4j.http.JsonFields;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Opaque cursors of paged lists. */
public final class PageCursor {

  private PageCursor() {}

  public static String of(@Nullable Object... parts) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(Json.bytes(java.util.Arrays.asList(parts)));
  }

  /** Decodes a cursor; parts can be null. */
  public static List<@Nullable String> read(String cursor, int parts) {
    try {
      byte[] json = Base64.getUrlDecoder().decode(cursor.getBytes(StandardCharsets.UTF_8));
      Optional<JsonNode> node = Json.read(json);
      if (node.isPresent() && node.get().isArray() && node.get().size() == parts) {
        List<@Nullable String> read = new java.util.ArrayList<>();
        node.get().forEach(part -> read.add(part.isNull() ? null : part.asString()));
        return read;
      }
    } catch (IllegalArgumentException e) {
      // Reported below.
    }
    throw Problems.badRequest("Invalid cursor. Use the cursor that the previous page returned.");
  }

  public static int readOffset(@Nullable String cursor) {
    if (cursor == null) {
      return 0;
    }
    try {
      String offset = read(cursor, 1).get(0);
      return Math.max(0, offset == null ? 0 : Integer.parseInt(offset));
    } catch (NumberFormatException e) {
      throw Problems.badRequest("Invalid cursor. Use the cursor that the previous page returned.");
    }
  }

  /** Returns one page of a list in memory, with its total and cursor. */
  public static <T> JsonFields page(
      List<T> all,
      int limit,
      @Nullable String cursor,
      java.util.function.Function<T, JsonFields> shown) {
    int from = Math.min(readOffset(cursor), all.size());
    int until = Math.min(all.size(), from + limit);
    return new JsonFields()
        .put(
            "items",
            all.subList(from, until).stream().map(each -> shown.apply(each).map()).toList())
        .put("total", all.size())
        .put("cursor", until < all.size() ? of(until) : null);
  }
}
