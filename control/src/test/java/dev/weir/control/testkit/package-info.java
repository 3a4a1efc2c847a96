/**
 * A real PostgreSQL and a real etcd for tests, and servers that say what a test has them say. What is tested does not come in.
 */
@NullMarked
package dev.weir.control.testkit;

import org.jspecify.annotations.NullMarked;
