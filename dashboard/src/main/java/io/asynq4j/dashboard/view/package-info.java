/** How tasks, schedules and servers are shown. */
@NullMarked
package io.asynq4j.dashboard.view;

import org.jspecify.annotations.NullMarked;
