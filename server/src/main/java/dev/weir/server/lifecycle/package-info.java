/**
 * Tools that every component needs to start, run and stop: the start error, the stack of things to close, periodic
 * tasks, watched files. No component belongs here, and nothing here knows a setting, a rule or a port.
 */
@NullMarked
package dev.weir.server.lifecycle;

import org.jspecify.annotations.NullMarked;
