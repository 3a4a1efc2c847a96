package dev.weir.server.grpc;

/** Placeholder. */
final class ReflectionService implements SideService {
    @Override
    public void message(Call call, Method method, byte[] message) throws CallError {
        throw new CallError(GrpcStatus.UNIMPLEMENTED, "not yet");
    }
}
