/** Small programs that show one thing each; every one takes the URL of a Redis. */
@NullMarked
package io.asynq4j.examples;

import org.jspecify.annotations.NullMarked;
