/**
 * Rules in etcd: every key below a prefix is a document. Speaks three calls of etcd's API; how rules are loaded and kept does
 * not come in.
 */
@NullMarked
package dev.weir.control.etcd;

import org.jspecify.annotations.NullMarked;
