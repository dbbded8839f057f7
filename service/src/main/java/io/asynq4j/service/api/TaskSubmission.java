package io.asynq4j.service.api;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.http.Sha256;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.response.Problems;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A validated task of a request. Immutable.
 *
 * @param fingerprint of the Idempotency-Key and its request; null without a key
 */
public record TaskSubmission(
    TaskDefinition definition,
    JsonNode params,
    EnqueueRequest request,
    @Nullable Fingerprint fingerprint) {

  /** Header of the task, so that it is kept exactly as long as the task. */
  public static final String FINGERPRINT_HEADER = "asynq-idempotency";

  /** Identifies the request that created a task. */
  public record Fingerprint(String key, String body) {

    private static final int LENGTH = 32;

    static Fingerprint of(String caller, String name, String key, JsonNode body) {
      return new Fingerprint(
          Sha256.hex(caller + "\n" + name + "\n" + key).substring(0, LENGTH),
          Sha256.hex(Json.bytes(body)).substring(0, LENGTH));
    }

    public static @Nullable Fingerprint parse(@Nullable String header) {
      String[] parts = header == null ? new String[0] : header.split(":", -1);
      return parts.length == 2 ? new Fingerprint(parts[0], parts[1]) : null;
    }

    String header() {
      return key + ":" + body;
    }
  }

  /** Parses and validates a task. Throws a problem that names the field. */
  public static TaskSubmission read(
      JsonNode body,
      ApiKey caller,
      DefinitionCatalog catalog,
      @Nullable String idempotencyKey,
      Duration idempotency) {
    RequestFields fields = new RequestFields(body, "a task", Problems.FACTORY);
    String name = fields.required("name");
    AccessControl.requireName(caller, name);
    DefinitionCatalog.Entry entry =
        catalog
            .find(name)
            .orElseThrow(
                () ->
                    Problems.invalid("name", "no task is defined with the name \"" + name + "\""));
    JsonNode params = fields.any("params").orElseGet(Json::object);
    if (entry.schema() != null) {
      entry
          .schema()
          .check(params)
          .ifPresent(
              problem -> {
                throw problem;
              });
    }
    TaskDefinition definition = entry.definition();
    Fingerprint fingerprint = null;
    if (idempotencyKey != null) {
      if (idempotencyKey.isBlank() || idempotencyKey.length() > 255) {
        throw Problems.invalid(
            "Idempotency-Key", "an Idempotency-Key must have 1 to 255 characters");
      }
      fingerprint = Fingerprint.of(caller.name(), name, idempotencyKey, body);
    }
    try {
      TaskOptions.Builder options = TaskOptions.builder();
      fields.id("id").ifPresent(options::id);
      fields.duration("in").ifPresent(options::processIn);
      fields.time("at").ifPresent(options::processAt);
      fields.time("deadline").ifPresent(options::deadline);
      fields.duration("retention").ifPresent(options::retention);
      fields.end();
      if (fingerprint != null) {
        options.header(FINGERPRINT_HEADER, fingerprint.header());
      }
      TaskOptions all = entry.options().overriddenBy(options.build());
      if (fingerprint != null) {
        all = remembered(all, fingerprint, idempotency);
      }
      Task task = Task.of(name, Payload.of(Json.bytes(params)));
      return new TaskSubmission(definition, params, EnqueueRequest.of(task, all), fingerprint);
    } catch (IllegalArgumentException e) {
      throw Problems.invalid("", String.valueOf(e.getMessage()));
    }
  }

  /** Sets the id and retention by which the key is remembered: the task itself is the record. */
  private static TaskOptions remembered(
      TaskOptions options, Fingerprint fingerprint, Duration min) {
    TaskOptions.Builder more = TaskOptions.builder();
    if (options.id() == null) {
      more.id("idem-" + fingerprint.key());
    }
    if (options.retention() == null || options.retention().compareTo(min) < 0) {
      more.retention(min);
    }
    return options.overriddenBy(more.build());
  }
}
