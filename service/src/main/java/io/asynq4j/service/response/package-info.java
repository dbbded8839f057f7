/** Parts of responses: problems, and tasks as JSON. */
@NullMarked
package io.asynq4j.service.response;

import org.jspecify.annotations.NullMarked;
