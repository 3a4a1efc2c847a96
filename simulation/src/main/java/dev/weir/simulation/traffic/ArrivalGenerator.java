package dev.weir.simulation.traffic;

import dev.weir.simulation.clock.Event;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.traffic.ArrivalProcess.Mmpp;
import dev.weir.simulation.traffic.ArrivalProcess.OnOff;
import dev.weir.simulation.traffic.ArrivalProcess.Poisson;
import dev.weir.simulation.traffic.ArrivalProcess.Steady;
import dev.weir.simulation.traffic.ArrivalProcess.WindowEdge;
import java.util.SplittableRandom;

/** Runs an {@link ArrivalProcess}: each event sends a request and schedules the next. */
final class ArrivalGenerator {
    private ArrivalGenerator() {}

    static void start(FlowSettings settings, Timeline timeline, SplittableRandom random, Flow flow) {
        CallerDistribution callers = settings.callers();
        ArrivalProcess arrivals = settings.arrivals();
        if (arrivals instanceof Poisson poisson) {
            new Common(timeline, random, flow, callers, poisson.rate()).next();
        } else if (arrivals instanceof Steady steady) {
            new Even(timeline, random, flow, callers, steady.rate()).next();
        } else if (arrivals instanceof Mmpp mmpp) {
            new Modulated(timeline, random, flow, callers, mmpp).next();
        } else if (arrivals instanceof OnOff onOff) {
            for (int caller = 0; caller < callers.count(); caller++) {
                new Bursting(timeline, random.split(), flow, caller, callers.share(caller), onOff).turnOn();
            }
        } else if (arrivals instanceof WindowEdge edge) {
            for (int caller = 0; caller < callers.count(); caller++) {
                new Edging(timeline, random.split(), flow, caller, callers.share(caller), edge).next();
            }
        }
    }

    private static long exponential(SplittableRandom random, double rate) {
        return (long) (random.nextExponential() / rate * ArrivalProcess.NANOS);
    }

    /** One process for all callers; each request draws its caller. */
    private static class Common implements Event {
        final Timeline timeline;
        final SplittableRandom random;
        final Flow flow;
        final CallerDistribution callers;
        final double rate;

        Common(Timeline timeline, SplittableRandom random, Flow flow, CallerDistribution callers, double rate) {
            this.timeline = timeline;
            this.random = random;
            this.flow = flow;
            this.callers = callers;
            this.rate = rate;
        }

        void next() {
            timeline.after(exponential(random, rate), this);
        }

        @Override
        public void happen() {
            next();
            flow.send(callers.next(random));
        }
    }

    private static final class Even extends Common {
        Even(Timeline timeline, SplittableRandom random, Flow flow, CallerDistribution callers, double rate) {
            super(timeline, random, flow, callers, rate);
        }

        @Override
        void next() {
            timeline.after((long) (ArrivalProcess.NANOS / rate), this);
        }
    }

    private static final class Modulated extends Common {
        private final double high;
        private final double low;
        private final long meanNanos;
        private boolean isHigh;
        private long turnsAt;

        Modulated(Timeline timeline, SplittableRandom random, Flow flow, CallerDistribution callers, Mmpp mmpp) {
            super(timeline, random, flow, callers, mmpp.rate());
            this.low = 2 * mmpp.rate() / (1 + mmpp.times());
            this.high = low * mmpp.times();
            this.meanNanos = mmpp.meanNanos();
            this.isHigh = random.nextBoolean();
            this.turnsAt = timeline.now() + (long) (random.nextExponential() * meanNanos);
        }

        /** Exponential times are memoryless, so an arrival after the change of rate is drawn anew at the change. */
        @Override
        void next() {
            long moment = timeline.now() + exponential(random, isHigh ? high : low);
            while (moment > turnsAt) {
                long turned = turnsAt;
                isHigh = !isHigh;
                turnsAt = turned + (long) (random.nextExponential() * meanNanos);
                moment = turned + exponential(random, isHigh ? high : low);
            }
            timeline.at(moment, this);
        }
    }

    /** A caller that alternates between on and off. */
    private static final class Bursting implements Event {
        private final Timeline timeline;
        private final SplittableRandom random;
        private final Flow flow;
        private final int caller;
        private final double peak;
        private final OnOff onOff;
        private long offAt;

        Bursting(Timeline timeline, SplittableRandom random, Flow flow, int caller, double share, OnOff onOff) {
            this.timeline = timeline;
            this.random = random;
            this.flow = flow;
            this.caller = caller;
            this.onOff = onOff;
            this.peak = onOff.rate() * share * onOff.times();
        }

        /** Begins somewhere in an off time, so that callers do not begin together. */
        void turnOn() {
            timeline.after((long) (random.nextDouble() * onOff.meanOnNanos() * (onOff.times() - 1)), this::on);
        }

        private void on() {
            offAt = timeline.now() + pareto((double) onOff.meanOnNanos());
            next();
        }

        private void next() {
            long moment = timeline.now() + exponential(random, peak);
            if (moment < offAt) {
                timeline.at(moment, this);
            } else {
                timeline.at(offAt + pareto(onOff.meanOnNanos() * (onOff.times() - 1)), this::on);
            }
        }

        @Override
        public void happen() {
            next();
            flow.send(caller);
        }

        /** The least time is m (a - 1) / a for mean m and shape a. */
        private long pareto(double mean) {
            double least = mean * (onOff.shape() - 1) / onOff.shape();
            return (long) (least / Math.pow(1 - random.nextDouble(), 1 / onOff.shape()));
        }
    }

    /** A caller that sends half of its window's requests just before each edge, and half just after. */
    private static final class Edging implements Event {
        private final Timeline timeline;
        private final SplittableRandom random;
        private final Flow flow;
        private final int caller;
        private final WindowEdge edge;
        private final double eachWindow;
        private long window;

        Edging(Timeline timeline, SplittableRandom random, Flow flow, int caller, double share, WindowEdge edge) {
            this.timeline = timeline;
            this.random = random;
            this.flow = flow;
            this.caller = caller;
            this.edge = edge;
            this.eachWindow = edge.rate() * share * edge.windowNanos() / ArrivalProcess.NANOS;
        }

        void next() {
            window++;
            timeline.at(window * edge.windowNanos() - edge.widthNanos(), this::burst);
        }

        private void burst() {
            next();
            long from = timeline.now();
            double due = eachWindow + random.nextDouble();
            for (int i = 1; i <= due; i++) {
                timeline.at(from + (long) (random.nextDouble() * 2 * edge.widthNanos()), this);
            }
        }

        @Override
        public void happen() {
            flow.send(caller);
        }
    }
}
