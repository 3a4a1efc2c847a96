/**
 * The sink for decisions: what was decided leaves the server as JSON lines, in files or through Kafka. Nothing here may hold up
 * a decision, and nothing here decides.
 */
@NullMarked
package dev.weir.control.decisions;

import org.jspecify.annotations.NullMarked;
