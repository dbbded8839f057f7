package io.asynq4j.testing.internal;

import java.time.Instant;

/**
 * Keys that expire by the time of the test: locks, buckets of rate limits, counters. Redis itself
 * would expire them by its own clock, which a test cannot set. So scripts get a prefix that notes
 * when such a key expires, and {@link #expire} deletes those whose time has come. Commands outside
 * of scripts, such as the lock of the leading scheduler, expire by the clock of Redis, and {@link
 * #expire} shortens their rest.
 */
final class ExpiringKeys {

  private static final String NOW = "asynq4j-testing:now";
  private static final String EXPIRIES = "asynq4j-testing:expiries";

  /** For Redis, the keys live for a hundred years, so that inspection still sees an expiry. */
  static final String SCRIPT_PREFIX =
      """
      local redis = (function(real)
        local LONG = 3153600000
        local function expires(key, at)
          real.call('ZADD', '%2$s', string.format('%%.0f', tonumber(at)), key)
        end
        local function after(seconds)
          return tonumber(real.call('GET', '%1$s')) + tonumber(seconds) * 1000
        end
        local function send_with(send, command, key, first, second, third, ...)
          local name = string.upper(command)
          if name == 'SET' and second and string.upper(second) == 'EX' then
            expires(key, after(third))
            return send(command, key, first, second, LONG, ...)
          elseif name == 'EXPIRE' or name == 'EXPIREAT' then
            local reply = send('EXPIRE', key, LONG)
            if reply == 1 then
              expires(key, name == 'EXPIRE' and after(first) or tonumber(first) * 1000)
            end
            return reply
          elseif name == 'RENAME' then
            local reply = send(command, key, first)
            local at = real.call('ZSCORE', '%2$s', key)
            real.call('ZREM', '%2$s', key, first)
            if at then
              expires(first, at)
            end
            return reply
          end
          error('the test kit does not know this command: ' .. command)
        end
        local function wrapped(send)
          return function(command, ...)
            local name = string.upper(command)
            if name == 'EXPIRE' or name == 'EXPIREAT' or name == 'RENAME' or (name == 'SET' and select('#', ...) > 2) then
              return send_with(send, command, ...)
            end
            return send(command, ...)
          end
        end
        return setmetatable({ call = wrapped(real.call), pcall = wrapped(real.pcall) }, { __index = real })
      end)(redis)
      """
          .formatted(NOW, EXPIRIES);

  /** Returns the number of other keys. */
  private static final String COUNT =
      "return redis.call('DBSIZE') - redis.call('EXISTS', ARGV[1], ARGV[2])";

  /**
   * Tasks and groups are not read: they expire only by our scripts, and there can be many, while
   * the clock is moved from event to event.
   */
  private static final String EXPIRE =
      """
      local now, moved = tonumber(ARGV[1]), tonumber(ARGV[2])
      redis.call('SET', '%1$s', ARGV[1])
      local over = redis.call('ZRANGEBYSCORE', '%2$s', '-inf', ARGV[1])
      for i = 1, #over do
        redis.call('DEL', over[i])
        redis.call('ZREM', '%2$s', over[i])
      end
      if moved > 0 then
        for _, pattern in ipairs({ '[^a]*', 'asynq:[^{]*', 'asynq:{*}:[a-z][a-z]*' }) do
          local keys = redis.call('KEYS', pattern)
          for i = 1, #keys do
            local left = redis.call('PTTL', keys[i])
            if left > 0 and not redis.call('ZSCORE', '%2$s', keys[i]) then
              if left <= moved then
                redis.call('DEL', keys[i])
              else
                redis.call('PEXPIRE', keys[i], string.format('%%.0f', left - moved))
              end
            end
          end
        end
      end
      """
          .formatted(NOW, EXPIRIES);

  private final RawRedis redis;

  ExpiringKeys(RawRedis redis) {
    this.redis = redis;
  }

  /** Sets the time, and deletes the keys that have expired by then. */
  void expire(Instant before, Instant now) {
    redis.eval(
        EXPIRE,
        Long.toString(now.toEpochMilli()),
        Long.toString(now.toEpochMilli() - before.toEpochMilli()));
  }

  /** Returns whether Redis has no data of the application. */
  boolean isEmpty() {
    return redis.eval(COUNT, NOW, EXPIRIES) instanceof Long count && count == 0;
  }
}
