package dev.weir.control.xds;

import dev.weir.control.xds.proto.DiscoveryRequest;
import dev.weir.control.xds.proto.DiscoveryResponse;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;

/** The xDS call that Weir makes and the resource types that it reads. */
final class XdsApi {
    static final MethodDescriptor<DiscoveryRequest, DiscoveryResponse> STREAM =
            MethodDescriptor.<DiscoveryRequest, DiscoveryResponse>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName(
                            "envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources")
                    .setRequestMarshaller(ProtoUtils.marshaller(DiscoveryRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(DiscoveryResponse.getDefaultInstance()))
                    .build();

    static final String CONFIG_TYPE = "type.googleapis.com/ratelimit.config.ratelimit.v3.RateLimitConfig";
    static final String WRAPPER_TYPE = "type.googleapis.com/envoy.service.discovery.v3.Resource";

    private XdsApi() {}
}
