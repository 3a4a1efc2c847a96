/**
 * Certificates and keys out of PEM files, and their renewal while connections are open. What is spoken inside TLS does not come
 * in.
 */
@NullMarked
package dev.weir.server.tls;

import org.jspecify.annotations.NullMarked;
