/**
 * gRPC as a client, for sources of rules: a connection, and a conversation on it. Which source it is, and what rules are, do
 * not come in.
 */
@NullMarked
package dev.weir.control.wire;

import org.jspecify.annotations.NullMarked;
