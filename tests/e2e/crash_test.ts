/**
 * Kills the platform with `kill -9` at random moments during a deployment. After each restart, the
 * live site must be complete, either old or new, and everything that was acknowledged must exist.
 *
 * `KILL_ROUNDS` sets the number of rounds. A hundred rounds take a few minutes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startTool, type ToolResult } from "../../scripts/_program.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 4);
const HOST = "crash.localhost";

/**
 * Enough files for a deployment to take a while. Some of them are the same in all versions, and
 * some are new in each version.
 */
const FILE_COUNT = 150;
const SMALL_BYTES = 2 * 1024;
/** Every thirtieth file is large, so uploads take a while. */
const LARGE_BYTES = 512 * 1024;

const pathOf = (index: number): string => `part-${index}.txt`;

/** Returns a file's content in a version. Every third file never changes. */
function contentOf(index: number, version: number): string {
  const line = `file ${index} version ${index % 3 === 0 ? "all" : version}\n`;
  const bytes = index % 30 === 1 ? LARGE_BYTES : SMALL_BYTES;
  return line.repeat(Math.ceil(bytes / line.length));
}

async function writeVersion(folder: string, version: number): Promise<void> {
  await Deno.writeTextFile(join(folder, "index.html"), `version ${version}`);
  for (let index = 0; index < FILE_COUNT; index++) {
    await Deno.writeTextFile(join(folder, pathOf(index)), contentOf(index, version));
  }
}

/**
 * Reads the version that a host serves, and checks that every file of the site belongs to that
 * version.
 */
async function wholeVersion(box: Sandbox, host: string): Promise<number> {
  const index = await box.page(host, "/");
  assert.equal(index.status, 200);
  const version = Number(/^version (\d+)$/.exec(index.text)?.[1]);
  for (let file = 0; file < FILE_COUNT; file++) {
    const page = await box.page(host, `/${pathOf(file)}`);
    assert.equal(page.status, 200, `/${pathOf(file)} of version ${version}`);
    assert.equal(page.text, contentOf(file, version));
  }
  return version;
}

function isAcknowledged(result: ToolResult): boolean {
  return result.stdout.includes('"status":"LIVE"');
}

interface Round {
  readonly version: number;
  /** Bounds of the delay before the platform is killed, in milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Kills the platform during a deployment. Returns whether the CLI reported success. */
async function interruptedDeploy(box: Sandbox, round: Round): Promise<boolean> {
  await writeVersion(box.site, round.version);
  const delay = round.from + Math.random() * (round.to - round.from);
  const tool = startTool(["deploy", "--prod", "--json"], { cwd: box.site, env: box.env });
  await new Promise((resolve) => setTimeout(resolve, delay));
  await box.platform?.kill();
  tool.kill();
  return isAcknowledged(await tool.result);
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

Deno.test(`after each of ${ROUNDS} kills, the live site is complete, either old or new`, async () => {
  await withSandbox(async (box) => {
    await box.start();
    await box.json(["init", "--name", "crash", "--create"]);
    await writeVersion(box.site, 0);
    // A deployment sends its first request about as quickly as a small command finishes.
    const from = await timeOf(box.json(["whoami"])) * 0.7;
    const to = await timeOf(box.json(["deploy", "--prod"])) * 1.5;

    let live = 0;
    const seen = { old: 0, new: 0, acknowledged: 0 };
    for (let version = 1; version <= ROUNDS; version++) {
      const acknowledged = await interruptedDeploy(box, { version, from, to });
      await box.start();
      const now = await wholeVersion(box, HOST);
      assert.ok(now === version || now === live, `Live is ${now}: neither ${live} nor ${version}`);
      if (acknowledged) assert.equal(now, version, "An acknowledged deployment is lost");
      seen[now === version ? "new" : "old"]++;
      seen.acknowledged += acknowledged ? 1 : 0;
      live = now;
    }

    const listed = await box.json(["deployments", "--limit", "1000"]);
    const deployments = listed.deployments as { status: string }[];
    const finished = deployments.filter(({ status }) => status === "LIVE").length;
    assert.equal(finished, seen.new + 1);
    await writeVersion(box.site, ROUNDS + 1);
    await box.json(["deploy", "--prod"]);
    assert.equal(await wholeVersion(box, HOST), ROUNDS + 1);
    await Deno.stderr.write(
      new TextEncoder().encode(
        `${ROUNDS} kills: ${seen.old} left the old site, ${seen.new} the new one; ` +
          `${seen.acknowledged} were acknowledged to the CLI, ` +
          `${deployments.length - finished} interrupted a deployment\n`,
      ),
    );
  });
});

Deno.test("a platform that is killed while idle starts again immediately", async () => {
  await withSandbox(async (box) => {
    for (let round = 0; round < 3; round++) {
      const platform = await box.start();
      assert.equal(platform.token === undefined, round > 0);
      await platform.kill();
    }
  });
});

Deno.test("SIGTERM drains the platform and exits with code 0", async () => {
  await withSandbox(async (box) => {
    const platform = await box.start();
    assert.equal(await platform.stop(), 0);
  });
});
