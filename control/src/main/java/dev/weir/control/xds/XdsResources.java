package dev.weir.control.xds;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.control.source.SourceSnapshot;
import dev.weir.control.xds.proto.DiscoveryResponse;
import dev.weir.control.xds.proto.RateLimitConfig;
import dev.weir.control.xds.proto.Resource;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.Severity;
import java.util.ArrayList;
import java.util.List;

/** Reads an xDS response as rule documents. */
final class XdsResources {
    private XdsResources() {}

    static SourceSnapshot of(DiscoveryResponse response) {
        List<RuleDocument> documents = new ArrayList<>();
        List<Diagnostic> problems = new ArrayList<>();
        for (int i = 0; i < response.getResourcesCount(); i++) {
            try {
                documents.add(EnvoyYamlWriter.of(config(response.getResources(i))));
            } catch (InvalidProtocolBufferException e) {
                String where = "xds:resources[" + i + "]";
                problems.add(new Diagnostic(where, 0, 0, Severity.ERROR, "cannot be read: " + e.getMessage(), ""));
            }
        }
        return new SourceSnapshot(documents, problems, response.getVersionInfo());
    }

    private static RateLimitConfig config(Any resource) throws InvalidProtocolBufferException {
        if (resource.getTypeUrl().equals(XdsApi.WRAPPER_TYPE)) {
            return config(Resource.parseFrom(resource.getValue()).getResource());
        }
        if (!resource.getTypeUrl().equals(XdsApi.CONFIG_TYPE)) {
            throw new InvalidProtocolBufferException(
                    "its type is \"" + resource.getTypeUrl() + "\" (expected: " + XdsApi.CONFIG_TYPE + ")");
        }
        return RateLimitConfig.parseFrom(resource.getValue());
    }
}
