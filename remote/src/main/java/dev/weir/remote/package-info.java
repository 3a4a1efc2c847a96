/**
 * Asks a Weir server through the library's interface: {@link dev.weir.remote.RemoteWeir} says where it is and what happens
 * while it does not answer. {@link dev.weir.remote.LoadReporter} tells it how loaded this service is. Rules and counters
 * may not come in.
 */
@NullMarked
package dev.weir.remote;

import org.jspecify.annotations.NullMarked;
