package io.asynq4j.service.definition;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.dialect.DialectId;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.service.api.Problems;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What the params of a task must look like, by a JSON Schema. Thread-safe. */
public final class ParamsSchema {

  private final Schema schema;

  /** Throws {@code IllegalArgumentException} when it is none. */
  public ParamsSchema(String text) {
    try {
      JsonNode node = Json.MAPPER.readTree(text);
      if (!node.isObject()) {
        throw new IllegalArgumentException("it must be a mapping");
      }
      SchemaRegistry registry =
          SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
      List<Error> wrong =
          registry.getSchema(SchemaLocation.of(DialectId.DRAFT_2020_12)).validate(node);
      if (!wrong.isEmpty()) {
        throw new IllegalArgumentException(wrong.get(0).toString());
      }
      this.schema = registry.getSchema(node);
      schema.initializeValidators();
    } catch (SchemaException | JacksonException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** The first thing that does not fit. */
  public Optional<Problem> check(JsonNode params) {
    List<Error> errors;
    try {
      errors = schema.validate(params);
    } catch (StackOverflowError e) {
      // A pattern with an alternative that is repeated needs stack for each character.
      return Optional.of(Problems.invalid("params", "params are too large for their schema"));
    }
    return errors.stream().findFirst().map(ParamsSchema::problem);
  }

  private static Problem problem(Error error) {
    StringBuilder field = new StringBuilder("params");
    for (int i = 0; i < error.getInstanceLocation().getNameCount(); i++) {
      field.append('.').append(error.getInstanceLocation().getElement(i));
    }
    if (error.getProperty() != null) {
      field.append('.').append(error.getProperty());
    }
    return Problems.invalid(field.toString(), field + ": " + error.getMessage());
  }
}
