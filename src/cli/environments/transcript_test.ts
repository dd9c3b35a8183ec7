/**
 * The commands `environments` and `context`, and `deploy` with an environment, in both output
 * modes.
 */
import { type Step, testTranscript } from "../_test_transcript.ts";

const DECLARED =
  '[env.declarations]\nURL = "plain"\nDSN = { visibility = "plain", required = false }\n';

const environments: readonly Step[] = [
  { name: "the built-in ones", argv: ["environments", "list"] },
  { name: "create", argv: ["environments", "create", "staging"] },
  { name: "create again", argv: ["environments", "create", "staging"], code: 1 },
  ...["Staging", "a b", "-a", "all", "xn--a", "a".repeat(21)].map((name) => ({
    name: `create ${name}`,
    argv: ["environments", "create", name],
    code: 2,
  })),
  { name: "all", argv: ["environments", "list"] },
  { name: "delete without confirmation", argv: ["environments", "delete", "staging"], code: 1 },
  {
    name: "delete, and the person says no",
    argv: ["environments", "delete", "staging"],
    answers: [false],
    code: 1,
  },
  {
    name: "delete a built-in one",
    argv: ["environments", "delete", "preview", "--force"],
    code: 1,
  },
  { name: "delete an unknown one", argv: ["environments", "delete", "stagin", "--force"], code: 1 },
  {
    name: "delete the context's",
    before: (bench) => bench.json(["context", "use", "staging"]),
    argv: ["environments", "delete", "staging", "--force"],
  },
  { name: "a context that no longer exists", argv: ["env", "list"], code: 1 },
];

const context: readonly Step[] = [
  { name: "none", argv: ["context", "show"] },
  { name: "clear nothing", argv: ["context", "clear"] },
  { name: "use an unknown environment", argv: ["context", "use", "prodution"], code: 1 },
  { name: "use", argv: ["context", "use", "production"] },
  { name: "use again", argv: ["context", "use", "production"] },
  { name: "show", argv: ["context", "show"] },
  { name: "the list shows it", argv: ["environments", "list"] },
  { name: "a command uses it", argv: ["env", "set", "A", "--plain", "--value", "x"] },
  {
    name: "SVC_ENVIRONMENT takes precedence over it",
    argv: ["env", "list"],
    env: { SVC_ENVIRONMENT: "preview" },
  },
  {
    name: "an empty SVC_ENVIRONMENT does not",
    argv: ["env", "list"],
    env: { SVC_ENVIRONMENT: "" },
  },
  {
    name: "the flag overrides both",
    argv: ["env", "list", "--environment", "preview"],
    env: { SVC_ENVIRONMENT: "production" },
  },
  { name: "show with SVC_ENVIRONMENT", argv: ["context", "show"], env: { SVC_ENVIRONMENT: "p" } },
  {
    name: "use with SVC_ENVIRONMENT",
    argv: ["context", "use", "preview"],
    env: { SVC_ENVIRONMENT: "production" },
  },
  {
    name: "another project",
    before: (bench) => bench.json(["projects", "create", "--name", "other"]),
    argv: ["env", "list", "--project-id", "other"],
  },
  { name: "broken", files: { ".svc/context.json": "{" }, argv: ["env", "list"], code: 1 },
  { name: "broken, shown", argv: ["context", "show"], code: 1 },
  { name: "clear", argv: ["context", "clear"] },
];

const deploy: readonly Step[] = [
  {
    name: "a required variable is missing",
    before: async (bench) => {
      await bench.write("svc.toml", `${await bench.read("svc.toml")}\n${DECLARED}`);
      await bench.json(["environments", "create", "staging"]);
    },
    argv: ["deploy"],
    code: 1,
  },
  { name: "in production", argv: ["deploy", "--prod"], code: 1 },
  { name: "in a custom environment", argv: ["deploy", "--environment", "staging"], code: 1 },
  { name: "--skip-env-check", argv: ["deploy", "--skip-env-check", "--environment", "staging"] },
  { name: "two environments", argv: ["deploy", "--prod", "--environment", "staging"], code: 2 },
  { name: "an unknown environment", argv: ["deploy", "--environment", "stagin"], code: 1 },
  {
    name: "set it",
    argv: ["env", "set", "URL", "--value", "http://a", "--environment", "staging"],
  },
  { name: "the deployment is marked as outdated", argv: ["deployments"] },
  {
    name: "complete",
    argv: ["deploy", "--environment", "staging"],
  },
  { name: "the new deployment is not", argv: ["deployments", "--limit", "1"] },
  {
    name: "the context does not choose the environment of a deploy",
    before: (bench) => bench.json(["context", "use", "production"]),
    argv: ["deploy", "--skip-env-check"],
  },
];

testTranscript("environments", environments);
testTranscript("context", context);
testTranscript("deploy_environment", deploy);
