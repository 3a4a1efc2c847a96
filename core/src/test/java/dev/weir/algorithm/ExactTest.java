package dev.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class ExactTest {

    @Property
    void dividesAsDivisionDoes(@ForAll @LongRange(min = 0) long dividend, @ForAll @LongRange(min = 1) long divisor) {
        assertThat(Exact.divide(dividend, divisor, Exact.reciprocal(divisor))).isEqualTo(dividend / divisor);
    }

    @Property
    void dividesAtMultiplesAsDivisionDoes(
            @ForAll @LongRange(min = 1, max = 1L << 31) long quotient,
            @ForAll @LongRange(min = 1, max = 1L << 31) long divisor) {
        long reciprocal = Exact.reciprocal(divisor);
        assertThat(Exact.divide(quotient * divisor, divisor, reciprocal)).isEqualTo(quotient);
        assertThat(Exact.divide(quotient * divisor - 1, divisor, reciprocal))
                .isEqualTo((quotient * divisor - 1) / divisor);
    }

    @Property
    void multipliesAndAddsUpToTheBound(
            @ForAll @LongRange(min = 0) long a,
            @ForAll @LongRange(min = 0) long b,
            @ForAll @LongRange(min = 0) long c) {
        BigInteger exact = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)).add(BigInteger.valueOf(c));
        assertThat(BigInteger.valueOf(Exact.multiplyAdd(a, b, c)))
                .isEqualTo(exact.min(BigInteger.valueOf(Exact.BOUND)));
    }

    @Property
    void saturatesInsteadOfWrapping(@ForAll @LongRange(min = 0, max = (1L << 53) - 1) long used, @ForAll long hits) {
        BigInteger exact = BigInteger.valueOf(used).add(BigInteger.valueOf(hits));
        BigInteger most = BigInteger.valueOf(Exact.BOUND - 1);
        assertThat(BigInteger.valueOf(Exact.saturate(used, hits)))
                .isEqualTo(exact.max(BigInteger.ZERO).min(most));
    }
}
