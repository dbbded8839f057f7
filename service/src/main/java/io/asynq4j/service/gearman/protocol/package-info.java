/** Gearman's wire protocol: packets, connections and the event loop. */
@NullMarked
package io.asynq4j.service.gearman.protocol;

import org.jspecify.annotations.NullMarked;
