package io.asynq4j.dashboard.internal.view;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.PayloadFormatter;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.config.RedactionRule;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.Json;
import io.asynq4j.http.JsonFields;
import io.asynq4j.internal.text.TextExcerpt;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Renders payloads and results: formatted, redacted, truncated or hidden. */
public final class PayloadRenderer {

  /** Maximum length in lists. */
  public static final int PREVIEW = 200;

  /** Maximum length on the page of a task; the complete content can be downloaded. */
  public static final int WHOLE = 256 << 10;

  /** Larger payloads are not parsed for a preview, because that is too expensive. */
  private static final int PARSED_FOR_PREVIEW = 64 << 10;

  private static final int PARSED = 16 << 20;

  private static final Logger log = LoggerFactory.getLogger(PayloadRenderer.class);

  private final DashboardSettings settings;

  public PayloadRenderer(DashboardSettings settings) {
    this.settings = settings;
  }

  public boolean isHidden(HiddenField field) {
    return settings.hidden().contains(field);
  }

  public JsonFields payload(String type, Payload payload, int most) {
    return show(type, payload, most, HiddenField.PAYLOAD, settings.payloadFormatters());
  }

  public JsonFields result(String type, Payload result, int most) {
    return show(type, result, most, HiddenField.RESULT, settings.resultFormatters());
  }

  private JsonFields show(
      String type,
      Payload payload,
      int most,
      HiddenField field,
      List<PayloadFormatter> formatters) {
    if (payload.size() == 0) {
      return content(0, "absent", "", false, false);
    }
    if (isHidden(field)) {
      return content(payload.size(), "hidden", "", false, false);
    }
    List<RedactionRule> rules = rulesFor(type);
    int parsed = most == PREVIEW ? PARSED_FOR_PREVIEW : PARSED;
    boolean isRedacted = !rules.isEmpty();
    if (isRedacted) {
      Optional<byte[]> redacted =
          payload.size() > parsed ? Optional.empty() : redacted(rules, payload.bytes());
      return redacted
          .map(bytes -> show(type, payload.size(), bytes, most, formatters, true))
          .orElseGet(() -> content(payload.size(), "hidden", "", false, true));
    }
    // Decodes only the visible part; a character takes up to four bytes.
    if (payload.size() > Math.max(parsed, 4 * most)) {
      byte[] start = new byte[4 * most];
      payload.view().get(start);
      return showStart(payload.size(), start, most);
    }
    return show(type, payload.size(), payload.bytes(), most, formatters, false);
  }

  private JsonFields show(
      String type,
      int size,
      byte[] bytes,
      int most,
      List<PayloadFormatter> formatters,
      boolean isRedacted) {
    String formatted = formatted(formatters, type, bytes);
    if (formatted != null) {
      return text(size, "formatted", formatted, most, isRedacted);
    }
    String text = printable(bytes, /* isWhole= */ true);
    if (text == null) {
      return binary(size, bytes, most, isRedacted);
    }
    return text(size, Json.isJson(bytes) ? "json" : "text", text, most, isRedacted);
  }

  private static JsonFields showStart(int size, byte[] start, int most) {
    String text = printable(start, /* isWhole= */ false);
    return text == null
        ? binary(size, start, most, false)
        : text(size, "text", text, most, false).put("truncated", true);
  }

  private static JsonFields binary(int size, byte[] bytes, int most, boolean isRedacted) {
    int shown = Math.min(bytes.length, most / 2);
    String hex = HexFormat.of().formatHex(bytes, 0, shown);
    return content(size, "binary", hex, shown < size, isRedacted);
  }

  private static JsonFields text(int size, String kind, String text, int most, boolean isRedacted) {
    boolean isCut = text.length() > most;
    return content(size, kind, TextExcerpt.of(text, most), isCut, isRedacted);
  }

  private static JsonFields content(
      int size, String kind, String text, boolean isCut, boolean isRedacted) {
    return new JsonFields()
        .put("size", size)
        .put("kind", kind)
        .put("text", text)
        .put("truncated", isCut)
        .put("redacted", isRedacted);
  }

