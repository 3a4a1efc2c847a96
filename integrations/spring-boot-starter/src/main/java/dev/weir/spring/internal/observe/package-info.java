/** Shows operators what Weir does in this application: the line at start, the actuator endpoint, health and meters. */
@NullMarked
package dev.weir.spring.internal.observe;

import org.jspecify.annotations.NullMarked;
