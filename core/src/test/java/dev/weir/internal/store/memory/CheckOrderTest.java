package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class CheckOrderTest {
    private static final List<Check.Role> ROLES = List.of(Check.Role.values());
    private static final List<Algorithm> ALGORITHMS = RateAlgorithms.ALL;

    private record Asked(int key, Meter meter, long hits, Check.Role role, boolean countsDenied) {}

    private record Answer(boolean allowed, long remaining, long reset, long retryAfter) {}

    @Property(tries = 100)
    void theOrderOfARequestsChecksChangesNoAnswer(@ForAll Random random) {
        MemoryStore one = new MemoryStore(50_000);
        MemoryStore other = new MemoryStore(50_000);
        Meter[] meters = new Meter[12];
        for (int i = 0; i < meters.length; i++) {
            meters[i] = Meters.of(Limit.of(
                    ALGORITHMS.get(random.nextInt(ALGORITHMS.size())),
                    1 + random.nextInt(12),
                    Duration.ofSeconds(1 + random.nextInt(60))));
        }
        long now = 1_700_000_000_000_000L;
        for (int request = 0; request < 100; request++) {
            now += random.nextInt(2_000_000);
            List<Integer> keys = new ArrayList<>();
            for (int key = 0; key < meters.length; key++) {
                keys.add(key);
            }
            Collections.shuffle(keys, random);
            List<Asked> asked = new ArrayList<>();
            for (int key : keys.subList(0, random.nextInt(5))) {
                Check.Role role = ROLES.get(random.nextInt(ROLES.size()));
                asked.add(new Asked(key, meters[key], random.nextInt(6) - 1, role, random.nextInt(4) == 0));
            }
            Map<Integer, Answer> answers = decide(one, asked, now);
            Collections.shuffle(asked, random);
            assertThat(decide(other, asked, now)).isEqualTo(answers);
        }
    }

    /** The outcome of each key's check, and under -1 that of the request. */
    private static Map<Integer, Answer> decide(MemoryStore store, List<Asked> asked, long now) {
        Checks checks = new Checks();
        for (Asked a : asked) {
            Check check = checks.add();
            check.key0 = a.key * 0x9e3779b97f4a7c15L;
            check.key1 = a.key * 7L;
            check.meter = a.meter;
            check.hits = a.hits;
            check.role = a.role;
            check.countsDenied = a.countsDenied;
        }
        Map<Integer, Answer> answers = new TreeMap<>();
        answers.put(-1, new Answer(store.decide(checks, now), 0, 0, 0));
        for (int i = 0; i < asked.size(); i++) {
            var out = checks.get(i).outcome;
            answers.put(asked.get(i).key, new Answer(out.allowed, out.remaining, out.reset, out.retryAfter));
        }
        return answers;
    }
}
