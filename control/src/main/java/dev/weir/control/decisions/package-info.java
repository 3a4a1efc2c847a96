/**
 * The decision sink: sampled and denied checks leave the server as JSON lines, in files or through Kafka. Nothing here
 * decides, and nothing here may make a decision wait.
 */
@NullMarked
package dev.weir.control.decisions;

import org.jspecify.annotations.NullMarked;
