package dev.weir.server.bans;

import dev.weir.internal.ban.AddressList;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.Ban;
import dev.weir.server.settings.Settings;

/** The form of a ban list: an address or a block a line. */
record BanListFormat(Settings.BanList setting) implements AddressFile.Format<BanSet> {
    @Override
    public String name() {
        return "ban list";
    }

    @Override
    public String expected() {
        return "an address or a block, such as 192.0.2.0/24";
    }

    @Override
    public AddressFile.Lines<BanSet> open() {
        AddressList addresses = new AddressList();
        return new AddressFile.Lines<>() {
            @Override
            public void add(String line) {
                addresses.add(Cidr.parse(line));
            }

            @Override
            public BanSet end() {
                String list = String.valueOf(setting.file().getFileName());
                Ban owner = new Ban(setting.kind(), "ip", list, "", Ban.FOREVER, "", "list " + list, false);
                return BanSet.ofAddresses(owner, addresses);
            }
        };
    }

    @Override
    public int size(BanSet content) {
        return content.size();
    }
}
