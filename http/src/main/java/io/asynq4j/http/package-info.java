/** HTTP plumbing that the dashboard and the task service share. */
@NullMarked
package io.asynq4j.http;

import org.jspecify.annotations.NullMarked;
