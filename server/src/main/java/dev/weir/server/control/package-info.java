/**
 * Opens the control plane and the decision sink as the settings say, and sets up access to the admin port from settings
 * and database. The control plane itself and the routes of the admin port do not belong here.
 */
@NullMarked
package dev.weir.server.control;

import org.jspecify.annotations.NullMarked;
