import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Tells Kafka all users and rules at once, as Strimzi's user operator does; its tools, kafka-configs and kafka-acls, would be a JVM each.
 *
 * scripts/kafka run scripts/kafka-tls-check.d/Accounts.java BOOTSTRAP, with lines on stdin:
 *   user NAME MECHANISM PASSWORD          such as SCRAM-SHA-512; a user once with each mechanism
 *   allow PRINCIPAL KIND NAME OPERATION…  in Strimzi's words, which are Kafka's: transactionalId, DescribeConfigs
 */
public class Accounts {
    public static void main(String[] args) throws Exception {
        List<UserScramCredentialAlteration> users = new ArrayList<>();
        List<AclBinding> rules = new ArrayList<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.trim().split(" ");
            switch (words[0]) {
                case "user" -> users.add(user(words));
                case "allow" -> rules.addAll(rules(words));
                default -> throw new IllegalArgumentException(line);
            }
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
            // Kafka takes one change of a user at a time.
            for (UserScramCredentialAlteration user : users) {
                admin.alterUserScramCredentials(List.of(user)).all().get();
            }
            admin.createAcls(rules).all().get();
        }
    }

    static UserScramCredentialAlteration user(String[] words) {
        ScramMechanism mechanism = ScramMechanism.fromMechanismName(words[2]);
        return new UserScramCredentialUpsertion(words[1], new ScramCredentialInfo(mechanism, 4096), words[3]);
    }

    static List<AclBinding> rules(String[] words) {
        ResourcePattern on = new ResourcePattern(ResourceType.valueOf(kafkas(words[2])), words[3], PatternType.LITERAL);
        List<AclBinding> rules = new ArrayList<>();
        for (int i = 4; i < words.length; i++) {
            AclOperation operation = AclOperation.valueOf(kafkas(words[i]));
            rules.add(new AclBinding(on, new AccessControlEntry("User:" + words[1], "*", operation, AclPermissionType.ALLOW)));
        }
        return rules;
    }

    /** DescribeConfigs is DESCRIBE_CONFIGS. */
    static String kafkas(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1_$2").toUpperCase();
    }
}
