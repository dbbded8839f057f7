package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.slf4j.LoggerFactory;

/** A real Chromium without a window, one for all tests; they are skipped where there is none. */
@SuppressWarnings("NullAway.Init") // Set before the tests.
final class Browser implements BeforeAllCallback {
  private static final Duration LOOK = Duration.ofMillis(40);

  private ChromeDriver driver;
  private String axe;

  /** Ends with the last test. */
  private record Running(ChromeDriver driver, String axe) implements AutoCloseable {

    @Override
    public void close() {
      driver.quit();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Running running =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .computeIfAbsent(Browser.class, any -> start(), Running.class);
    driver = running.driver();
    axe = running.axe();
  }

  private static Running start() {
    Optional<File> chromium = find("chromium", "chromium-browser", "google-chrome");
    Optional<File> chromedriver = find("chromedriver");
    if (chromium.isEmpty() || chromedriver.isEmpty()) {
      String why =
          "SKIPPED: no test looks at the pages, because there is no Chromium with its driver"
              + " (Debian: apt-get install chromium chromium-driver)";
      LoggerFactory.getLogger(Browser.class).warn(why);
      Assumptions.abort(why);
    }
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.SEVERE);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.orElseThrow());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion",
        "--force-color-profile=srgb");
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    ChromeDriver driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.orElseThrow())
                .build(),
            options);
    try (InputStream in = Browser.class.getResourceAsStream("/axe.min.js")) {
      return new Running(
          driver, new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Optional<File> find(String... names) {
    return Arrays.stream(names)
        .flatMap(
            name ->
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                    .map(folder -> new File(folder, name)))
        .filter(File::canExecute)
        .findFirst();
  }

  /** Sets width and theme, and clears the data of earlier tests. */
  void fresh(int width, boolean isDark) {
    driver.get("about:blank");
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of(
            "width",
            width,
            "height",
            width < 800 ? 844 : 1000,
            "deviceScaleFactor",
            1,
            "mobile",
            width < 800));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    problems();
  }

  /** Follows a link within the page, without loading the page again. */
  void go(String place) {
    run("location.hash = arguments[0]", place);
    see("h1");
  }

  /** Opens a place within the page and waits until it is there. */
  void open(Dashboard dashboard, String place) {
    openAt(dashboard.uri().toString(), place);
  }

  void openAt(String root, String place) {
    // A change of the fragment alone would not load the page again.
    driver.get("about:blank");
    driver.get(root + "#" + place);
    see("h1");
  }

  /** Whatever comes. */
  void load(String address) {
    driver.get(address);
  }

  /** Waits for an element; the selector is CSS. */
  WebElement see(String selector) {
    await()
        .alias(selector)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(() -> !shown(selector).isEmpty());
    return shown(selector).get(0);
  }

  /** Waits until the page contains this text. */
  void seeText(String text) {
    await()
        .alias(text)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .untilAsserted(() -> assertThat(text("body")).contains(text));
  }

  /** In one call: asking each element would take most of the time of the tests. */
  @SuppressWarnings("unchecked")
  List<WebElement> shown(String selector) {
    return (List<WebElement>)
        Objects.requireNonNull(
            run(
                "return [...document.querySelectorAll(arguments[0])].filter(e =>"
                    + " e.getClientRects().length && e.checkVisibility({visibilityProperty: true}))",
                selector));
  }

  String text(String selector) {
    return String.valueOf(
        run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join('\\n')",
            selector));
  }

  /** The button with this text, within the first that the selector finds. */
  void press(String within, String text) {
    see(within);
    await()
        .alias("button " + text + " in " + within)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(
            () ->
                Boolean.TRUE.equals(
                    run(
                        "const b = [...document.querySelectorAll(arguments[0] + ' button')].find(e => e.innerText.trim() === arguments[1] && !e.disabled);"
                            + "if (b) b.click(); return !!b",
                        within,
                        text)));
  }

  void write(String selector, String text) {
    WebElement element = see(selector);
    element.clear();
    element.sendKeys(text);
  }

  void type(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  void enter() {
    type(Keys.ENTER);
  }

  @Nullable Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  double number(String script) {
    return ((Number) Objects.requireNonNull(run(script), script)).doubleValue();
  }

  /** Milliseconds from when the script runs until the browser has painted what it changed. */
  double painted(String script) {
    Object took =
        driver.executeAsyncScript(
            "const done = arguments[arguments.length - 1]; const begun = performance.now();"
                + script
                // A frame is on the screen when the task after its callback begins.
                + "; requestAnimationFrame(() => { const c = new MessageChannel();"
                + " c.port1.onmessage = () => done(performance.now() - begun);"
                + " c.port2.postMessage(0); });");
    return ((Number) Objects.requireNonNull(took, script)).doubleValue();
  }

  /** From the next page on, {@code window.shownAt} is when this was first on it. */
  void markWhenShown(String selector) {
    driver.executeCdpCommand(
        "Page.addScriptToEvaluateOnNewDocument",
        Map.of(
            "source",
            "new MutationObserver((all, observer) => { if (document.querySelector('"
                + selector
                + "')) { observer.disconnect();"
                + " requestAnimationFrame(() => { window.shownAt ??= performance.now(); }); } })"
                + ".observe(document, {childList: true, subtree: true});"));
  }

  /** The buttons and links with these texts or labels. */
  List<String> offers() {
    Object all =
        run(
            "return [...document.querySelectorAll('button, a.button')].filter(e => e.offsetParent)"
                + ".map(e => e.getAttribute('aria-label') || e.innerText.trim())");
    return ((List<?>) Objects.requireNonNull(all)).stream().map(String::valueOf).toList();
  }

  /** From now on, copied text is recorded instead. */
  void catchCopies() {
    run(
        "window.copied = null; Object.defineProperty(navigator, 'clipboard', {configurable: true,"
            + " value: {writeText: async (text) => { window.copied = text; }}})");
  }

  String copied() {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(() -> run("return window.copied") != null);
    String text = String.valueOf(run("return window.copied"));
    run("window.copied = null");
    return text;
  }

  String place() {
    return String.valueOf(run("return location.hash"));
  }

  /**
   * What the console has said since the last time: errors of scripts, and what the policy has
   * blocked.
   */
  List<String> problems() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::getMessage)
        .toList();
  }

  /**
   * Serious and critical findings about how usable the page is for everybody.
   *
   * @param rules those to look for; none for all
   */
  @SuppressWarnings("unchecked")
  List<String> barriers(String... rules) {
    if (!Boolean.TRUE.equals(run("return !!window.axe"))) {
      // Through the driver, which the page's own policy does not bind.
      driver.executeScript(axe);
    }
    Object found =
        driver.executeAsyncScript(
            "const done = arguments[arguments.length - 1]; const rules = arguments[0];"
                + "axe.run(document, {resultTypes: ['violations'],"
                + " ...(rules.length ? {runOnly: rules} : {})}).then(r => done(r.violations"
                + ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
                + ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | '))));",
            (Object) rules);
    return (List<String>) Objects.requireNonNull(found);
  }

  static boolean takesPictures() {
    return System.getenv("ASYNQ_SCREENSHOTS") != null;
  }

  /** Saves it to the folder ASYNQ_SCREENSHOTS, if that is set. */
  void picture(String name) {
    String folder = System.getenv("ASYNQ_SCREENSHOTS");
    if (folder == null) {
      return;
    }
    try {
      Files.createDirectories(Path.of(folder));
      Files.write(Path.of(folder, name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
