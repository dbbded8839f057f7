package io.asynq4j.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.Version;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.internal.codec.Jackson2Codec;
import io.asynq4j.internal.codec.Jackson3Codec;
import io.asynq4j.internal.codec.JsonCodec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoding and decoding of inputs. */
class PayloadCodecTest {

  private static final String SECRET = "hunter2";

  enum StrictJson {
    JACKSON_2(new Jackson2Codec(true)),
    JACKSON_3(new Jackson3Codec(true));

    @SuppressWarnings("ImmutableEnumChecker") // a codec does not change, but does not say so
    final PayloadCodec codec;

    StrictJson(PayloadCodec codec) {
      this.codec = codec;
    }
  }

  record Customer(String name, @Nullable String phone, int age) {}

  record Remark(String text, Optional<String> author) {}

  record Sale(List<Customer> customers) {}

  @ParameterizedTest
  @EnumSource(StrictJson.class)
  void aStrictCodecNamesTheComponentThatIsMissing(StrictJson json) {
    Payload complete =
        Payload.ofUtf8("{\"name\":\"Ann\",\"phone\":null,\"age\":3,\"unknown\":[1]}");
    assertThat(json.codec.decode(complete, Customer.class)).isEqualTo(new Customer("Ann", null, 3));
    assertThat(json.codec.decode(Payload.ofUtf8("{\"name\":\"Ann\",\"age\":3}"), Customer.class))
        .isEqualTo(new Customer("Ann", null, 3));
    assertThat(json.codec.encode(new Customer("Ann", null, 3)).utf8())
        .isEqualTo("{\"name\":\"Ann\",\"phone\":null,\"age\":3}");

    for (String renamed :
        List.of(
            "{\"customers\":[{\"fullName\":\"" + SECRET + "\",\"age\":3}]}",
            "{\"customers\":[{\"age\":3}]}")) {
      PayloadException refusal =
          catchThrowableOfType(
              PayloadException.class, () -> json.codec.decode(Payload.ofUtf8(renamed), Sale.class));
      assertThat(refusal)
          .hasMessageContaining("cannot be read as " + Sale.class.getName())
          .hasMessageContaining("component \"name\" is missing");
      assertThat(printed(refusal)).doesNotContain(SECRET);
    }
    assertThatThrownBy(
            () -> json.codec.decode(Payload.ofUtf8("{\"name\":\"Ann\"}"), Customer.class))
        .hasMessageContaining("component \"age\" is missing");
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  @SuppressWarnings("NullAway") // what a record declares, and the default codec does not check
  void anotherCodecTakesWhatIsMissingAsNull(Json json) {
    assertThat(json.codec.decode(Payload.ofUtf8("{\"age\":3}"), Customer.class))
        .isEqualTo(new Customer(null, null, 3));
  }

  @Test
  void anOptionalComponentMayBeMissing() {
    Payload payload = Payload.ofUtf8("{\"text\":\"x\"}");

    assertThat(StrictJson.JACKSON_3.codec.decode(payload, Remark.class))
        .isEqualTo(new Remark("x", Optional.empty()));
    // Jackson 2 knows Optional only by its module for Java 8, which is not here.
    assertThat(StrictJson.JACKSON_2.codec.decode(payload, Remark.class).text()).isEqualTo("x");
  }

  @Test
  void theStrictCodecIsFoundToo() {
    assertThatThrownBy(() -> PayloadCodec.strictJson().decode(Payload.ofUtf8("{}"), Customer.class))
        .hasMessageContaining("component \"name\" is missing");
    assertThat(PayloadCodec.strictJson().encode("x").utf8()).isEqualTo("\"x\"");
  }

  enum Json {
    JACKSON_2(new Jackson2Codec(false)),
    JACKSON_3(new Jackson3Codec(false));

    @SuppressWarnings("ImmutableEnumChecker") // a codec does not change, but does not say so
    final PayloadCodec codec;

    Json(PayloadCodec codec) {
      this.codec = codec;
    }
  }

  record Mail(long userId, String language, List<String> tags, Size size) {}

  enum Size {
    SMALL,
    LARGE;

    @Override
    public String toString() {
      return "the size";
    }
  }

  record Positive(int value) {
    Positive {
      if (value < 0) {
        throw new IllegalArgumentException("not positive: " + value);
      }
    }
  }

  /** It would never end. */
  static final class Endless {
    public Endless getSelf() {
      return this;
    }
  }

  static final class Bean {
    public int getB() {
      return 2;
    }

    public int getA() {
      return 1;
    }
  }

  record Nothing() {}

  /** Cannot be written; its exception has its own message. */
  static final class Leaky {
    @SuppressWarnings({"unused", "DoNotCallSuggester"}) // called by the JSON library
    public String getValue() {
      throw new IllegalStateException(SECRET);
    }
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void whatIsWrittenIsReadAgain(Json json) {
    Mail mail = new Mail(9_007_199_254_740_993L, "nø\ud83d\ude00", List.of("a", ""), Size.LARGE);

    assertThat(json.codec.decode(json.codec.encode(mail), Mail.class)).isEqualTo(mail);
    assertThat(json.codec.decode(json.codec.encode("text"), String.class)).isEqualTo("text");
    assertThat(json.codec.decode(json.codec.encode(7), Integer.class)).isEqualTo(7);
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void bothLibrariesWriteTheSameBytesForTheyMakeTheLockOfAUniqueTask(Json json) {
    Map<String, Object> unsorted = new LinkedHashMap<>();
    unsorted.put("b", 1);
    unsorted.put("a", Size.SMALL);

    assertThat(json.codec.encode(new Mail(1, "en", List.of("x"), Size.SMALL)).utf8())
        .isEqualTo(
            """
            {"userId":1,"language":"en","tags":["x"],"size":"SMALL"}\
            """);
    assertThat(json.codec.encode(new Bean()).utf8()).isEqualTo("{\"a\":1,\"b\":2}");
    assertThat(json.codec.encode(new Nothing()).utf8()).isEqualTo("{}");
    assertThat(json.codec.encode(unsorted).utf8())
        .isEqualTo(
            """
            {"a":"SMALL","b":1}\
            """);
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void aProducerMayBeNewer(Json json) {
    Payload newer = Payload.ofUtf8("{\"value\": 3, \"unit\": {\"name\": \"mm\"}}");

    assertThat(json.codec.decode(newer, Positive.class)).isEqualTo(new Positive(3));
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void whatIsMalformedIsRefusedWithoutQuotingIt(Json json) {
    refused(json, SECRET, "cannot be read as " + Mail.class.getName() + ": malformed JSON at line");
    refused(json, "{\"userId\": " + SECRET + "}", "malformed JSON at line 1, column");
    refused(json, "{\"userId\": 1, \"" + SECRET, "malformed JSON");
    refused(json, "{\"userId\": 1} " + SECRET, "(21 bytes)");
    refused(json, "{\"userId\": \"" + SECRET + "\"}", "no long at line 1, column");
    refused(json, "{\"userId\": 1, \"size\": \"" + SECRET + "\"}", "no " + Size.class.getName());
    refused(json, "{\"userId\": null, \"language\": \"" + SECRET + "\"}", "no long");
    refused(json, "[\"" + SECRET + "\"]", "no " + Mail.class.getName());
    refused(json, "\"" + SECRET + "\"", "cannot be read as " + Mail.class.getName());
  }

  private static void refused(Json json, String text, String expected) {
    Payload payload = Payload.ofUtf8(text);

    PayloadException refusal =
        catchThrowableOfType(
            PayloadException.class,
            () -> TaskType.of("mail", Mail.class).input(Task.of("mail", payload), json.codec));

    assertThat(refusal)
        .hasMessageStartingWith("task type \"mail\": the payload (" + payload.size() + " bytes)")
        .hasMessageContaining(expected);
    assertThat(printed(refusal)).doesNotContain(SECRET);
  }

  /** With all causes, as a log would have it. */
  private static String printed(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void rejectionsByTheClassItselfAreReportedWithoutItsMessage(Json json) {
    assertThatThrownBy(
            () -> json.codec.decode(Payload.ofUtf8("{\"value\": -4711}"), Positive.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("the constructor threw java.lang.IllegalArgumentException")
        .hasMessageNotContaining("4711")
        .hasNoCause();
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void nothingAndNullAreNoInput(Json json) {
    assertThatThrownBy(() -> json.codec.decode(Payload.absent(), Mail.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith(
            "cannot decode an empty payload as " + Mail.class.getName() + "; enqueue");
    assertThatThrownBy(() -> json.codec.decode(Payload.ofUtf8("null"), Mail.class))
        .isInstanceOf(PayloadException.class)
        .hasMessage("the payload is JSON null, not " + Mail.class.getName());
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void whatCannotBeWrittenIsNamedByItsClass(Json json) {
    assertThatThrownBy(() -> json.codec.encode(new Endless()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("cannot write " + Endless.class.getName() + " as JSON: ")
        .hasMessageContaining("self-reference");
    assertThatThrownBy(() -> json.codec.encode(new Leaky()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("cannot write " + Leaky.class.getName())
        .satisfies(refusal -> assertThat(printed(refusal)).doesNotContain(SECRET));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"@class\":\"java.io.File\"}", "[\"java.io.File\",\"/etc\"]"})
  void theInputCannotChooseItsClass(String text) {
    for (Json json : Json.values()) {
      assertThat(json.codec.decode(Payload.ofUtf8(text), Object.class))
          .isInstanceOfAny(Map.class, List.class);
    }
  }

  @Test
  void aJackson2ThatWritesOtherBytesIsRefusedWithTheVersionThatIsNeeded() {
    for (Version old : List.of(version(2, 9, 0), version(2, 17, 3))) {
      assertThatThrownBy(() -> Jackson2Codec.of(old, false))
          .isInstanceOf(LinkageError.class)
          .hasMessageContaining("Jackson " + old)
          .hasMessageContaining("2.18 or newer");
    }
    assertThat(Jackson2Codec.of(version(2, 18, 0), false)).isInstanceOf(Jackson2Codec.class);
  }

  private static Version version(int major, int minor, int patch) {
    return new Version(major, minor, patch, null, "com.fasterxml.jackson.core", "jackson-databind");
  }

  @Test
  void jackson3IsPreferredAndWithoutEitherTheAdviceIsGiven() {
    assertThat(JsonCodec.find(name -> true, false)).isInstanceOf(Jackson3Codec.class);
    assertThat(JsonCodec.find(name -> name.startsWith("com.fasterxml."), false))
        .isInstanceOf(Jackson2Codec.class);
    assertThatThrownBy(() -> JsonCodec.find(name -> false, false))
        .isInstanceOf(NoClassDefFoundError.class)
        .hasMessageContaining("add tools.jackson.core:jackson-databind");
    assertThat(PayloadCodec.json().decode(PayloadCodec.json().encode("x"), String.class))
        .isEqualTo("x");
  }

  @ParameterizedTest
  @EnumSource(Json.class)
  void aGenericTypeIsReadAsWhatItIs(Json json) throws Exception {
    Type tags = Mail.class.getDeclaredField("tags").getGenericType();

    assertThat(json.codec.decode(Payload.ofUtf8("[\"a\"]"), tags)).isEqualTo(List.of("a"));
    assertThatThrownBy(() -> json.codec.decode(Payload.ofUtf8("{}"), tags))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("java.util.List<java.lang.String>");
  }

  @Test
  void aMapperOfTheApplicationKeepsItsSettings() {
    PayloadCodec three =
        PayloadCodec.jackson(
            tools.jackson.databind.json.JsonMapper.builder()
                .propertyNamingStrategy(tools.jackson.databind.PropertyNamingStrategies.SNAKE_CASE)
                .build());
    PayloadCodec two =
        PayloadCodec.jackson(
            new com.fasterxml.jackson.databind.ObjectMapper()
                .setPropertyNamingStrategy(
                    com.fasterxml.jackson.databind.PropertyNamingStrategies.SNAKE_CASE));

    for (PayloadCodec codec : List.of(three, two)) {
      Mail mail = new Mail(1, "en", List.of(), Size.SMALL);
      assertThat(codec.encode(mail).utf8()).contains("\"user_id\":1");
      assertThatThrownBy(() -> codec.decode(Payload.ofUtf8(SECRET), Mail.class))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("malformed JSON");
    }
    assertThatThrownBy(() -> PayloadCodec.jackson("mapper"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String is not a Jackson mapper");
  }

  private static final class UnusedCodec implements PayloadCodec {
    @Override
    public Payload encode(Object value) {
      throw new AssertionError("encodes " + value);
    }

    @Override
    public Object decode(Payload payload, Type type) {
      throw new AssertionError("decodes " + payload);
    }
  }

  @Test
  void bytesTravelAsTheyAreAndVoidNotAtAll() {
    PayloadCodec none = new UnusedCodec();
    Payload payload = Payload.of(new byte[] {1, 2});

    TaskType<Payload> raw = TaskType.of("t", Payload.class);
    assertThat(raw.task(payload, none)).isEqualTo(Task.of("t", payload));
    assertThat(raw.input(Task.of("t", payload), none)).isSameAs(payload);
    TaskType<byte[]> bytes = TaskType.of("t", byte[].class);
    assertThat(bytes.task(new byte[] {1, 2}, none)).isEqualTo(Task.of("t", payload));
    assertThat(bytes.input(Task.of("t", payload), none)).containsExactly(1, 2);
    assertThat(TaskType.of("t").input(Task.of("t", payload), none)).isNull();
  }

  @Test
  @SuppressWarnings("NullAway") // what the compiler of a user may not see
  void aMissingInputIsRefusedWhereItIsGivenNotWhereItIsRead() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> TaskType.of("t", Mail.class).task(null, new Jackson3Codec(false)))
        .withMessageContaining("needs an input, a " + Mail.class.getTypeName());
    assertThat(TaskType.of("t").task(null, new Jackson3Codec(false)).payload().isPresent())
        .isFalse();
    assertThatThrownBy(() -> TaskType.of("t", (Class<?>) null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void aCodecThatFailsInWaysOfItsOwnIsAPayloadThatCannotBeRead() {
    PayloadCodec broken =
        new PayloadCodec() {
          @Override
          public Payload encode(Object value) {
            throw new UnsupportedOperationException();
          }

          @Override
          public Object decode(Payload payload, Type type) {
            throw new IllegalStateException(payload.utf8());
          }
        };

    assertThatThrownBy(
            () ->
                TaskType.of("mail", Mail.class)
                    .input(Task.of("mail", Payload.ofUtf8(SECRET)), broken))
        .isInstanceOf(PayloadException.class)
        .hasMessage(
            "task type \"mail\": the payload (7 bytes) cannot be read as %s: the codec failed with"
                + " java.lang.IllegalStateException",
            Mail.class.getName());
  }

  @Test
  void aTypeHasANameAndOptionsThatLaterOnesOverride() {
    TaskType<Void> type =
        TaskType.of("report").with(o -> o.queue("low").maxRetry(3)).with(o -> o.maxRetry(5));

    assertThat(type.options()).isEqualTo(TaskOptions.of(o -> o.queue("low").maxRetry(5)));
    assertThat(type).hasToString("report");
    assertThatThrownBy(() -> TaskType.of(" "))
        .hasMessageContaining("task type must contain one or more characters");
    assertThatThrownBy(() -> TaskType.of("\ud800")).hasMessageContaining("not valid Unicode");
  }
}
