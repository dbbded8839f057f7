package io.asynq4j.http;

import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A log of records that must not be lost, such as an audit log. A record is written regardless of
 * the level of its logger: as INFO if that is on, otherwise with the lowest level that is on,
 * otherwise to standard error. Thread-safe.
 */
public final class RecordLog {

  private static final List<Level> LEVELS = List.of(Level.INFO, Level.WARN, Level.ERROR);

  private final Logger log;

  public RecordLog(String name) {
    this.log = LoggerFactory.getLogger(name);
  }

  public void write(String record) {
    write(record, Map.of());
  }

  /**
   * Writes a record with values.
   *
   * @param values structured, if the logging system supports it
   */
  public void write(String record, Map<String, ?> values) {
    for (Level level : LEVELS) {
      if (log.isEnabledForLevel(level)) {
        LoggingEventBuilder event = log.atLevel(level);
        for (Map.Entry<String, ?> value : values.entrySet()) {
          event = event.addKeyValue(value.getKey(), value.getValue());
        }
        event.log("{}", record);
        return;
      }
    }
    System.err.println(log.getName() + " " + record + (values.isEmpty() ? "" : " " + values));
  }
}
