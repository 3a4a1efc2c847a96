/**
 * Tests of rules with JUnit 5: test files as tests, and a {@code Weir} on virtual time for tests in Java. Only tests may use
 * it.
 */
@NullMarked
package dev.weir.testing;

import org.jspecify.annotations.NullMarked;
