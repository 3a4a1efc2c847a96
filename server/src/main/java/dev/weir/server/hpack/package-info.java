/**
 * What both servers of HTTP/2 have to know about HPACK, the compression of header blocks. The decoder itself is Netty's,
 * and neither connections nor requests come in.
 */
@NullMarked
package dev.weir.server.hpack;

import org.jspecify.annotations.NullMarked;
