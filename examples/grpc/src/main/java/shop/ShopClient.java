package shop;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;

public final class ShopClient {

    public static void main(String[] arguments) {
        ManagedChannel channel =
                ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
        HealthGrpc.HealthBlockingStub shop = HealthGrpc.newBlockingStub(channel);
        for (int i = 0; i < 4; i++) {
            try {
                System.out.println(shop.check(HealthCheckRequest.getDefaultInstance()).getStatus());
            } catch (StatusRuntimeException e) {
                System.out.println(e.getStatus().getCode());
            }
        }
        channel.shutdownNow();
    }
}
