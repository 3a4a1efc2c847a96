/**
 * Builds the server's components from the settings, connects them, starts them and stops them. A port's own logic, and
 * anything that a package below could own, does not belong here.
 */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;
