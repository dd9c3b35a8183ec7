/** The `env` commands with each flag and rule, in both output modes. */
import { SECRET, type Step, testTranscript } from "../_test_transcript.ts";

const DECLARED = `[env.declarations]
API_KEY = "sensitive"
URL = "plain"
DSN = { visibility = "sensitive", required = false }
`;

const withDeclarations: Step["before"] = async (bench) => {
  await bench.write("svc.toml", `${await bench.read("svc.toml")}\n${DECLARED}`);
};
const makeStaging: Step["before"] = (bench) => bench.json(["environments", "create", "staging"]);

const set: readonly Step[] = [
  { name: "no variables set", argv: ["env", "list"] },
  {
    name: "set a plain variable in one environment",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "info", "--environment", "production"],
  },
  {
    name: "set a plain variable in all environments",
    argv: ["env", "set", "REGION", "--plain", "--value", "eu", "--all"],
  },
  {
    name: "empty input",
    argv: ["env", "set", "EMPTY", "--plain", "--stdin", "--all"],
    stdin: "\n",
    code: 2,
  },
  {
    name: "--allow-empty",
    argv: ["env", "set", "EMPTY", "--plain", "--stdin", "--all", "--allow-empty"],
    stdin: "",
  },
  { name: "without EMPTY", argv: ["env", "delete", "EMPTY", "--force"] },
  {
    name: "the environment from SVC_ENVIRONMENT",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "debug"],
    env: { SVC_ENVIRONMENT: "preview" },
  },
  {
    name: "the flag overrides SVC_ENVIRONMENT",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "warn", "--environment", "production"],
    env: { SVC_ENVIRONMENT: "preview" },
  },
  {
    name: "a custom environment",
    before: makeStaging,
    argv: ["env", "set", "LEVEL", "--plain", "--value", "all", "--environment", "staging"],
  },
  {
    name: "an unknown environment",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "x", "--environment", "prodution"],
    code: 1,
  },
  {
    name: "no scope",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "x"],
    code: 1,
  },
  {
    name: "no scope, so the person chooses",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "x"],
    answers: ["preview"],
  },
  {
    name: "two scopes",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "x", "--all", "--environment", "preview"],
    code: 2,
  },
  {
    name: "a scope that would not reach environments with their own value",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "x", "--all"],
    code: 1,
  },
  {
    name: "--replace-scope",
    argv: ["env", "set", "LEVEL", "--plain", "--value", "x", "--all", "--replace-scope"],
  },
  {
    name: "another category",
    argv: ["env", "set", "LEVEL", "--secret", "--stdin", "--all"],
    stdin: SECRET,
    code: 1,
  },
  {
    name: "--change-category",
    argv: ["env", "set", "LEVEL", "--secret", "--stdin", "--all", "--change-category"],
    stdin: SECRET,
  },
  {
    name: "a secret from stdin",
    argv: ["env", "set", "TOKEN", "--secret", "--stdin", "--environment", "production"],
    stdin: `${SECRET}\n`,
  },
  {
    name: "a secret from a file",
    argv: ["env", "set", "PEM", "--secret", "--from-file", "key.pem", "--all"],
    files: { "key.pem": `-----BEGIN\n${SECRET}\n` },
  },
  {
    name: "a secret that a person types",
    argv: ["env", "set", "TYPED", "--secret", "--all"],
    answers: [SECRET],
  },
  { name: "all scopes listed", argv: ["env", "list", "--all"] },
  { name: "the variables of one environment", argv: ["env", "list", "--environment", "preview"] },
  {
    name: "what SVC_ENVIRONMENT sees",
    argv: ["env", "list"],
    env: { SVC_ENVIRONMENT: "production" },
  },
  { name: "a list of two scopes", argv: ["env", "list", "--all", "--environment", "x"], code: 2 },
];

