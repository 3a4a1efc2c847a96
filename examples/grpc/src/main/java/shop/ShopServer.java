package shop;

import dev.weir.Weir;
import dev.weir.grpc.WeirServerInterceptor;
import dev.weir.rules.Rules;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import java.nio.file.Path;

/** Serves gRPC's health service, in the place of one of your own. */
public final class ShopServer {

    public static void main(String[] arguments) throws Exception {
        Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));
        Server server = ServerBuilder.forPort(9000)
                .addService(new HealthStatusManager().getHealthService())
                .intercept(WeirServerInterceptor.builder(weir).build())
                .build()
                .start();
        server.awaitTermination();
    }
}
