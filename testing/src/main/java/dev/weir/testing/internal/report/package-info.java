/** Results of policy tests as text for people and as JUnit XML. */
@NullMarked
package dev.weir.testing.internal.report;

import org.jspecify.annotations.NullMarked;
