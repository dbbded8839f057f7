package io.asynq4j.dashboard.internal.page;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Problem;
import io.asynq4j.http.Sha256;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * HTML page of a problem, for a browser that requests the dashboard itself. It is self-contained,
 * because the files of the dashboard may be unavailable.
 */
public final class ProblemPage {

  private static final String STYLE =
      "body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:18vh auto;padding:0 1.5em}"
          + "h1{font-size:1.4em}"
          + "html{background:#fff;color:#171c26}a{color:#4338ca}"
          + "@media(prefers-color-scheme:dark){"
          + "html{background:#0e1117;color:#e6eaf0}a{color:#a5a8ff}}";

  /** Content security policy that allows only the inline style. */
  private static final String CSP =
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " style-src 'sha256-"
          + digest(STYLE)
          + "'";

  private ProblemPage() {}

  public static boolean isWanted(HttpServletRequest request, String path) {
    String accepted = request.getHeader("Accept");
    return request.getMethod().equals("GET")
        && !path.startsWith("/api")
        && accepted != null
        && accepted.contains("text/html");
  }

  public static ApiResponse of(Problem problem) {
    String title = escaped(problem.title());
    String page =
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
            + "<meta name=\"viewport\" content=\"width=device-width\"><title>"
            + title
            + "</title><style>"
            + STYLE
            + "</style></head><body><main><h1>"
            + title
            + "</h1><p>"
            + escaped(problem.detail())
            + "</p><p><a href=\"\">Try again</a></p></main></body></html>";
    return ApiResponse.bytes(
            problem.status(), page.getBytes(StandardCharsets.UTF_8), "text/html; charset=utf-8")
        .with("Content-Security-Policy", CSP)
        .with(problem.headers());
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private static String digest(String text) {
    return Base64.getEncoder().encodeToString(Sha256.digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
