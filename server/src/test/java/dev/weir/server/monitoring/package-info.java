/** The files of {@code monitoring/}: rules and alerts with Prometheus's own tool, the dashboard by its linter's rules. */
@NullMarked
package dev.weir.server.monitoring;

import org.jspecify.annotations.NullMarked;
