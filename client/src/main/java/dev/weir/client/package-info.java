/**
 * Clients that pace themselves by the limits in the headers of servers: a {@link dev.weir.client.Pacer} that all threads
 * of a process share, for {@code java.net.http}, OkHttp and others. Nothing of a limiter may come in.
 */
@NullMarked
package dev.weir.client;

import org.jspecify.annotations.NullMarked;
