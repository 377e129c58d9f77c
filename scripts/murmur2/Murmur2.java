import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/**
 * Which partition Kafka itself gives to a room, for `proto` to agree with.
 *
 * scripts/kafka run scripts/murmur2/Murmur2.java > proto/golden/murmur2.txt
 */
public class Murmur2 {
    static final int[] PARTITIONS = {1, 4, 8, 64, 1000};

    public static void main(String[] args) {
        System.out.printf(
                "# room key (UTF-8, hex), partitions, partition; by scripts/murmur2/Murmur2.java: "
                        + "org.apache.kafka.common.utils.Utils.toPositive(murmur2(bytes)) %% partitions, Apache Kafka %s%n",
                AppInfoParser.getVersion());
        for (String room : rooms()) {
            byte[] key = room.getBytes(StandardCharsets.UTF_8);
            for (int partitions : PARTITIONS) {
                int partition = Utils.toPositive(Utils.murmur2(key)) % partitions;
                System.out.printf("%s\t%d\t%d%n", HexFormat.of().formatHex(key), partitions, partition);
            }
        }
    }

    /** Every tail length, with and without high bytes in it, and both ends of the allowed size. */
    static List<String> rooms() {
        List<String> rooms = new ArrayList<>();
        for (int length = 1; length <= 9; length++) {
            rooms.add("123456789".substring(0, length));
        }
        rooms.addAll(List.of("demo", "lobby", "Room 42", "en:live-2026_01"));
        // One character of two, three and four bytes; then high bytes as tails of one, two and three.
        rooms.addAll(List.of("é", "弹", "🎉", "abcé", "abé", "a弹é"));
        rooms.addAll(List.of("直播间", "弹幕测试房间", "房间 42", "ライブ", "라이브"));
        // A flag, and a family joined by U+200D: bytes are hashed as they came, never normalized.
        rooms.addAll(List.of("🎉🎊", "\uD83C\uDDE8\uD83C\uDDF3", "\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67", "e\u0301"));
        // 128 bytes, the longest room: of one, two, three and four bytes a character.
        rooms.addAll(List.of("x".repeat(128), "é".repeat(64), "弹".repeat(42) + "ab", "🎉".repeat(32)));
        return rooms;
    }
}
