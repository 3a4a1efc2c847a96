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
 * What an operator did to one switch.
 *
 * <p><b>Which one holds.</b> Of one switch the newest, by its stamp: the time of whoever took it, in milliseconds, and always
 * later than the one it followed. So it does not matter in which order, how often and on which way a node hears of them.
 *
 * @param setting what it was switched to; null where the rule is to say itself again
 * @param stamp orders it among what was done to the same switch
 * @param via how it came into force
 */
public record SwitchChange(SwitchName name, @Nullable Setting setting, long stamp, Author author, Via via) {

    /** How a switch came into force. */
    public enum Via {
        /** Written to the database, which tells all. */
        DATABASE,
        /** While the database was away, through the board that all read. */
        REDIS,
        /** By one node on its own. */
        LOCAL
    }

    /** Whether this holds and not {@code other}, whoever is asked. */
    public boolean isAfter(@Nullable SwitchChange other) {
        if (other == null || stamp != other.stamp) {
            return other == null || stamp > other.stamp;
        }
        return text().compareTo(other.text()) > 0;
    }

    /** When it was done. */
    public Instant at() {
        return Instant.ofEpochMilli(stamp);
    }

    /** What it was switched to, for the audit; null where nothing is. */
    public @Nullable String after() {
        return setting == null ? null : terms();
    }

    /** What was done, for the audit. */
    String terms() {
        return Json.text(json -> {
            json.writeStartObject();
            SwitchJson.writeTerms(json, this);
            json.writeEndObject();
        });
    }

    /** All of it on one line. */
    public String text() {
        return Json.text(json -> {
            json.writeStartObject();
            SwitchJson.writeTerms(json, this);
            SwitchJson.writeAuthor(json, author);
            json.writeEndObject();
        });
    }

    /** {@code off}, {@code rollout 25}; {@code as the rule says} where nothing is switched. */
    public String state() {
        if (setting == null) {
            return "as the rule says";
        }
        return percent() == null ? setting.state().spelling() : "rollout " + Rule.percent(setting.rollout());
    }

    /** The percentage of callers that a rule is rolled out to; null where it is for all or none. */
    public @Nullable BigDecimal percent() {
        if (setting == null || setting.state() != SwitchState.ON || setting.rollout() == Rule.EVERYONE) {
            return null;
        }
        return new BigDecimal(Rule.percent(setting.rollout()));
    }

    /** For people: what is how, since when and by whom. */
    public String sentence() {
        String what = name.isEverything() ? "everything" : "rule " + name.rule() + " of " + name.domain();
        String why = author.reason().isEmpty() ? "" : " (" + author.reason() + ")";
        return what + " is " + (name.isEverything() && setting == null ? "on" : state()) + " since " + at() + " by "
                + author.name() + why;
    }
}
