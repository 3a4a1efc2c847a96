/**
 * Who changed what, when and why: a chain of lines, each with the hash of the one before, in a table and in a file. What the
 * changes mean does not come in.
 */
@NullMarked
package dev.weir.control.audit;

import org.jspecify.annotations.NullMarked;
