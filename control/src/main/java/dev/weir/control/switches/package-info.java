/**
 * What operators have switched off, into shadow or on while it runs, of each switch the newest there is: as text, as rows, as lines
 * of a file. Who is told, and where it is kept when, is not decided here.
 */
@NullMarked
package dev.weir.control.switches;

import org.jspecify.annotations.NullMarked;
