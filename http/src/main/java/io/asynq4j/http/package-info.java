/** HTTP infrastructure shared by the dashboard and the task service. */
@NullMarked
package io.asynq4j.http;

import org.jspecify.annotations.NullMarked;
