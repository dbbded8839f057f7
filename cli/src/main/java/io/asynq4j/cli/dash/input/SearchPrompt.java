package io.asynq4j.cli.dash.input;

import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.view.ListView;
import io.asynq4j.cli.dash.view.QueueView;
import io.asynq4j.cli.dash.view.View;

/** The search prompt. */
final class SearchPrompt {

  private SearchPrompt() {}

  static DashModel typed(DashModel model, String prompt, Key key) {
    switch (key.code()) {
      case CHARACTER -> {
        return live(model, prompt + key.character());
      }
      case BACKSPACE -> {
        return prompt.isEmpty()
            ? live(model, "").typing(null)
            : live(model, prompt.substring(0, prompt.length() - 1));
      }
      case ENTER -> {
        return searching(model, prompt.strip()).typing(null);
      }
      case ESCAPE -> {
        return live(model, "").typing(null);
      }
      default -> {
        return model;
      }
    }
  }

  /** Lists that are fully loaded are filtered while typing; tasks are searched on Enter. */
  private static DashModel live(DashModel model, String prompt) {
    DashModel typing = model.typing(prompt);
    return searchesRedis(model.view()) ? typing : searching(typing, prompt);
  }

  private static boolean searchesRedis(View view) {
    return view instanceof QueueView queue && !queue.listsGroups();
  }

  /** Applies the search, or shows why it is invalid. */
  static DashModel searching(DashModel model, String search) {
    if (!(model.view() instanceof ListView rows) || rows.search().equals(search)) {
      return model;
    }
    if (searchesRedis(rows)) {
      try {
        SearchParser.parse(search);
      } catch (IllegalArgumentException e) {
        return model.saying(String.valueOf(e.getMessage()), /* isGood= */ false);
      }
    }
    return model.showing(rows.searching(search));
  }
}
