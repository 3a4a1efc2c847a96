package dev.weir.server.admin;

import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.http.HttpAnswer;

/** Shows the state of this server, and of the servers that share its Redis or its database. */
final class StatusApi {
    private final NodeStatus status;
    private final FleetDirectory fleet;

    StatusApi(NodeStatus status, FleetDirectory fleet) {
        this.status = status;
        this.fleet = fleet;
    }

    /** {@code GET /admin/v1/status}. */
    HttpAnswer get() {
        return AdminAnswer.json(200, out -> {
            out.writeStartObject();
            out.writeStringField("node", fleet.node());
            status.write(out);
            out.writeEndObject();
        });
    }

    /** {@code GET /admin/v1/fleet}. */
    HttpAnswer fleet() {
        FleetDirectory.Nodes known = fleet.read();
        return AdminAnswer.json(200, out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("nodes");
            for (FleetDirectory.Node each : known.nodes()) {
                out.writeRawValue(each.toJson().encode());
            }
            out.writeEndArray();
            out.writeArrayFieldStart("unknown");
            for (String each : known.unknown()) {
                out.writeString(each);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }
}
