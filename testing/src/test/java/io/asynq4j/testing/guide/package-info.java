/** The programs of the testing guide. {@code GuideTest} compares them with the guide. */
@NullMarked
package io.asynq4j.testing.guide;

import org.jspecify.annotations.NullMarked;
