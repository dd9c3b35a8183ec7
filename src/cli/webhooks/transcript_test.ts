/** The `webhooks` commands, including those for deliveries, in both output modes. */
import { testTranscript } from "../_test_transcript.ts";

const NOWHERE = "01900000-0000-7000-8000-000000000000";

testTranscript("webhooks", [
  { name: "none yet", argv: ["webhooks", "list"] },
  {
    name: "an unknown event",
    argv: ["webhooks", "create", "https://hooks.example.com/x", "--event", "deployment.done"],
    code: 2,
  },
  {
    name: "some of the events",
    argv: [
      "webhooks",
      "create",
      "https://hooks.example.com/x",
      "--event",
      "health.recovered",
      "--category",
      "deployment",
      "--description",
      "the chat",
    ],
  },
  {
    name: "a URL that is not public",
    argv: ["webhooks", "create", "http://127.0.0.1/x"],
    code: 2,
  },
  { name: "all", argv: ["webhooks", "list"] },
  { name: "an empty log", argv: ["webhooks", "deliveries", NOWHERE], code: 1 },
  { name: "a missing one", argv: ["webhooks", "delete", NOWHERE], code: 1 },
  { name: "a test of an unknown webhook", argv: ["webhooks", "test", NOWHERE], code: 1 },
]);

testTranscript("deliveries", [
  { name: "everything was delivered", argv: ["notifications", "dead-letters"] },
  { name: "nothing to resend", argv: ["notifications", "resend", "--all"] },
  { name: "neither IDs nor --all", argv: ["notifications", "resend"], code: 2 },
  { name: "of the workspace", argv: ["notifications", "dead-letters", "--workspace-wide"] },
  { name: "no mail server", argv: ["notifications", "test", "email"], code: 1 },
]);
