/**
 * How the server speaks: lines for people on a terminal, JSON elsewhere, and never a flood. Who logs uses the JDK's
 * {@link java.lang.System.Logger}; nothing outside of the command and the server's start needs to see this package.
 */
@NullMarked
package dev.weir.server.log;

import org.jspecify.annotations.NullMarked;
