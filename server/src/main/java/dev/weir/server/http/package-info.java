/**
 * Shared by all HTTP ports: bounds on connections, heads and bodies, strict request targets, answers, and errors as
 * RFC 9457 problems. No route comes in.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
