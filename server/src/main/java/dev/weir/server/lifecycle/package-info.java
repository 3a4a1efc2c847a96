/**
 * Tools that every component of the server needs to start, run and stop: the start error, the stack of things to
 * close, periodic tasks, watched files. No component itself comes in, and nothing here knows a setting, a rule or a
 * port.
 */
@NullMarked
package dev.weir.server.lifecycle;

import org.jspecify.annotations.NullMarked;
