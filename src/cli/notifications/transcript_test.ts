/** The commands `notifications` and `trigger` in both output modes. */
import { type Step, testTranscript } from "../_test_transcript.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000009";

const steps: readonly Step[] = [
  { name: "an empty inbox", argv: ["notifications", "list"] },
  {
    name: "trigger",
    argv: ["trigger", "deployment.live", "--data", "project=blog", "--data", "url=http://b.test/"],
  },
  {
    name: "trigger with numbers and strings of digits",
    argv: [
      "trigger",
      "billing.payment_failed",
      "--data",
      "amount=49.5",
      "--data",
      "currency=EUR",
      "--data",
      "cardLast4=4242",
    ],
  },
  {
    name: "trigger with an object",
    argv: ["trigger", "health.check_failed", "--data", '{"project":"blog","reason":"HTTP 502"}'],
  },
  { name: "trigger an event that defaults filter out", argv: ["trigger", "deployment.started"] },
  { name: "trigger an unknown event", argv: ["trigger", "deployment.liev"], code: 2 },
  {
    name: "trigger with data of the wrong type",
    argv: ["trigger", "billing.payment_failed", "--data", "amount=much", "--data", "url=x"],
    code: 2,
  },
  {
    name: "trigger with unparsable data",
    argv: ["trigger", "deployment.live", "--data", "x"],
    code: 2,
  },
  { name: "the inbox", argv: ["notifications", "list"] },
  { name: "critical notifications", argv: ["notifications", "list", "--priority", "CRITICAL"] },
  {
    name: "one of three notifications",
    argv: ["notifications", "list", "--limit", "1", "--offset", "1"],
  },
  { name: "read all", argv: ["notifications", "read", "--all"] },
  { name: "unread notifications", argv: ["notifications", "list", "--unread"] },
  { name: "archive none", argv: ["notifications", "archive"], code: 2 },
  { name: "archive an unknown notification", argv: ["notifications", "archive", UNKNOWN], code: 1 },
  { name: "archive without an ID", argv: ["notifications", "archive", "first"], code: 2 },
  { name: "archive all", argv: ["notifications", "archive", "--all"] },
  { name: "the archive", argv: ["notifications", "list", "--archived"] },
  { name: "delete the archive", argv: ["notifications", "delete", "--all-archived"] },
  { name: "the archive, empty", argv: ["notifications", "list", "--archived"] },
  { name: "preferences", argv: ["notifications", "preferences"] },
  {
    name: "change a category",
    argv: [
      "notifications",
      "preferences",
      "--category",
      "Health",
      "--minimum",
      "LOW",
      "--quiet",
      "22:00-06:00",
      "--on",
      "messenger",
      "--off",
      "email",
    ],
  },
  {
    name: "change a channel everywhere",
    argv: ["notifications", "preferences", "--off", "email,push"],
  },
  {
    name: "a minimum without a category",
    argv: ["notifications", "preferences", "--minimum", "LOW"],
    code: 2,
  },
  {
    name: "invalid hours",
    argv: ["notifications", "preferences", "--quiet", "9-5"],
    code: 2,
  },
];

testTranscript("notifications", steps);
