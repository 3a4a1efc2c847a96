/**
 * The pages of the admin port: the dashboard and the reference of the API, as files of the class path. A page contains no
 * data; its scripts ask the admin API for it. No handler of that API belongs here.
 */
@NullMarked
package dev.weir.server.pages;

import org.jspecify.annotations.NullMarked;
