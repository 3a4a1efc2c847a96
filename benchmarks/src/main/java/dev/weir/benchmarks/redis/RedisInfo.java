package dev.weir.benchmarks.redis;

import io.lettuce.core.api.sync.RedisCommands;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Statistics of Redis.
 *
 * @param commands all commands that it ran, including those called by scripts, but without those that read these
 *     statistics
 * @param scripts calls of scripts among them
 * @param scriptMicros the time they took
 * @param cpuSeconds the CPU time of its main thread
 */
record RedisInfo(long commands, long scripts, long scriptMicros, double cpuSeconds) {

    static RedisInfo of(RedisCommands<String, String> redis) {
        Map<String, String> stats = fields(redis.info("commandstats"));
        Map<String, String> cpu = fields(redis.info("cpu"));
        stats.keySet().removeIf(name -> name.equals("cmdstat_info"));
        return new RedisInfo(
                sum(stats, "cmdstat_", "calls"),
                sum(stats, "cmdstat_eval", "calls"),
                sum(stats, "cmdstat_eval", "usec"),
                Double.parseDouble(cpu.getOrDefault("used_cpu_sys_main_thread", "0"))
                        + Double.parseDouble(cpu.getOrDefault("used_cpu_user_main_thread", "0")));
    }

    RedisInfo since(RedisInfo before) {
        return new RedisInfo(
                commands - before.commands,
                scripts - before.scripts,
                scriptMicros - before.scriptMicros,
                cpuSeconds - before.cpuSeconds);
    }

    private static Map<String, String> fields(String info) {
        return info.lines()
                .filter(line -> line.indexOf(':') > 0)
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> line.substring(line.indexOf(':') + 1).trim()));
    }

    /** Sums a field over lines such as {@code cmdstat_get:calls=21,usec=175,usec_per_call=8.33,...}. */
    private static long sum(Map<String, String> stats, String prefix, String field) {
        Function<String, Long> read = line -> {
            int from = line.indexOf(field + "=") + field.length() + 1;
            return Long.parseLong(line.substring(from, line.indexOf(',', from)));
        };
        return stats.entrySet().stream()
                .filter(stat -> stat.getKey().startsWith(prefix))
                .mapToLong(stat -> read.apply(stat.getValue()))
                .sum();
    }
}
