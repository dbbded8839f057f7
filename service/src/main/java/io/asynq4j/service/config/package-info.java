/** Reading of the configuration file. */
@NullMarked
package io.asynq4j.service.config;

import org.jspecify.annotations.NullMarked;
