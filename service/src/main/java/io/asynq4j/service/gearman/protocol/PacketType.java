package io.asynq4j.service.gearman.protocol;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The packets of gearman's binary protocol, by their numbers. */
public enum PacketType {
  CAN_DO(1, 1),
  CANT_DO(2, 1),
  RESET_ABILITIES(3, 0),
  PRE_SLEEP(4, 0),
  NOOP(6),
  SUBMIT_JOB(7, 3),
  JOB_CREATED(8),
  GRAB_JOB(9, 0),
  NO_JOB(10),
  JOB_ASSIGN(11),
  WORK_STATUS(12, 3),
  WORK_COMPLETE(13, 2),
  WORK_FAIL(14, 1),
  GET_STATUS(15, 1),
  ECHO_REQ(16, 1),
  ECHO_RES(17),
  SUBMIT_JOB_BG(18, 3),
  ERROR(19),
  STATUS_RES(20),
  SUBMIT_JOB_HIGH(21, 3),
  SET_CLIENT_ID(22, 1),
  CAN_DO_TIMEOUT(23, 2),
  ALL_YOURS(24, 0),
  WORK_EXCEPTION(25, 2),
  OPTION_REQ(26, 1),
  OPTION_RES(27),
  WORK_DATA(28, 2),
  WORK_WARNING(29, 2),
  GRAB_JOB_UNIQ(30, 0),
  JOB_ASSIGN_UNIQ(31),
  SUBMIT_JOB_HIGH_BG(32, 3),
  SUBMIT_JOB_LOW(33, 3),
  SUBMIT_JOB_LOW_BG(34, 3),
  SUBMIT_JOB_SCHED(35, 8),
  SUBMIT_JOB_EPOCH(36, 4),
  SUBMIT_REDUCE_JOB(37, 4),
  SUBMIT_REDUCE_JOB_BG(38, 4),
  GRAB_JOB_ALL(39, 0),
  JOB_ASSIGN_ALL(40),
  GET_STATUS_UNIQUE(41, 1),
  STATUS_RES_UNIQUE(42);

  private static final int RESPONSE_ONLY = -1;

  private static final Map<Integer, PacketType> BY_CODE = new HashMap<>();

  static {
    for (PacketType command : values()) {
      BY_CODE.put(command.code, command);
    }
  }

  private final int code;
  private final int arguments;

  /** A packet that only servers send. */
  PacketType(int code) {
    this(code, RESPONSE_ONLY);
  }

  PacketType(int code, int arguments) {
    this.code = code;
    this.arguments = arguments;
  }

  public int code() {
    return code;
  }

  /** Number of arguments of a request; the last one may contain zero bytes. */
  int arguments() {
    return arguments;
  }

  boolean isRequest() {
    return arguments != RESPONSE_ONLY;
  }

  /** Null when no packet has this number. */
  public static @Nullable PacketType ofCode(int code) {
    return BY_CODE.get(code);
  }
}
