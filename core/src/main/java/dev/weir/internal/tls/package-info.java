/**
 * Reads certificates and private keys from PEM files. It depends on the JDK alone; connections may not come in.
 */
@NullMarked
package dev.weir.internal.tls;

import org.jspecify.annotations.NullMarked;
