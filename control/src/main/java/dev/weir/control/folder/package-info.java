/**
 * The data folder of one server: its lock, the files that stay open in it, and the copy of the database for a
 * restart without it. Changes are not made here, and no network connection comes in.
 */
@NullMarked
package dev.weir.control.folder;

import org.jspecify.annotations.NullMarked;
