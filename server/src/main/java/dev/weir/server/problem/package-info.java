/**
 * The problem document of a denial, and the numbers of a verdict as callers read them; every surface that answers checks
 * uses both. Headers and transports may not come in.
 */
@NullMarked
package dev.weir.server.problem;

import org.jspecify.annotations.NullMarked;
