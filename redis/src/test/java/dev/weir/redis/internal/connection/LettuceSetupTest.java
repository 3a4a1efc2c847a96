package dev.weir.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LettuceSetupTest {

    /** A master of a cluster is replaced, and its node closed. */
    @Test
    void closingOneClientLeavesTheOthersOpen() throws Exception {
        EventLoopGroup loops = LettuceSetup.ownLoops();
        ClientResources all = LettuceSetup.resources(loops);
        try {
            ClientResources one = LettuceSetup.inLoop(all, loops.next());
            one.shutdown(0, 1, TimeUnit.SECONDS).get();

            ClientResources other = LettuceSetup.inLoop(all, loops.next());
            CountDownLatch ran = new CountDownLatch(2);
            var timeout = other.timer().newTimeout(any -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
            other.eventExecutorGroup().execute(ran::countDown);
            assertThat(ran.await(5, TimeUnit.SECONDS)).as("%s", timeout).isTrue();
        } finally {
            all.shutdown(0, 1, TimeUnit.SECONDS).get();
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).get();
        }
    }
}
