/**
 * Certificates and keys out of PEM files, for whoever speaks TLS. It knows the JDK alone; connections, and what is said over them,
 * do not come in.
 */
@NullMarked
package dev.weir.tls;

import org.jspecify.annotations.NullMarked;
