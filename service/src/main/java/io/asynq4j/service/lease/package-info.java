/** Leases for workers of other processes. */
@NullMarked
package io.asynq4j.service.lease;

import org.jspecify.annotations.NullMarked;
