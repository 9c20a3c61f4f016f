// Kafka's Admin client, told what to do over standard input: a line is a command, a line is its answer.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.*;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;

public class Admin {
    static final int SECONDS = 15;

    static List<Integer> ids(String text) {
        List<Integer> found = new ArrayList<>();
        for (String each : text.split(",")) found.add(Integer.parseInt(each));
        return found;
    }

    static <T> T done(org.apache.kafka.common.KafkaFuture<T> future) throws Exception {
        return future.get(SECONDS, TimeUnit.SECONDS);
    }

    static String voters(Object result) throws Exception {
        done((org.apache.kafka.common.KafkaFuture<?>) result.getClass().getMethod("all").invoke(result));
        return "ok";
    }

    static String run(AdminClient admin, String[] words) throws Exception {
        switch (words[0]) {
            case "create": {
                Map<Integer, List<Integer>> assignment = new TreeMap<>();
                for (String each : words[2].split(";")) {
                    String[] pair = each.split("=");
                    assignment.put(Integer.parseInt(pair[0]), ids(pair[1]));
                }
                Map<String, String> settings = new HashMap<>();
                for (int i = 3; i < words.length; i++) settings.put(words[i].split("=")[0], words[i].split("=")[1]);
                done(admin.createTopics(List.of(new NewTopic(words[1], assignment).configs(settings))).all());
                return "ok";
            }
            case "delete":
                done(admin.deleteTopics(List.of(words[1])).all());
                return "ok";
            case "grow":
                done(admin.createPartitions(Map.of(words[1],
                    NewPartitions.increaseTo(Integer.parseInt(words[2]), List.of(ids(words[3]))))).all());
                return "ok";
            case "reassign": {
                TopicPartition partition = new TopicPartition(words[1], Integer.parseInt(words[2]));
                Optional<NewPartitionReassignment> target = words[3].equals("cancel")
                    ? Optional.empty() : Optional.of(new NewPartitionReassignment(ids(words[3])));
                done(admin.alterPartitionReassignments(Map.of(partition, target)).all());
                return "ok";
            }
            case "move": {
                Map<TopicPartitionReplica, String> target = new HashMap<>();
                for (int number : ids(words[2]))
                    target.put(new TopicPartitionReplica(words[1], number, Integer.parseInt(words[3])), words[4]);
                done(admin.alterReplicaLogDirs(target).all());
                return "ok";
            }
            case "elect": {
                TopicPartition partition = new TopicPartition(words[2], Integer.parseInt(words[3]));
                done(admin.electLeaders(ElectionType.valueOf(words[1]), Set.of(partition)).all());
                return "ok";
            }
            case "config": {
                // No topic is named *: that is the default of all brokers.
                ConfigResource of = words[1].equals("*")
                    ? new ConfigResource(ConfigResource.Type.BROKER, "")
                    : new ConfigResource(ConfigResource.Type.TOPIC, words[1]);
                String[] pair = words[2].split("=");
                AlterConfigOp op = pair.length > 1
                    ? new AlterConfigOp(new ConfigEntry(pair[0], pair[1]), AlterConfigOp.OpType.SET)
                    : new AlterConfigOp(new ConfigEntry(pair[0], ""), AlterConfigOp.OpType.DELETE);
                done(admin.incrementalAlterConfigs(Map.of(of, List.of(op))).all());
                return "ok";
            }
            case "unregister":
                done(admin.unregisterBroker(Integer.parseInt(words[1])).all());
                return "ok";
            case "upgrade": {
                FeatureUpdate update = new FeatureUpdate(Short.parseShort(words[2]), FeatureUpdate.UpgradeType.UPGRADE);
                done(admin.updateFeatures(Map.of(words[1], update), new UpdateFeaturesOptions()).all());
                return "ok";
            }
            case "vote-in": {
                String[] address = words[3].split(":");
                // By reflection: releases before 3.9 have no voters that change.
                Class<?> kind = Class.forName("org.apache.kafka.clients.admin.RaftVoterEndpoint");
                Object endpoint = kind.getConstructor(String.class, String.class, int.class)
                    .newInstance("CONTROLLER", address[0], Integer.parseInt(address[1]));
                return voters(org.apache.kafka.clients.admin.Admin.class
                    .getMethod("addRaftVoter", int.class, Uuid.class, Set.class)
                    .invoke(admin, Integer.parseInt(words[1]), Uuid.fromString(words[2]), Set.of(endpoint)));
            }
            case "vote-out":
                return voters(org.apache.kafka.clients.admin.Admin.class
                    .getMethod("removeRaftVoter", int.class, Uuid.class)
                    .invoke(admin, Integer.parseInt(words[1]), Uuid.fromString(words[2])));
            case "quorum": {
                QuorumInfo quorum = done(admin.describeMetadataQuorum().quorumInfo());
                return quorum.leaderId() + " " + quorum.leaderEpoch() + " " + quorum.highWatermark();
            }
            case "brokers": {
                StringBuilder found = new StringBuilder();
                done(admin.describeCluster().nodes()).stream().map(node -> node.id()).sorted()
                    .forEach(id -> found.append(id).append(' '));
                return found.toString().trim();
            }
            case "partitions": {
                StringBuilder found = new StringBuilder();
                Set<String> names = new TreeSet<>(done(admin.listTopics().names()));
                Map<String, TopicDescription> all = done(admin.describeTopics(names).allTopicNames());
                for (String name : names) {
                    all.get(name).partitions().forEach(each -> found.append(name).append(':').append(each.partition())
                        .append(':').append(each.leader() == null ? -1 : each.leader().id())
                        .append(':').append(join(each.isr())).append(':').append(join(each.replicas())).append(' '));
                }
                return found.toString().trim();
            }
            default:
                return "error unknown command " + words[0];
        }
    }

    static String join(List<org.apache.kafka.common.Node> nodes) {
        List<String> found = new ArrayList<>();
        for (org.apache.kafka.common.Node node : nodes) found.add(String.valueOf(node.id()));
        return String.join(",", found);
    }

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("request.timeout.ms", "5000");
        settings.put("default.api.timeout.ms", "12000");
        settings.put("reconnect.backoff.max.ms", "500");
        settings.put("metadata.max.age.ms", "2000");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        try (AdminClient admin = AdminClient.create(settings)) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String answer;
                try {
                    answer = run(admin, line.split(" "));
                } catch (Exception error) {
                    Throwable cause = error.getCause() == null ? error : error.getCause();
                    answer = "error " + cause.getClass().getSimpleName() + " " + cause.getMessage();
                }
                System.out.println("> " + answer.replace('\n', ' '));
                System.out.flush();
            }
        }
    }
}
