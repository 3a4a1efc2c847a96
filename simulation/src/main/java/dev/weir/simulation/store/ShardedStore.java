package dev.weir.simulation.store;

import java.util.List;

/**
 * A shared store of the fleet.
 *
 * @param name what rules call it
 * @param link the way from each node to it
 * @param servers who has its slots between them; their numbers follow each other
 */
public record ShardedStore(String name, LinkSettings link, List<SimulatedStore> servers) {
    public ShardedStore {
        servers = List.copyOf(servers);
    }
}
