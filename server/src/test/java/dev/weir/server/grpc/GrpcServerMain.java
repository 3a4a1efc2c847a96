package dev.weir.server.grpc;

/** A gRPC server alone with a counter in a map, for load and for h2spec by hand. */
final class GrpcServerMain {
    private GrpcServerMain() {}

    public static void main(String[] args) throws InterruptedException {
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(1_000_000_000_000L))) {
            System.out.println("ready on " + rig.port());
            Thread.currentThread().join();
        }
    }
}
