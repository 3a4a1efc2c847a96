/**
 * What the HTTP surfaces share: bodies read up to a cap, answers, errors as RFC 9457 has them. No route comes in.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
