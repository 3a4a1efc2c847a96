package dev.weir.simulation.store;

import java.util.List;

/**
 * A shared store of the fleet.
 *
 * @param name its name in rules
 * @param link the network from each node to it
 * @param servers the servers that share its slots; their numbers are consecutive
 */
public record ShardedStore(String name, LinkSettings link, List<SimulatedStore> servers) {
    public ShardedStore {
        servers = List.copyOf(servers);
    }
}
