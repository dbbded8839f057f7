/** Where Redis is, as flags, variables, the configuration file and named contexts say it. */
@NullMarked
package io.asynq4j.cli.settings;

import org.jspecify.annotations.NullMarked;
