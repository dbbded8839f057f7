package io.asynq4j.redis;

/** What a broker does, whatever Redis it works on. */
abstract class BrokerContract extends OneServer
    implements EnqueueContract,
        ClaimContract,
        SettleContract,
        WrongTypeContract,
        ManyActiveContract,
        UpkeepContract,
        AggregationContract,
        PresenceContract,
        ScheduleContract,
        SchedulerContract,
        InspectionContract,
        MixedFleetContract,
        RegressionContract,
        DoctorContract {}
