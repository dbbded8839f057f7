package io.asynq4j.inspect;

import io.asynq4j.fixture.RedisTestBase;

/**
 * What the inspector shows and does, whatever Redis it works on; what it hands on to the store is
 * tested there.
 */
abstract class InspectorContract extends RedisTestBase
    implements InspectorQueueContract,
        InspectorTaskContract,
        InspectorActionContract,
        InspectorBulkContract,
        InspectorArchiveContract,
        InspectorTransferContract,
        InspectorExplainContract {}
