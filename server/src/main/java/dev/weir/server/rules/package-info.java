/**
 * Brings the rules of files, etcd, xDS and the database into one rule set in force, and describes each source to
 * operators. Parsing, matching and the admin port's routes do not come in.
 */
@NullMarked
package dev.weir.server.rules;

import org.jspecify.annotations.NullMarked;
