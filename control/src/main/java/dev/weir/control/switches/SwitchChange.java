package dev.weir.control.switches;

import dev.weir.control.audit.Author;
import dev.weir.control.data.Json;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of one switch by an operator.
 *
 * <p><b>Ordering.</b> The newest change of a switch, by its stamp, is in force. A stamp is the time in milliseconds at
 * the node that accepted the change, and always later than the stamp of the change before. So a node may learn of
 * changes in any order, several times and by any route.
 *
 * @param setting the new setting; null if the switch was released and the rule decides again
 * @param stamp orders the changes of one switch
 * @param via how the change was made
 */
public record SwitchChange(SwitchName name, @Nullable Setting setting, long stamp, Author author, Via via) {

    /** The route by which a change was made. */
    public enum Via {
        /** Written to the database, which every node follows. */
        DATABASE,
        /** Posted to the relay in Redis while the database was unreachable. */
        REDIS,
        /** Made by one node for itself. */
        LOCAL
    }

    /** Returns whether this change replaces {@code other}; every node gives the same answer. */
    public boolean isAfter(@Nullable SwitchChange other) {
        if (other == null || stamp != other.stamp) {
            return other == null || stamp > other.stamp;
        }
        return text().compareTo(other.text()) > 0;
    }

    /** Returns whether the stamp of this change is later than that of {@code other}. */
    boolean isNewerThan(@Nullable SwitchChange other) {
        return other == null || stamp > other.stamp;
    }

    /** Returns the time of the change. */
    public Instant at() {
        return Instant.ofEpochMilli(stamp);
    }

    /** Returns the new state as JSON for the audit log; null if the switch was released. */
    public @Nullable String after() {
        return setting == null ? null : terms();
    }

    /** Returns the change as JSON for the audit log. */
    String terms() {
        return Json.text(json -> {
            json.writeStartObject();
            SwitchJson.writeTerms(json, this);
            json.writeEndObject();
        });
    }

    /** Returns the change with its author as JSON on one line. */
    public String text() {
        return Json.text(json -> {
            json.writeStartObject();
            SwitchJson.writeTerms(json, this);
            SwitchJson.writeAuthor(json, author);
            json.writeEndObject();
        });
    }

    /**
     * Returns the state for people: {@code off} or {@code rollout 25}; {@code as the rule says} if the switch was
     * released.
     */
    public String state() {
        if (setting == null) {
            return "as the rule says";
        }
        return percent() == null ? setting.state().text() : "rollout " + Rule.percent(setting.rollout());
    }

    /** Returns the percentage of callers that a rule is rolled out to; null if it applies to all or to none. */
    public @Nullable BigDecimal percent() {
        if (setting == null || setting.state() != SwitchState.ON || setting.rollout() == Rule.EVERYONE) {
            return null;
        }
        return new BigDecimal(Rule.percent(setting.rollout()));
    }

    /** Returns a sentence for people: what is in which state, since when and by whom. */
    public String sentence() {
        String what = name.isEverything() ? "everything" : "rule " + name.rule() + " of " + name.domain();
        String why = author.reason().isEmpty() ? "" : " (" + author.reason() + ")";
        return what + " is " + (name.isEverything() && setting == null ? "on" : state()) + " since " + at() + " by "
                + author.name() + why;
    }
}
