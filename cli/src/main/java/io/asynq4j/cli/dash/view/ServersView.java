package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All servers. */
public record ServersView(
    ListPosition place,
    String search,
    @Nullable List<ServerSnapshot> servers,
    @Nullable String nothing)
    implements ListView {

  private static final int OTHERS = 2;

  public static ServersView start() {
    return new ServersView(ListPosition.START, "", null, null);
  }

  @Override
  public String title() {
    return "Servers";
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS);
  }

  public List<ServerSnapshot> list() {
    return ListView.matching(
        servers,
        server ->
            SearchParser.contains(server.host() + ":" + server.pid() + " " + server.id(), search)
                || server.queues().keySet().stream()
                    .anyMatch(q -> SearchParser.contains(q, search)));
  }

  @Override
  public List<String> keys() {
    return list().stream().map(ServerSnapshot::id).toList();
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Servers();
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    if (answer instanceof QueryResult.Servers found) {
      return new ServersView(place, search, found.servers(), null);
    } else if (answer instanceof QueryResult.Nothing none && none.wish().equals(wish(size))) {
      return new ServersView(place, search, null, none.why());
    }
    return this;
  }

  @Override
  public ServersView at(ListPosition newPlace) {
    return new ServersView(newPlace, search, servers, nothing);
  }

  @Override
  public ServersView searching(String newSearch) {
    return new ServersView(place, newSearch, servers, nothing);
  }
}
