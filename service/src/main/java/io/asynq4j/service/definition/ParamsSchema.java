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
import io.asynq4j.service.response.Problems;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** JSON Schema of the params of a task. Thread-safe. */
public final class ParamsSchema {

  private final Schema schema;

  /** Throws {@code IllegalArgumentException} if the text is not a valid schema. */
  public ParamsSchema(String text) {
    try {
      JsonNode node = Json.MAPPER.readTree(text);
      if (!node.isObject()) {
        throw new IllegalArgumentException("the schema must be a mapping");
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

  /** Returns the first violation; empty if the params are valid. */
  public Optional<Problem> check(JsonNode params) {
    List<Error> errors;
    try {
      errors = schema.validate(params);
    } catch (StackOverflowError e) {
      // A repeated alternative in a pattern needs stack for each character.
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
