/** Users, client addresses, login limits and the audit log. */
@NullMarked
package io.asynq4j.dashboard.internal.auth;

import org.jspecify.annotations.NullMarked;
