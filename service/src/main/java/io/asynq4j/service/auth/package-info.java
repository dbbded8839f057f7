/** API keys and what they allow. */
@NullMarked
package io.asynq4j.service.auth;

import org.jspecify.annotations.NullMarked;
