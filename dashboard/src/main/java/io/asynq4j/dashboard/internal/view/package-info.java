/** JSON views of payloads, schedule entries, servers and pages of lists. */
@NullMarked
package io.asynq4j.dashboard.internal.view;

import org.jspecify.annotations.NullMarked;
