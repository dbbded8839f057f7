/** Peers of the gateway: clients, workers and administrators. */
@NullMarked
package io.asynq4j.service.gearman.session;

import org.jspecify.annotations.NullMarked;
