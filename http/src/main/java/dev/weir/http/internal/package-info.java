/**
 * A decision as HTTP shows it: the headers, the problem document of a denial, and the numbers of a verdict as callers read
 * them. The server and every integration use it. Transports may not come in.
 */
@NullMarked
package dev.weir.http.internal;

import org.jspecify.annotations.NullMarked;
