package io.asynq4j.inspect;

import java.time.LocalDate;
import java.time.ZonedDateTime;

record DayCountRecord(
    LocalDate date, ZonedDateTime from, ZonedDateTime until, long processed, long failed)
    implements DayCount {}
