/**
 * Rules in etcd: every key below a prefix is a rule document, listed once and then watched. Loading rules and keeping
 * copies belong in {@code source}.
 */
@NullMarked
package dev.weir.control.etcd;

import org.jspecify.annotations.NullMarked;
