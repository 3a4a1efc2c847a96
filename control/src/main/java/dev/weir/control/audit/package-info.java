/**
 * The audit log: one line per change, each with the hash of the line before, in a table and in a file. The meaning of
 * a change does not come in.
 */
@NullMarked
package dev.weir.control.audit;

import org.jspecify.annotations.NullMarked;
