package dev.weir.internal.ban;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.IpAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reputation of addresses. Where blocks overlap, the worst score holds. Immutable; building it takes time. */
public final class AddressScores {
    private final @Nullable AddressRanges<Integer> ranges;
    private final int size;

    private AddressScores(@Nullable AddressRanges<Integer> ranges, int size) {
        this.ranges = ranges;
        this.size = size;
    }

    /** Collects blocks with their scores. */
    public static final class Builder {
        private final List<Cidr> blocks = new ArrayList<>();
        private final List<Integer> scores = new ArrayList<>();

        /** Adds a block; {@code score} is from 0, good, to 100. */
        public void add(Cidr block, int score) {
            blocks.add(block);
            scores.add(score);
        }

        public AddressScores build() {
            return new AddressScores(AddressRanges.of(blocks, scores, Integer::longValue), blocks.size());
        }
    }

    /** The number of blocks. */
    public int size() {
        return size;
    }

    /** The worst score among the addresses of {@code request}; 0 if none is known. */
    public int score(Request request) {
        int worst = 0;
        for (int i = 0, descriptors = request.descriptors(); i < descriptors; i++) {
            worst = Math.max(worst, score(request.value(i, Attributes.IP)));
            worst = Math.max(worst, score(request.value(i, Attributes.REMOTE_ADDRESS)));
        }
        return worst;
    }

    private int score(@Nullable String address) {
        AddressRanges<Integer> of = ranges;
        if (of == null || address == null) {
            return 0;
        }
        Integer found;
        long ipv4 = IpAddress.ipv4(address);
        if (ipv4 >= 0) {
            found = of.findIpv4(ipv4);
        } else {
            IpAddress read = IpAddress.ofThread();
            found = read.read(address) ? of.find(read.high(), read.low()) : null;
        }
        return found == null ? 0 : found;
    }
}
