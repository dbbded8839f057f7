/** What is agreed about tasks by their names, for everybody who works on one Redis. */
@NullMarked
package io.asynq4j.definition;

import org.jspecify.annotations.NullMarked;
