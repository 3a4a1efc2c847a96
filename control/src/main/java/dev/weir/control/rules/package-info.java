/**
 * The rules of the database: their rows, their edits, and the layer they form above the rules of files and network
 * sources. Transactions and following belong in {@code change}; reading rule text belongs in weir-rules.
 */
@NullMarked
package dev.weir.control.rules;

import org.jspecify.annotations.NullMarked;