const refusals: readonly Step[] = [
  {
    name: "a secret on the command line",
    argv: ["env", "set", "TOKEN", "--secret", "--value", SECRET, "--all"],
    code: 2,
  },
  {
    name: "a secret after the name",
    argv: ["env", "set", `TOKEN=${SECRET}`],
    code: 2,
  },
  {
    name: "a secret after a flag without a value",
    argv: ["env", "set", "TOKEN", `--secret=${SECRET}`],
    code: 2,
  },
  {
    name: "a secret after an unknown flag",
    argv: ["env", "set", "TOKEN", `--valeu=${SECRET}`],
    code: 2,
  },
  { name: "a secret as an extra argument", argv: ["env", "set", "TOKEN", SECRET], code: 2 },
  { name: "no category", argv: ["env", "set", "NEW", "--value", "x", "--all"], code: 2 },
  { name: "two categories", argv: ["env", "set", "NEW", "--plain", "--secret"], code: 2 },
  { name: "no value", argv: ["env", "set", "NEW", "--plain", "--all"], code: 1 },
  { name: "no value for a secret", argv: ["env", "set", "NEW", "--secret", "--all"], code: 1 },
  {
    name: "two values",
    argv: ["env", "set", "NEW", "--plain", "--value", "x", "--stdin", "--all"],
    code: 2,
  },
  { name: "no name", argv: ["env", "set", "--plain", "--value", "x"], code: 2 },
  ...["1A", "A-B", "A B", "A;id", "$(id)", "A\nB", "", "é"].map((key) => ({
    name: `the name ${JSON.stringify(key)}`,
    argv: ["env", "set", key, "--plain", "--value", "x", "--all"],
    code: 2,
  })),
  {
    name: "an empty secret",
    argv: ["env", "set", "NEW", "--secret", "--stdin", "--all"],
    stdin: "\n",
    code: 2,
  },
  {
    name: "a secret with a NUL character",
    argv: ["env", "set", "NEW", "--secret", "--stdin", "--all"],
    stdin: `${SECRET}\0`,
    code: 2,
  },
  {
    name: "a secret that is too large",
    argv: ["env", "set", "NEW", "--secret", "--stdin", "--all"],
    stdin: SECRET.repeat(1000),
    code: 2,
  },
  {
    name: "a secret that is not UTF-8",
    argv: ["env", "set", "NEW", "--secret", "--stdin", "--all"],
    stdin: Uint8Array.of(0xff, 0xfe, 0x41),
    code: 2,
  },
  {
    name: "a file that does not exist",
    argv: ["env", "set", "NEW", "--secret", "--from-file", "gone", "--all"],
    code: 1,
  },
  {
    name: "a file that is a directory",
    argv: ["env", "set", "NEW", "--secret", "--from-file", ".", "--all"],
    code: 2,
  },
  { name: "nothing was set", argv: ["env", "list"] },
];

const dotenv: readonly Step[] = [
  {
    name: "a dotenv file with declared and other variables",
    before: withDeclarations,
    files: { ".env": `URL=http://a # why\nexport API_KEY="${SECRET}"\nEXTRA='$(id)'\n` },
    argv: ["env", "set", "--from-file", ".env", "--all-keys", "--plain", "--all"],
  },
  { name: "the variables that it set", argv: ["env", "list"] },
  {
    name: "a dotenv file with a variable without a category",
    argv: ["env", "set", "--from-file", ".env", "--all-keys", "--all"],
    code: 1,
  },
  {
    name: "a dotenv file with invalid names",
    files: { "bad.env": `A-B=${SECRET}\nA.B=${SECRET}\nURL=x\n` },
    argv: ["env", "set", "--from-file", "bad.env", "--all-keys", "--secret", "--all"],
    code: 1,
  },
  {
    name: "an empty dotenv file",
    files: { "empty.env": "# nothing\n" },
    argv: ["env", "set", "--from-file", "empty.env", "--all-keys", "--secret", "--all"],
    code: 1,
  },
  {
    name: "a dotenv file that the platform partly refuses",
    files: { "part.env": `EXTRA=${SECRET}\nFRESH=${SECRET}\n` },
    argv: ["env", "set", "--from-file", "part.env", "--all-keys", "--secret", "--all"],
    code: 1,
  },
  {
    name: "--all-keys without a file",
    argv: ["env", "set", "--all-keys", "--secret", "--stdin", "--all"],
    code: 2,
  },
  {
    name: "--all-keys with a name",
    argv: ["env", "set", "A", "--all-keys", "--from-file", ".env"],
    code: 2,
  },
];

