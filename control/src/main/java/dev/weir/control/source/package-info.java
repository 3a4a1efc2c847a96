/**
 * Rules that come over a network: connected to again and again, loaded whole, kept for a restart. What is spoken on the wire
 * does not come in: that is etcd's and xDS's own.
 */
@NullMarked
package dev.weir.control.source;

import org.jspecify.annotations.NullMarked;
