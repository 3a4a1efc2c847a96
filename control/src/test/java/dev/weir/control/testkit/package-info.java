/**
 * A real PostgreSQL for tests. What is tested does not come in.
 */
@NullMarked
package dev.weir.control.testkit;

import org.jspecify.annotations.NullMarked;
