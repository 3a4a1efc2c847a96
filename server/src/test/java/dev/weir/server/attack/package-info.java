/**
 * Attacks on a server in a JVM of its own with a small heap, while a well-behaved caller asks all the time. Only
 * loopback is used, and every attack is bounded in number and time.
 */
@NullMarked
package dev.weir.server.attack;

import org.jspecify.annotations.NullMarked;