const validate: readonly Step[] = [
  { name: "no declarations", argv: ["env", "validate"] },
  {
    name: "declared sensitive, --value",
    before: withDeclarations,
    argv: ["env", "set", "API_KEY", "--value", SECRET, "--all"],
    code: 2,
  },
  {
    name: "declared sensitive, --plain",
    argv: ["env", "set", "API_KEY", "--plain", "--value", SECRET, "--all"],
    code: 2,
  },
  {
    name: "declared plain, no flag",
    argv: ["env", "set", "URL", "--value", "http://a", "--environment", "production"],
  },
  { name: "missing ones", argv: ["env", "validate"], before: makeStaging, code: 1 },
  { name: "for one environment", argv: ["env", "validate", "--environment", "preview"], code: 1 },
  { name: "for an unknown environment", argv: ["env", "validate", "--environment", "x"], code: 1 },
  {
    name: "declared sensitive, no flag",
    argv: ["env", "set", "API_KEY", "--stdin", "--all"],
    stdin: SECRET,
  },
  { name: "complete in one environment", argv: ["env", "validate", "--environment", "production"] },
  {
    name: "the rest",
    argv: ["env", "set", "URL", "--value", "http://b", "--all", "--replace-scope"],
  },
  { name: "complete", argv: ["env", "validate"] },
  {
    name: "a sensitive variable stored as plain text",
    before: async (bench) => {
      const source = await bench.read("svc.toml");
      await bench.write("svc.toml", source.replace('URL = "plain"', 'URL = "sensitive"'));
    },
    argv: ["env", "validate"],
  },
];

const rest: readonly Step[] = [
  {
    name: "a secret to delete",
    argv: ["env", "set", "TOKEN", "--secret", "--stdin", "--all"],
    stdin: SECRET,
  },
  { name: "delete without confirmation", argv: ["env", "delete", "TOKEN"], code: 1 },
  {
    name: "delete, and the person says no",
    argv: ["env", "delete", "TOKEN"],
    answers: [false],
    code: 1,
  },
  { name: "delete --force", argv: ["env", "delete", "TOKEN", "--force"] },
  { name: "delete again", argv: ["env", "delete", "TOKEN", "--force"], code: 1 },
  { name: "delete no name", argv: ["env", "delete", "A=B", "--force"], code: 2 },
  { name: "pull", argv: ["env", "pull"], code: 1 },
  { name: "pull with arguments", argv: ["env", "pull", ".env", "--yes"], code: 1 },
  { name: "exec without an environment", argv: ["env", "exec", "--", "true"], code: 1 },
  {
    name: "exec of a program that does not exist",
    argv: ["env", "exec", "--environment", "preview", "--", "no-such-program"],
    code: 127,
  },
  {
    name: "exec of a file that is not a program",
    argv: ["env", "exec", "--environment", "preview", "--", "./index.html"],
    code: 126,
  },
  { name: "exec without a command", argv: ["env", "exec", "--environment", "preview"], code: 2 },
  {
    name: "exec passes the exit code on",
    argv: ["env", "exec", "--environment", "preview", "--", "sh", "-c", "exit 7"],
    code: 7,
  },
];

testTranscript("env_set", set);
testTranscript("env_set_refused", refusals);
testTranscript("env_set_dotenv", dotenv);
testTranscript("env_validate", validate);
testTranscript("env_rest", rest);
