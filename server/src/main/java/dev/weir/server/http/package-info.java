/**
 * Shared by all HTTP ports: bounds on connections, heads and bodies, strict request targets, answers, and errors as RFC
 * 9457 problems. Routes do not belong here.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
