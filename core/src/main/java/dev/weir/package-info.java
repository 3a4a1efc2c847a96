/**
 * Weir as a library: the few lines with which a service limits its own callers. What decides and counts lives in the packages
 * below; nothing of servers, files or networks comes in.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
