/**
 * Interceptors for grpc-java: {@link dev.weir.grpc.WeirServerInterceptor} limits the calls of a server, and {@link
 * dev.weir.grpc.PacingClientInterceptor} paces those of a client. What a decision means stands in {@code dev.weir.http}.
 */
@NullMarked
package dev.weir.grpc;

import org.jspecify.annotations.NullMarked;
