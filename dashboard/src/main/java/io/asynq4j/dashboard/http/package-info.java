/** What the HTTP servers of the dashboard and of the task service share. Not for users. */
@NullMarked
package io.asynq4j.dashboard.http;

import org.jspecify.annotations.NullMarked;
