/**
 * Who calls, and what they may do: tokens, roles, and what a call from this machine may do without one. What is done with a
 * permission does not come in.
 */
@NullMarked
package dev.weir.server.access;

import org.jspecify.annotations.NullMarked;
