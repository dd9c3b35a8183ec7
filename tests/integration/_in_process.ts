/**
 * Which tests below this folder run where. All can run in the process, from source;
 * where `SVC_BIN` names a compiled program, all but those of `IN_PROCESS` run against
 * that. A run from source that the compiled program's follows (`LEAVE_TO_PROGRAM`)
 * leaves the long ones of `LEFT_TO_PROGRAM` to it. `scripts/run_tests.ts` loads this
 * file before each file of tests that has both kinds.
 *
 * @module
 */

/** Reasons by the names of tests. */
type Reasons = Readonly<Record<string, string>>;

const CLOCK = "sets the platform's clock";
const LIMIT = "sets a time limit of seconds; the flag counts in minutes";
const SANDBOX = "chooses the sandbox of builds, which the program tries by itself";
const HELD = "holds builds up and later lets them go on";
const DECLINED =
  "node:http of Deno 2.6 sends no answer but 101 to an upgrade; the edge makes it a 502";
const INTERIM = "node:http of Deno 2.6 sends no interim answers, and fails where it is told to";
const ERRORS = "judges the class of an error, which the program prints as a code and a sentence";

/** By file: why none of its tests can run against the program, or the reasons test by test. */
export const IN_PROCESS: Readonly<Record<string, string | Reasons>> = {
  "builds/attack_test.ts": {
    "a build that forks without end is ended, and the platform answers meanwhile": LIMIT,
    "a build that never ends is ended, with what left its group and session": LIMIT,
  },
  "builds/sandbox_test.ts": SANDBOX,
  "compute/cron_test.ts": {
    "a task runs by itself when its minute comes, and ends with its deployment":
      "says when a minute begins",
  },
  "compute/sandbox_test.ts": "names what the system offers, which the program finds out by itself",
  "compute/websocket_test.ts": {
    "a server declines a WebSocket with a status of its own (deno)": DECLINED,
  },
  "compute/websocket_limit_test.ts": {
    "a WebSocket that the server declines gives both its places back": DECLINED,
  },
  "platform/data_format_test.ts": "runs a program with a second format, which svc does not have",
  "platform/data_loss_test.ts": {
    "records without keys.json are not started upon, and no key is made": ERRORS,
    "a damaged keys.json is named, and left as it is": ERRORS,
    "an empty store beside blobs is not started upon; moving them away begins anew": ERRORS,
    "a store or disk that cannot be opened is no mistake of the command line": ERRORS,
  },
  "edge/hops_test.ts": {
    "interim answers of a site's own server end at the edge": INTERIM,
  },
  "edge/upstream_test.ts": {
    "an upstream that is too slow is a 504 that says nothing of it":
      "gives other sites less than a second; the flags count in seconds",
  },
  "edge/small_writes_test.ts": "looks at the options of sockets in the platform's process",
  "nodes/shared_state_test.ts": CLOCK,
  "nodes/sign_in_test.ts": {
    "a password at one node, its code at another; wrong ones at all nodes count together": CLOCK,
  },
  "hooks/concurrency_test.ts": {
    "200 triggers at once over 20 projects: order kept, none built twice, few at a time": HELD,
    "a restart goes on with what waited and what ran": HELD,
  },
  "hooks/events_test.ts": {
    "people are told once of a build whose manifest is not valid":
      "has a build make a manifest that no build of the program makes",
  },
};

const LOGIC = "is about what the platform stores and decides, the same in any program";

