/** Task definitions as the service uses them. */
@NullMarked
package io.asynq4j.service.definition;

import org.jspecify.annotations.NullMarked;
