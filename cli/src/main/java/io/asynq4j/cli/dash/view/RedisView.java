package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.screen.ScreenSize;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** INFO values of Redis. */
public record RedisView(
    ListPosition place, String search, @Nullable Map<String, String> info, @Nullable String nothing)
    implements ListView {

  private static final int OTHERS = 7;

  public static RedisView start() {
    return new RedisView(ListPosition.START, "", null, null);
  }

  @Override
  public String title() {
    return "Redis";
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS);
  }

  @Override
  public List<String> keys() {
    return info == null
        ? List.of()
        : info.entrySet().stream()
            .filter(one -> SearchParser.contains(one.getKey() + " " + one.getValue(), search))
            .map(Map.Entry::getKey)
            .toList();
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Redis();
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    if (answer instanceof QueryResult.Redis found) {
      return new RedisView(place, search, found.info(), null);
    } else if (answer instanceof QueryResult.Nothing none && none.wish().equals(wish(size))) {
      return new RedisView(place, search, null, none.why());
    }
    return this;
  }

  @Override
  public RedisView at(ListPosition newPlace) {
    return new RedisView(newPlace, search, info, nothing);
  }

  @Override
  public RedisView searching(String newSearch) {
    return new RedisView(place, newSearch, info, nothing);
  }
}