/** Files that are about the platform's own code alone: they run from source only. */
export const SOURCE_ONLY: Readonly<Record<string, string>> = {
  "access/audit_test.ts": LOGIC,
  "access/hostile_publishers_test.ts": LOGIC,
  "access/key_permissions_test.ts": LOGIC,
  "access/key_reach_test.ts": LOGIC,
  "access/own_records_test.ts": LOGIC,
  "access/publishers_test.ts": LOGIC,
  "access/workspace_isolation_test.ts": LOGIC,
  "accounts/accounts_test.ts": LOGIC,
  "accounts/device_flow_test.ts": LOGIC,
  "accounts/mails_test.ts": LOGIC,
  "accounts/messenger_sign_in_test.ts": LOGIC,
  "accounts/sign_in_guessing_test.ts": LOGIC,
  "agents/authorization_test.ts": LOGIC,
  "api/concurrent_updates_test.ts": LOGIC,
  "delivery/channel_table_test.ts": LOGIC,
  "delivery/email_channel_test.ts": LOGIC,
  "delivery/messenger_channel_test.ts": LOGIC,
  "delivery/push_channel_test.ts": LOGIC,
  "delivery/review_test.ts": LOGIC,
  "deployments/damaged_blobs_test.ts": LOGIC,
  "deployments/deployments_test.ts": LOGIC,
  "deployments/difference_test.ts": LOGIC,
  "deployments/promote_test.ts": LOGIC,
  "environments/variables_test.ts": LOGIC,
  "hooks/audit_test.ts": LOGIC,
  "hooks/cli_test.ts": LOGIC,
  "hooks/concurrency_test.ts": LOGIC,
  "hooks/errors_test.ts": LOGIC,
  "hooks/forge_reports_test.ts": LOGIC,
  "hooks/forges_test.ts": LOGIC,
  "hooks/hooks_test.ts": LOGIC,
  "hooks/hostile_payloads_test.ts": LOGIC,
  "hooks/secrets_test.ts": LOGIC,
  "notifications/inbox_test.ts": LOGIC,
  "notifications/pages_test.ts": LOGIC,
  "notifications/stream_test.ts": LOGIC,
  "pages/comparison_test.ts": LOGIC,
  "pages/dashboard_test.ts": LOGIC,
  "pages/docs_test.ts": LOGIC,
  "pages/empty_pages_test.ts": LOGIC,
  "pages/every_form_test.ts": LOGIC,
  "pages/keys_test.ts": LOGIC,
  "pages/kv_pages_test.ts": LOGIC,
  "pages/long_lists_test.ts": LOGIC,
  "pages/overview_test.ts": LOGIC,
  "pages/pages_test.ts": LOGIC,
  "pages/search_test.ts": LOGIC,
  "pages/usage_test.ts": LOGIC,
  "retention/retention_test.ts": LOGIC,
  "rules/rules_test.ts": LOGIC,
  "traffic/errors_test.ts": LOGIC,
  "traffic/traffic_test.ts": LOGIC,
  "traffic/vitals_test.ts": LOGIC,
};

const DATABASES = "starts databases, which are processes of their own";
const FUNCTIONS = "starts many processes of functions";
const SERVERS = "starts many servers, which are processes of their own";

/** Long folders and files that a run from source leaves to the compiled program's, but for tests of `IN_PROCESS`. */
export const LEFT_TO_PROGRAM: Readonly<Record<string, string>> = {
  "agents/every_answer_test.ts": "starts the tool for each command",
  "builds": "runs builds, which are processes of their own",
  "compute": SERVERS,
  "databases": DATABASES,
  "delivery/crash_test.ts": "kills processes",
  "functions": FUNCTIONS,
  "hooks/docs_test.ts": "runs builds, which are processes of their own",
  "images": "converts images in processes of their own",
  "node": SERVERS,
  "nodes": "starts several platforms and a database server",
  "platform/data_loss_test.ts": "starts many platforms",
  "platform/object_storage_test.ts": SERVERS,
  "push": "runs builds and attacks, which are processes of their own",
  "traffic/error_news_test.ts": SERVERS,
};

/** What a run leaves out of a file: all tests, some of them (or all but those), or none. */
export type LeftOut = "all" | "some" | "none";

/** What of a file below this folder a run leaves out, by the variables that it is given. */
export function leftOut(file: string, variable: (name: string) => string | undefined): LeftOut {
  const inProcess = Object.hasOwn(IN_PROCESS, file) ? IN_PROCESS[file] : undefined;
  if (variable("SVC_BIN")) {
    if (typeof inProcess === "object") return "some";
    return inProcess !== undefined || Object.hasOwn(SOURCE_ONLY, file) ? "all" : "none";
  }
  const isLeft = variable("LEAVE_TO_PROGRAM") &&
    (Object.hasOwn(LEFT_TO_PROGRAM, file) || Object.hasOwn(LEFT_TO_PROGRAM, file.split("/")[0]!));
  if (!isLeft || typeof inProcess === "string") return "none";
  return inProcess === undefined ? "all" : "some";
}

/** Declares tests of the file that is being loaded as `choose` says by their names. */
function replaceDeclare(choose: (title: string, declare: typeof Deno.test) => unknown): void {
  const declare = Deno.test;
  const replaced = (...args: unknown[]): void => {
    const [first, second] = args;
    const title = typeof first === "string" ? first : nameOf(first) ?? nameOf(second) ?? "";
    const declared = choose(title, declare);
    if (typeof declared === "function") Reflect.apply(declared, Deno, args);
  };
  Object.defineProperty(Deno, "test", { value: Object.assign(replaced, declare) });
}

function nameOf(value: unknown): string | undefined {
  const isNamed = (typeof value === "object" && value !== null) || typeof value === "function";
  const name: unknown = isNamed ? Reflect.get(value, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

const file = Deno.mainModule.slice(import.meta.resolve("./").length);
const listed = Object.hasOwn(IN_PROCESS, file) ? IN_PROCESS[file] : undefined;
if (typeof listed === "object" && leftOut(file, Deno.env.get) === "some") {
  const isListed = (title: string) => Object.hasOwn(listed, title);
  replaceDeclare((title, declare) => {
    if (Deno.env.get("SVC_BIN")) return isListed(title) ? declare.ignore : declare;
    return isListed(title) ? declare : undefined;
  });
}
