/**
 * Merges the rules of files, etcd, xDS and the database into the rule set in force, and describes each source to
 * operators. Parsing, matching and the admin port's routes do not belong here.
 */
@NullMarked
package dev.weir.server.rules;

import org.jspecify.annotations.NullMarked;
