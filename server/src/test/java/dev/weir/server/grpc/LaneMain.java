package dev.weir.server.grpc;

/** A lane alone with a counter in a map, for load and for h2spec by hand. */
final class LaneMain {
    private LaneMain() {}

    public static void main(String[] args) throws InterruptedException {
        try (LaneRig rig = new LaneRig(new CountingDecider(1_000_000_000_000L))) {
            System.out.println("ready on " + rig.port());
            Thread.currentThread().join();
        }
    }
}
