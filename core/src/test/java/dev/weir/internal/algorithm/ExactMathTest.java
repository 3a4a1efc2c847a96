package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class ExactMathTest {

    @Property
    void dividesAsDivisionDoes(@ForAll @LongRange(min = 0) long dividend, @ForAll @LongRange(min = 1) long divisor) {
        assertThat(ExactMath.divide(dividend, divisor, ExactMath.reciprocal(divisor)))
                .isEqualTo(dividend / divisor);
    }

    @Property
    void dividesAtMultiplesAsDivisionDoes(
            @ForAll @LongRange(min = 1, max = 1L << 31) long quotient,
            @ForAll @LongRange(min = 1, max = 1L << 31) long divisor) {
        long reciprocal = ExactMath.reciprocal(divisor);
        assertThat(ExactMath.divide(quotient * divisor, divisor, reciprocal)).isEqualTo(quotient);
        assertThat(ExactMath.divide(quotient * divisor - 1, divisor, reciprocal))
                .isEqualTo((quotient * divisor - 1) / divisor);
    }

    @Property
    void multipliesAndAddsUpToTheBound(
            @ForAll @LongRange(min = 0) long a,
            @ForAll @LongRange(min = 0) long b,
            @ForAll @LongRange(min = 0) long c) {
        BigInteger exact = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)).add(BigInteger.valueOf(c));
        assertThat(BigInteger.valueOf(ExactMath.multiplyAdd(a, b, c)))
                .isEqualTo(exact.min(BigInteger.valueOf(ExactMath.BOUND)));
    }

    @Property
    void saturatesInsteadOfWrapping(@ForAll @LongRange(min = 0, max = (1L << 53) - 1) long used, @ForAll long hits) {
        BigInteger exact = BigInteger.valueOf(used).add(BigInteger.valueOf(hits));
        BigInteger most = BigInteger.valueOf(ExactMath.BOUND - 1);
        assertThat(BigInteger.valueOf(ExactMath.saturate(used, hits)))
                .isEqualTo(exact.max(BigInteger.ZERO).min(most));
    }
}
