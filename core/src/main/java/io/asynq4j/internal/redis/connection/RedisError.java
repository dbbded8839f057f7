package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerRefusedException;
import redis.clients.jedis.exceptions.JedisDataException;

/** The kinds of errors that Redis answers, as far as it matters what to do about them. */
public enum RedisError {
  LOADING(true, "; it is reading its data from disk"),
  BUSY(true, "; a script is running too long there"),
  READONLY(
      true,
      "; this is a replica. Unless a failover is under way, give the address of the primary,"
          + " or of the sentinels"),
  MASTERDOWN(true, "; this is a replica whose primary is gone"),
  CLUSTERDOWN(true, "; a part of the cluster is missing"),
  TRYAGAIN(true, "; the slot of this queue is being moved"),
  NOREPLICAS(true, "; the primary has fewer replicas than it is told to write with"),
  MAXCLIENTS(true, "; raise maxclients there, or lower maxConnections here"),
  OOM(false, "; raise maxmemory or remove tasks. Nothing was written"),
  MISCONF(false, "; Redis cannot save to disk and refuses writes. Nothing was written"),
  NOAUTH(false, "; give the password in the URL, as in redis://:password@host:6379"),
  WRONGPASS(false, "; check user and password in the URL"),
  NOPERM(false, "; docs/reference/redis-layout.md lists the permissions that a Redis user needs"),
  NOSCRIPT(false, ""),
  OTHER(false, "");

  private final boolean passes;
  private final String advice;

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
    // Errors of commands inside a script carry their code behind these words on Redis 6.2.
    int nested = text.indexOf(": -");
    return nested > 0 && text.startsWith("ERR Error running script")
        ? of(text.substring(nested + 3))
        : OTHER;
  }

  /** Whether it goes away by itself. The command was not done. */
  boolean passes() {
    return passes;
  }

  /** Whether it says that another server has become the one to ask. */
  boolean isForAnotherServer() {
    return this == READONLY || this == MASTERDOWN || this == CLUSTERDOWN;
  }

  /**
   * Whether a script may have done a part: Redis takes nothing back when one fails in the middle.
   * The errors that it answers to the first write of a script are not meant.
   */
  boolean mayBeHalfDone(JedisDataException error) {
    return (this == OTHER || this == NOPERM)
        && String.valueOf(error.getMessage()).contains("script");
  }

  /**
   * Of those that do not pass: whether the command or its data is the reason, or the state of the
   * server. What is not known, such as an error of a proxy, is taken for the latter.
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

  String advice() {
    return advice;
  }
}
