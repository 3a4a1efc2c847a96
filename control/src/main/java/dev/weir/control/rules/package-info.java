/**
 * Rules in the database, and how they lie over those of the files. How changes are made and followed does not come in.
 */
@NullMarked
package dev.weir.control.rules;

import org.jspecify.annotations.NullMarked;
