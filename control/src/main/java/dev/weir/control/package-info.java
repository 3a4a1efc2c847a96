/**
 * What operators change while the server runs, kept in a database, audited and followed by every node. Networks and HTTP do
 * not come in.
 */
@NullMarked
package dev.weir.control;

import org.jspecify.annotations.NullMarked;
