/**
 * Reads certificates and keys from PEM files, checks client certificates, and reloads both while connections are open.
 * Ports, and the protocols inside TLS, do not belong here.
 */
@NullMarked
package dev.weir.server.tls;

import org.jspecify.annotations.NullMarked;
