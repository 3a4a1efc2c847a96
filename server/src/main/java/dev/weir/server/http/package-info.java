/**
 * What the HTTP surfaces share: the bounds of their ports, targets and bodies read strictly, answers, errors as RFC 9457 has them. No route
 * comes in.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
