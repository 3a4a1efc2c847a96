package dev.weir.server.bans;

import dev.weir.internal.ban.AddressScores;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.ReputationScale;

/** The form of a reputation list: an address or a block and its score a line. */
final class ReputationFormat implements AddressFile.Format<AddressScores> {
    @Override
    public String name() {
        return "reputation list";
    }

    @Override
    public String expected() {
        return "an address or a block and a score from 0 to 100, such as 192.0.2.0/24 85";
    }

    @Override
    public AddressFile.Lines<AddressScores> open() {
        AddressScores.Builder scores = new AddressScores.Builder();
        return new AddressFile.Lines<>() {
            @Override
            public void add(String line) {
                String[] words = line.split("[\\s,]+", 3);
                int score = words.length == 2 ? Integer.parseInt(words[1]) : -1;
                if (score < 0 || score > ReputationScale.WORST) {
                    throw new IllegalArgumentException(line);
                }
                scores.add(Cidr.parse(words[0]), score);
            }

            @Override
            public AddressScores end() {
                return scores.build();
            }
        };
    }

    @Override
    public int size(AddressScores content) {
        return content.size();
    }
}
