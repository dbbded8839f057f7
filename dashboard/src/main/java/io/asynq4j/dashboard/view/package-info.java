/** JSON views of payloads, schedule entries and servers. */
@NullMarked
package io.asynq4j.dashboard.view;

import org.jspecify.annotations.NullMarked;
