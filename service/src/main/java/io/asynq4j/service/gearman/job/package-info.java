/** Jobs of gearman clients and workers. */
@NullMarked
package io.asynq4j.service.gearman.job;

import org.jspecify.annotations.NullMarked;
