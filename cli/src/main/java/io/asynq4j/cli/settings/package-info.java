/** Connection settings from flags, environment variables and the configuration file. */
@NullMarked
package io.asynq4j.cli.settings;

import org.jspecify.annotations.NullMarked;
