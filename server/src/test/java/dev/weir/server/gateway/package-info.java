/** Real gateways in front of a server, with the files of {@code examples/} as they are written. */
@NullMarked
package dev.weir.server.gateway;

import org.jspecify.annotations.NullMarked;
