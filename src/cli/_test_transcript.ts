/**
 * @module Transcripts: command lines run in sequence against one platform, in text mode and in JSON
 *   mode. The output is compared with golden files in `fixtures/cli/transcripts/`.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type Bench, withPlatform } from "./_test_platform.ts";
import { personWho, type RunOutcome } from "./_test_run.ts";

const FOLDER = new URL("../../fixtures/cli/transcripts/", import.meta.url);
const isUpdate = Deno.env.get("UPDATE_GOLDENS") === "1";

/** Value of every secret in transcripts. It must not appear anywhere. */
export const SECRET = "correct-horse-battery-staple";

export interface Step {
  readonly name: string;
  readonly argv: readonly string[];
  readonly code?: number;
  readonly stdin?: string | Uint8Array;
  /** Variables that override those of the test bench. */
  readonly env?: Readonly<Record<string, string>>;
  /** Project files to write first. */
  readonly files?: Readonly<Record<string, string>>;
  /** Answers from the person at the terminal. JSON mode skips steps that have answers. */
  readonly answers?: readonly unknown[];
  /** Runs before the commands. */
  readonly before?: (bench: Bench) => Promise<unknown> | unknown;
}

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>"],
  [/(request |"requestId": ?")[0-9a-z-]+/g, "$1<request>"],
  [/my-site-(?!env-|git-)[a-z0-9]{8}/g, "my-site-<short>"],
  [/(localhost|127\.0\.0\.1|svc\.test):\d+/g, "$1:<port>"],
  [/whsec_[A-Za-z0-9+/]{43}=/g, "whsec_<secret>"],
  [/\bsvc_(?!cli)[\w-]{43}/g, "svc_<key>"],
  [/\bsvc_(?!cli)[\w-]{4}(?=[…"])/g, "svc_<prefix>"],
  [/localhost\/svc-[0-9a-f]{16}/g, "localhost/svc-<project>"],
  [/svc-verify=\w+/g, "svc-verify=<token>"],
  [/\b\d+(?:\.\d)? m?s\b/g, "<duration>"],
];

/** Replaces values that differ between runs. Columns keep their order but not their widths. */
function mask(text: string, site: string): string {
  return MASKS.reduce((masked, [pattern, word]) => masked.replace(pattern, word), text)
    .replaceAll(site, "<site>").replace(/(?<=\S) {3,}/g, "  ");
}

function quote(word: string): string {
  return /^[\w./:=@,<>-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Members of a deployment that transcripts keep. Other tests check the other members. */
const DEPLOYMENT_MEMBERS = [
  "project",
  "status",
  "environment",
  "isPreview",
  "isProduction",
  "variablesChanged",
  "url",
];

function shorten(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("fileCount" in value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => DEPLOYMENT_MEMBERS.includes(name)),
  );
}

/** A line that commands print only if the platform is slow. */
const SLOW_LINE = /^.*\bStill (?:waiting for http|creating |moving ).*\n/gm;

/** Formats a single object on stdout, and drops log lines at level debug. */
function layOut(
  { stdout, stderr: printed }: RunOutcome,
  json: boolean,
): { stdout: string; stderr: string } {
  const stderr = printed.replace(SLOW_LINE, "");
  if (!json) return { stdout, stderr };
  assert.ok(stdout === "" || stdout.trimEnd().split("\n").length === 1, stdout);
  const lines = stderr.split("\n").filter((line) => !line.startsWith('{"s":"debug"'));
  return {
    stdout: stdout === "" ? "" : `${JSON.stringify(JSON.parse(stdout, shorten), null, 2)}\n`,
    stderr: lines.join("\n"),
  };
}

async function play(bench: Bench, step: Step, json: boolean): Promise<string> {
  for (const [path, text] of Object.entries(step.files ?? {})) await bench.write(path, text);
  await step.before?.(bench);
  const separator = step.argv.indexOf("--");
  const at = separator === -1 ? step.argv.length : separator;
  const argv = json
    ? [...step.argv.slice(0, at), "--json", ...step.argv.slice(at)]
    : [...step.argv];
  const outcome = await bench.run(argv, {
    env: { ...bench.env, ...step.env },
    ...(step.stdin === undefined ? {} : { stdin: step.stdin }),
    ...(step.answers === undefined ? {} : { prompter: personWho(step.answers) }),
  });
  const raw = outcome.stdout + outcome.stderr;
  assert.ok(!raw.includes(SECRET), `${step.name}: the output contains the secret`);
  assert.equal(outcome.code, step.code ?? 0, `${step.name}: ${raw}`);
  const { stdout, stderr } = layOut(outcome, json);
  const block = (title: string, text: string) =>
    text === "" ? "" : `${title}\n${mask(text, bench.site).trimEnd().replace(/^/gm, "  ")}\n`;
  return `# ${step.name}\n$ svc ${argv.map(quote).join(" ")}\nexit ${outcome.code}\n` +
    block("stdout", stdout) + block("stderr", stderr);
}

/** Checks that neither the platform's log nor its data contains the secret in plain text. */
async function assertKept(bench: Bench, logged: readonly string[]): Promise<void> {
  assert.ok(!logged.join("\n").includes(SECRET), "the platform logged the secret");
  const data = join(dirname(bench.site), "data");
  const { stdout } = await new Deno.Command("grep", { args: ["-rlaF", SECRET, data] }).output();
  assert.equal(new TextDecoder().decode(stdout), "");
}

async function assertGolden(name: string, text: string): Promise<void> {
  const file = new URL(`${name}.txt`, FOLDER);
  if (isUpdate) {
    await Deno.mkdir(FOLDER, { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  assert.equal(text, await Deno.readTextFile(file));
}

/**
 * Declares the tests of a transcript: one in text mode and one in JSON mode, or only one of them if
 * `modes` names it.
 */
export function testTranscript(
  name: string,
  steps: readonly Step[],
  options: Parameters<typeof withPlatform>[1] = {},
  modes: readonly ("human" | "json")[] = ["human", "json"],
): void {
  for (const mode of modes) {
    Deno.test(`${name} matches its golden file, ${mode}`, async (t) => {
      const logged: string[] = [];
      await withPlatform(async (bench) => {
        await bench.json(["init", "--create"]);
        const played: string[] = [];
        for (const step of steps) {
          if (mode === "json" && step.answers !== undefined) continue;
          await t.step(step.name, async () => {
            played.push(await play(bench, step, mode === "json"));
          });
        }
        await assertKept(bench, logged);
        await assertGolden(`${name}_${mode}`, played.join("\n"));
      }, { log: ({ message }) => logged.push(message), ...options });
    });
  }
}
