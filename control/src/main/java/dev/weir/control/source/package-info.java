/**
 * Rules from network sources: reconnecting, loading each snapshot whole, and keeping a copy for a restart without the
 * source. The protocols of etcd and xDS do not come in; each implements {@code SourceProtocol} in its own room.
 */
@NullMarked
package dev.weir.control.source;

import org.jspecify.annotations.NullMarked;
