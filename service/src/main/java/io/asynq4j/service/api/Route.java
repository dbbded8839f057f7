package io.asynq4j.service.api;

import io.asynq4j.service.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be asked for. Immutable.
 *
 * @param path its segments; a star stands for any one
 * @param scope what the caller must be allowed; null = everybody may
 */
public record Route(String method, String path, @Nullable Scope scope, Endpoint endpoint) {

  /** Answers a request, now or later. */
  @FunctionalInterface
  public interface Endpoint {
    CompletionStage<ApiResponse> handle(Exchange exchange) throws Exception;
  }

  /** What stands for the stars, if this is the path. */
  Optional<List<String>> match(List<String> segments) {
    String[] expected = path.substring(1).split("/", -1);
    if (expected.length != segments.size()) {
      return Optional.empty();
    }
    List<String> variables = new ArrayList<>();
    for (int i = 0; i < expected.length; i++) {
      if (expected[i].equals("*")) {
        variables.add(segments.get(i));
      } else if (!expected[i].equals(segments.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(variables);
  }
}
