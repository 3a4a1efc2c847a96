/**
 * What a user of the reference service may rely on, as scenarios that run over {@code /json} and over gRPC against a server
 * that is only known by its ports. Nothing of the server's inside comes in but the call that starts it.
 */
@NullMarked
package dev.weir.server.conformance;

import org.jspecify.annotations.NullMarked;
