/** Commands about servers and the entries of schedulers. */
@NullMarked
package io.asynq4j.cli.fleet;

import org.jspecify.annotations.NullMarked;
