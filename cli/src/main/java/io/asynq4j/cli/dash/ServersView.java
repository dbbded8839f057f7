package io.asynq4j.cli.dash;

import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All servers. */
record ServersView(
    Place place, String search, @Nullable List<ServerSnapshot> servers, @Nullable String nothing)
    implements RowsView {

  private static final int OTHERS = 2;

  static ServersView start() {
    return new ServersView(Place.START, "", null, null);
  }

  @Override
  public String title() {
    return "Servers";
  }

  @Override
  public int rows(Size size) {
    return size.list(OTHERS);
  }

  List<ServerSnapshot> list() {
    return RowsView.matching(
        servers,
        server ->
            Search.contains(server.host() + ":" + server.pid() + " " + server.id(), search)
                || server.queues().keySet().stream().anyMatch(q -> Search.contains(q, search)));
  }

  @Override
  public List<String> keys() {
    return list().stream().map(ServerSnapshot::id).toList();
  }

  @Override
  public Wish wish(Size size) {
    return new Wish.Servers();
  }

  @Override
  public View with(Answer answer, Size size) {
    if (answer instanceof Answer.Servers found) {
      return new ServersView(place, search, found.servers(), null);
    } else if (answer instanceof Answer.Nothing none && none.wish().equals(wish(size))) {
      return new ServersView(place, search, null, none.why());
    }
    return this;
  }

  @Override
  public ServersView at(Place newPlace) {
    return new ServersView(newPlace, search, servers, nothing);
  }

  @Override
  public ServersView searching(String newSearch) {
    return new ServersView(place, newSearch, servers, nothing);
  }
}
