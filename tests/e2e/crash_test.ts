/**
 * `kill -9` at random moments of a deploy: after each restart the live site is
 * whole, old or new, and what was acknowledged is there.
 *
 * `KILL_ROUNDS` sets how many rounds are run; a hundred take some minutes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startTool, type ToolResult } from "../../scripts/_program.ts";
import { type Sandbox, withSandbox } from "./_sandbox.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 8);
const HOST = "crash.localhost";

/** Enough files that a deploy has many moments: some shared, some new in each version. */
const FILE_COUNT = 60;
const FILE_BYTES = 8 * 1024;

const pathOf = (index: number): string => `part-${index}.txt`;

/** Content of a file in a version; every third file never changes. */
function contentOf(index: number, version: number): string {
  const line = `file ${index} version ${index % 3 === 0 ? "all" : version}\n`;
  return line.repeat(Math.ceil(FILE_BYTES / line.length));
}

async function writeVersion(folder: string, version: number): Promise<void> {
  await Deno.writeTextFile(join(folder, "index.html"), `version ${version}`);
  for (let index = 0; index < FILE_COUNT; index++) {
    await Deno.writeTextFile(join(folder, pathOf(index)), contentOf(index, version));
  }
}

/** Reads the version that a host shows, and holds every file of the site to it. */
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
  /** Longest delay before the kill, in milliseconds. */
  readonly within: number;
}

/** Deploys and kills the platform on the way; returns whether the tool was told of success. */
async function interruptedDeploy(box: Sandbox, round: Round): Promise<boolean> {
  await writeVersion(box.site, round.version);
  const tool = startTool(["deploy", "--prod", "--json"], { cwd: box.site, env: box.env });
  await new Promise((resolve) => setTimeout(resolve, Math.random() * round.within));
  await box.platform?.kill();
  tool.kill();
  return isAcknowledged(await tool.result);
}

Deno.test(`after each of ${ROUNDS} kills the live site is whole, old or new`, async () => {
  await withSandbox(async (box) => {
    await box.start();
    await box.json(["init", "--name", "crash", "--create"]);
    await writeVersion(box.site, 0);
    const started = performance.now();
    await box.json(["deploy", "--prod"]);
    const within = (performance.now() - started) * 1.2;

    let live = 0;
    const seen = { old: 0, new: 0, acknowledged: 0 };
    for (let version = 1; version <= ROUNDS; version++) {
      const acknowledged = await interruptedDeploy(box, { version, within });
      await box.start();
      const now = await wholeVersion(box, HOST);
      assert.ok(now === version || now === live, `Live is ${now}: neither ${live} nor ${version}`);
      if (acknowledged) assert.equal(now, version, "An acknowledged deployment is gone");
      seen[now === version ? "new" : "old"]++;
      seen.acknowledged += acknowledged ? 1 : 0;
      live = now;
    }

    const listed = await box.json(["deployments", "--limit", "1000"]);
    const deployments = listed.deployments as { status: string }[];
    assert.ok(deployments.filter(({ status }) => status === "LIVE").length > seen.new);
    await writeVersion(box.site, ROUNDS + 1);
    await box.json(["deploy", "--prod"]);
    assert.equal(await wholeVersion(box, HOST), ROUNDS + 1);
    await Deno.stderr.write(
      new TextEncoder().encode(
        `${ROUNDS} kills: ${seen.old} left the old site, ${seen.new} the new one, ` +
          `${seen.acknowledged} came after the tool had its answer\n`,
      ),
    );
  });
});

Deno.test("a platform that is killed while idle starts again at once", async () => {
  await withSandbox(async (box) => {
    for (let round = 0; round < 3; round++) {
      const platform = await box.start();
      assert.equal(platform.token === undefined, round > 0);
      await platform.kill();
    }
  });
});

Deno.test("SIGTERM drains and exits with 0", async () => {
  await withSandbox(async (box) => {
    const platform = await box.start();
    assert.equal(await platform.stop(), 0);
  });
});