  private static @Nullable String formatted(
      List<PayloadFormatter> formatters, String type, byte[] bytes) {
    for (PayloadFormatter formatter : formatters) {
      try {
        Optional<String> text = formatter.format(type, bytes.clone());
        if (text.isPresent()) {
          return text.get();
        }
      } catch (RuntimeException e) {
        // The message may quote the payload, so only the class of the exception is logged.
        log.warn(
            "dashboard: payload formatter failed for task type {} and is skipped: {}",
            type,
            e.getClass().getName());
      }
    }
    return null;
  }

  /** Returns null if the bytes are not readable text. */
  private static @Nullable String printable(byte[] bytes, boolean isWhole) {
    try {
      // A truncated text may end in the middle of a character.
      int length = bytes.length;
      if (!isWhole) {
        while (length > 0 && (bytes[length - 1] & 0xC0) == 0x80) {
          length--;
        }
        length = Math.max(0, length - 1);
      }
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
      boolean isReadable =
          text.codePoints()
              .allMatch(c -> c == '\n' || c == '\r' || c == '\t' || !Character.isISOControl(c));
      return isReadable ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private List<RedactionRule> rulesFor(String type) {
    return settings.redactions().stream().filter(rule -> rule.isFor(type)).toList();
  }

  /** Returns empty if the content is not JSON, because it cannot be redacted. */
  private static Optional<byte[]> redacted(List<RedactionRule> rules, byte[] bytes) {
    return Json.read(bytes)
        .map(
            node -> {
              rules.forEach(rule -> rule.mask(node));
              return Json.bytes(node);
            });
  }

  /** Returns the complete content for a download; empty if it must not be shown. */
  public Optional<byte[]> wholePayload(String type, Payload payload) {
    return whole(type, payload, HiddenField.PAYLOAD);
  }

  public Optional<byte[]> wholeResult(String type, Payload result) {
    return whole(type, result, HiddenField.RESULT);
  }

  private Optional<byte[]> whole(String type, Payload payload, HiddenField field) {
    if (isHidden(field)) {
      return Optional.empty();
    }
    List<RedactionRule> rules = rulesFor(type);
    return rules.isEmpty() ? Optional.of(payload.bytes()) : redacted(rules, payload.bytes());
  }

  /**
   * Rejects a payload that contains the placeholder of a redacted value, which would overwrite the
   * value.
   */
  public void requireNotMasked(String type, Payload payload) {
    if (!rulesFor(type).isEmpty()) {
      Optional<JsonNode> node = Json.read(payload.bytes());
      if (node.isPresent() && RedactionRule.isMasked(node.get())) {
        throw Problems.unprocessable(
            "Invalid payload: it contains the placeholder \""
                + RedactionRule.MASK
                + "\" of a redacted value, so saving would overwrite the value. Enter the values, or leave the"
                + " payload unchanged.");
      }
    }
  }

  /**
   * Returns the task as pages show it, for searches. Otherwise hidden values could be guessed with
   * searches.
   */
  public TaskInfo shown(TaskInfo task) {
    List<RedactionRule> rules = rulesFor(task.type());
    if (rules.isEmpty() && settings.hidden().isEmpty()) {
      return task;
    }
    TaskInfo.Builder shown =
        task.toBuilder()
            .payload(shown(rules, task.payload(), HiddenField.PAYLOAD))
            .result(shown(rules, task.result(), HiddenField.RESULT));
    if (isHidden(HiddenField.HEADERS)) {
      shown.headers(Map.of());
    }
    if (isHidden(HiddenField.ERROR)) {
      shown.lastError("");
    }
    return shown.build();
  }

  private Payload shown(List<RedactionRule> rules, Payload payload, HiddenField field) {
    if (isHidden(field)) {
      return Payload.absent();
    }
    return rules.isEmpty() || payload.size() == 0
        ? payload
        : redacted(rules, payload.bytes()).map(Payload::of).orElse(Payload.absent());
  }
}
