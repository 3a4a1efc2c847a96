/**
 * The control plane as the server opens it: it connects the rooms below to one database and one data folder. The rows
 * of one kind of record and the protocol of one rule source belong in their own rooms.
 */
@NullMarked
package dev.weir.control;

import org.jspecify.annotations.NullMarked;
