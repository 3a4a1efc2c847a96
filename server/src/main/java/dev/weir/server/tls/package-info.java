/**
 * Reads certificates and keys from PEM files, checks client certificates, and reloads both while connections are open.
 * Ports and what is spoken inside TLS do not come in.
 */
@NullMarked
package dev.weir.server.tls;

import org.jspecify.annotations.NullMarked;
