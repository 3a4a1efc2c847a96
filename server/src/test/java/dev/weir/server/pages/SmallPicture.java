package dev.weir.server.pages;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.imageio.ImageIO;

/** A screenshot in 256 colours: of a page of text, it takes less than half of the bytes. */
final class SmallPicture {
    private static final int COLOURS = 256;

    private SmallPicture() {}

    static byte[] of(byte[] png) throws IOException {
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
        int[] pixels = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        Map<Integer, Integer> counts = new LinkedHashMap<>();
        for (int each : pixels) {
            counts.merge(each, 1, Integer::sum);
        }
        int[] palette = palette(counts);
        BufferedImage small = new BufferedImage(
                image.getWidth(),
                image.getHeight(),
                BufferedImage.TYPE_BYTE_INDEXED,
                new IndexColorModel(8, palette.length, palette, 0, false, -1, DataBuffer.TYPE_BYTE));
        Map<Integer, Integer> nearest = new HashMap<>();
        for (int i = 0; i < pixels.length; i++) {
            int index = nearest.computeIfAbsent(pixels[i], colour -> nearest(colour, palette));
            small.getRaster().setSample(i % image.getWidth(), i / image.getWidth(), 0, index);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (!ImageIO.write(small, "png", out)) {
            throw new IOException("this JDK cannot write PNG");
        }
        return out.toByteArray();
    }

    /** Adds the colour that the colours before it show worst, by its distance and by how many pixels have it. */
    private static int[] palette(Map<Integer, Integer> counts) {
        int[] colours = counts.keySet().stream().mapToInt(Integer::intValue).toArray();
        long[] errors = new long[colours.length];
        Arrays.fill(errors, Integer.MAX_VALUE);
        int[] palette = new int[Math.min(COLOURS, colours.length)];
        for (int size = 0; size < palette.length; size++) {
            int worst = 0;
            for (int i = 1; i < colours.length; i++) {
                if (errors[i] * pixels(counts, colours[i]) > errors[worst] * pixels(counts, colours[worst])) {
                    worst = i;
                }
            }
            palette[size] = colours[worst];
            for (int i = 0; i < colours.length; i++) {
                errors[i] = Math.min(errors[i], distance(colours[i], palette[size]));
            }
        }
        return palette;
    }

    private static int pixels(Map<Integer, Integer> counts, int colour) {
        return Objects.requireNonNull(counts.get(colour));
    }

    private static int nearest(int colour, int[] palette) {
        int found = 0;
        for (int i = 1; i < palette.length; i++) {
            if (distance(colour, palette[i]) < distance(colour, palette[found])) {
                found = i;
            }
        }
        return found;
    }

    private static int distance(int one, int other) {
        int sum = 0;
        for (int shift = 0; shift < Integer.SIZE - Byte.SIZE; shift += Byte.SIZE) {
            int difference = ((one >> shift) & 0xFF) - ((other >> shift) & 0xFF);
            sum += difference * difference;
        }
        return sum;
    }
}
