package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerRefusedException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Error replies of Redis, classified by the reaction that they require. */
public enum RedisError {
  LOADING(true, "; it is loading its data from disk"),
  BUSY(true, "; a script has been running too long there"),
  READONLY(
      true,
      "; this is a replica. Unless a failover is in progress, use the address of the primary,"
          + " or of the sentinels"),
  MASTERDOWN(true, "; this is a replica whose primary is unreachable"),
  CLUSTERDOWN(true, "; a part of the cluster is missing"),
  TRYAGAIN(true, "; the slot of this queue is being migrated"),
  NOREPLICAS(true, "; the primary has fewer replicas than min-replicas-to-write requires"),
  MAXCLIENTS(true, "; raise maxclients there, or lower maxConnections here"),
  OOM(false, "; raise maxmemory or remove tasks. Nothing was written"),
  MISCONF(false, "; Redis cannot save to disk and refuses writes. Nothing was written"),
  NOAUTH(false, "; give the password in the URL, as in redis://:password@host:6379"),
  WRONGPASS(false, "; check user and password in the URL"),
  NOPERM(false, "; docs/reference/redis-layout.md lists the permissions that a Redis user needs"),
  NOSCRIPT(false, ""),
  OTHER(false, "");

  /** Whether the error is temporary. The command was not executed. */
  final boolean passes;

  final String advice;

  RedisError(boolean passes, String advice) {
    this.passes = passes;
    this.advice = advice;
  }

  public static RedisError of(JedisDataException error) {
    return of(String.valueOf(error.getMessage()));
  }

  static RedisError of(String text) {
    for (RedisError error : values()) {
      if (text.startsWith(error.name() + " ")) {
        return error;
      }
    }
    if (text.contains("max number of clients reached")) {
      return MAXCLIENTS;
    }
    if (text.contains("The user executing the script can't")) {
      return NOPERM;
    }
    // On Redis 6.2, errors of commands inside a script have their code after this prefix.
    int nested = text.indexOf(": -");
    return nested > 0 && text.startsWith("ERR Error running script")
        ? of(text.substring(nested + 3))
        : OTHER;
  }

  /** Returns whether the error means that another server is responsible now. */
  boolean isForAnotherServer() {
    return this == READONLY || this == MASTERDOWN || this == CLUSTERDOWN;
  }

  /**
   * Returns whether a script may have been executed in part: Redis does not roll back a script that
   * fails. Excludes errors that Redis returns for the first write of a script.
   */
  boolean mayBeHalfDone(JedisDataException error) {
    return (this == OTHER || this == NOPERM)
        && String.valueOf(error.getMessage()).contains("script");
  }

  /**
   * For permanent errors: returns whether the command or its data is the reason, or the state of
   * the server. Unknown errors, such as those of a proxy, count as the latter.
   */
  BrokerRefusedException.Reason reason(JedisDataException error) {
    String text = String.valueOf(error.getMessage());
    boolean isForTheRequest =
        this == OTHER
            && (text.startsWith("WRONGTYPE ")
                || text.contains("script")
                || text.contains("Protocol error"));
    return isForTheRequest
        ? BrokerRefusedException.Reason.REQUEST
        : BrokerRefusedException.Reason.SERVER;
  }
}
