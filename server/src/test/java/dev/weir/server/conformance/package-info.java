/**
 * The behaviour that users of the reference service rely on, as scenarios that run over {@code /json} and over gRPC
 * against a server that is only known by its ports. They use no class of the server but the one that starts it.
 */
@NullMarked
package dev.weir.server.conformance;

import org.jspecify.annotations.NullMarked;
