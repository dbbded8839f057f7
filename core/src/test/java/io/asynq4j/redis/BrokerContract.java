package io.asynq4j.redis;

/** What a broker does, whatever Redis it works on. */
abstract class BrokerContract extends RedisTestBase
    implements EnqueueContract,
        ClaimContract,
        SettleContract,
        WrongKeyTypeContract,
        ActiveListContract,
        UpkeepContract,
        AggregationContract,
        PresenceContract,
        ScheduleStoreContract,
        SchedulerContract,
        InspectionContract,
        MixedFleetContract,
        RegressionContract,
        DoctorContract {}
