package dev.weir.internal.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CounterKeyHashTest {
    private final CounterKeyHash hash = new CounterKeyHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

    @Example
    void isSipHash13With128Bits() {
        // Key 00…0f, messages of the bytes 00, 01, …; computed by an independent implementation, itself checked on the
        // published vectors of SipHash-2-4-128.
        assertThat(words(0)).containsExactly(0xbea58827b2bc7ee7L, 0x013030dd6adb62fdL);
        assertThat(words(1)).containsExactly(0xb4dae3d5e1fe12aaL, 0x99c7f935ab164f72L);
        assertThat(words(2)).containsExactly(0xeb8e511557d9a8d0L, 0x93179e3df8b013b5L);
        assertThat(words(5)).containsExactly(0x13b4b93e54205750L, 0x38f9eed9fa3c0bd5L);
    }

    @Property(tries = 2000)
    void differentPartsGiveDifferentKeys(@ForAll("parts") List<Object> one, @ForAll("parts") List<Object> other) {
        Assume.that(!one.equals(other));
        assertThat(key(one)).isNotEqualTo(key(other));
        assertThat(key(one)).isEqualTo(key(one));
    }

    @Property(tries = 1000)
    void whereOnePartEndsAndTheNextBeginsMatters(
            @ForAll("text") String text, @ForAll Random random, @ForAll boolean three) {
        Assume.that(!text.isEmpty());
        int cut = random.nextInt(text.length() + 1);
        int otherCut = (cut + 1 + random.nextInt(text.length())) % (text.length() + 1);
        List<Object> one = List.of(text.substring(0, cut), text.substring(cut));
        List<Object> other = three
                ? List.of(text.substring(0, cut), text.substring(cut), "")
                : List.of(text.substring(0, otherCut), text.substring(otherCut));
        assertThat(key(one)).isNotEqualTo(key(other));
    }

    @Example
    void nulAndUnpairedSurrogatesAreValuesLikeAnyOther() {
        List<String> odd = List.of(
                "",
                "\0",
                "\0\0",
                "\0\0\0",
                "\0\0\0\0\0\0\0",
                "\ud800",
                "\udc00",
                "\ufffd",
                "?",
                "\ud83d\ude00",
                "\ud83d");
        assertThat(odd.stream().map(text -> key(List.of(text))).distinct()).hasSameSizeAs(odd);
    }

    @Example
    void aStringAndANumberThatLookAlikeDiffer() {
        long looksLikeAString = 1L << 32 | 'a';
        assertThat(key(List.of("a"))).isNotEqualTo(key(List.of(looksLikeAString)));
        assertThat(key(List.of(1L << 63))).isNotEqualTo(key(List.of(0L)));
    }

    @Example
    void aPrefixIsPartOfTheKey() {
        hash.reset().add("rule a").end();
        long a0 = hash.key0();
        long a1 = hash.key1();
        hash.reset(a0, a1).add("user").end();
        Key underA = new Key(hash.key0(), hash.key1());
        assertThat(underA).isNotEqualTo(key(List.of("user"))).isNotEqualTo(key(List.of("rule a", "user")));
        hash.reset(a0, a1).add("user").end();
        assertThat(new Key(hash.key0(), hash.key1())).isEqualTo(underA);
    }

    @Example
    void accumulatorsOfOneProcessAgreeAndOtherSeedsDoNot() {
        CounterKeyHash one = new CounterKeyHash().add("user").end();
        CounterKeyHash two = new CounterKeyHash().add("user").end();
        assertThat(one.key0()).isEqualTo(two.key0());
        assertThat(one.key1()).isEqualTo(two.key1());
        assertThat(new CounterKeyHash(1, 2).add("user").end().key0())
                .isNotEqualTo(new CounterKeyHash(1, 3).add("user").end().key0())
                .isNotEqualTo(one.key0());
    }

    @Example
    void oneBitOfInputTurnsHalfTheBitsOfTheKey() {
        Random random = new Random(7);
        int[] flips = new int[128];
        int tries = 4000;
        for (int i = 0; i < tries; i++) {
            char[] chars = new char[1 + random.nextInt(20)];
            for (int c = 0; c < chars.length; c++) {
                chars[c] = (char) random.nextInt(1 << 16);
            }
            Key before = key(List.of(new String(chars)));
            chars[random.nextInt(chars.length)] ^= (char) (1 << random.nextInt(16));
            Key after = key(List.of(new String(chars)));
            for (int bit = 0; bit < 128; bit++) {
                long word = bit < 64 ? before.key0 ^ after.key0 : before.key1 ^ after.key1;
                flips[bit] += (int) (word >>> bit & 1);
            }
        }
        // Binomial(4000, 1/2): standard deviation 32, so 6 of them either side.
        for (int n : flips) {
            assertThat(n).isBetween(tries / 2 - 190, tries / 2 + 190);
        }
    }

    @Example
    void noTwoOfAMillionStructuredKeysShareEvenHalfAKey() {
        long[] halves = new long[1_000_000];
        int n = 0;
        for (int tenant = 0; tenant < 100; tenant++) {
            for (int user = 0; user < 10_000; user++) {
                halves[n++] = hash.reset()
                        .add("tenant-" + tenant)
                        .add("user_" + user)
                        .end()
                        .key0();
            }
        }
        Arrays.sort(halves);
        int same = 0;
        for (int i = 1; i < n; i++) {
            same += halves[i] == halves[i - 1] ? 1 : 0;
        }
        assertThat(same).isZero(); // by chance: 2^-25
    }

    @Provide
    Arbitrary<List<Object>> parts() {
        Arbitrary<Object> part = Arbitraries.oneOf(
                text().map(s -> s), Arbitraries.longs().map(l -> l), Arbitraries.of("", "a", "ab", "\0", 0L, 1L, -1L));
        return part.list().ofMaxSize(4);
    }

    @Provide
    Arbitrary<String> text() {
        return Arbitraries.chars()
                .range('\0', '\uffff')
                .array(char[].class)
                .ofMaxSize(24)
                .map(String::new);
    }

    private Key key(List<Object> parts) {
        hash.reset();
        for (Object part : parts) {
            if (part instanceof String text) {
                hash.add(text);
            } else {
                hash.add((long) part);
            }
        }
        hash.end();
        return new Key(hash.key0(), hash.key1());
    }

    private long[] words(int count) {
        hash.reset();
        for (int i = 0; i < count; i++) {
            hash.absorb(0x0706050403020100L + 0x0808080808080808L * i);
        }
        hash.end();
        return new long[] {hash.key0(), hash.key1()};
    }

    private record Key(long key0, long key1) {}
}
