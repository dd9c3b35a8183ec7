/**
 * Tests platforms on systems that lack parts of the server sandbox. A test cannot remove Landlock
 * or seccomp from the machine, so this one runs the platforms in its own process and simulates the
 * absence.
 */
import assert from "node:assert/strict";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, startInProcess, type TestPlatform } from "../../helpers/platform.ts";

type Servers = NonNullable<Parameters<typeof startInProcess>[1]>["servers"];

async function withServers(
  servers: Servers,
  use: (platform: TestPlatform) => Promise<void>,
): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-unsandboxed-" });
  const platform = await startInProcess(dataDir, servers === undefined ? {} : { servers });
  try {
    await use(platform);
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
}

const health = async (platform: TestPlatform) =>
  (await platform.api("GET", "/v1/health", { token: null })).json.servers;

const NO_FILES = { files: false, calls: true };
const NO_CALLS = { files: true, calls: false };

for (const [name, support] of [["Landlock", NO_FILES], ["seccomp", NO_CALLS]] as const) {
  Deno.test(`without ${name}, no server runs, and health, doctor and logs report why`, async () => {
    await withServers({ support }, async (platform) => {
      assert.ok(
        platform.logged.some((line) =>
          line.startsWith("warn Deployment servers are refused: ") && line.includes(name)
        ),
        platform.logged.join("\n"),
      );
      const { sandbox, missing, running } = await health(platform);
      assert.deepEqual([sandbox, running], ["refused", 0]);
      assert.match(missing.join(), new RegExp(name));
      await createProject(platform, "shop");
      await assert.rejects(deployServer(platform, "shop"), (error) => {
        assert.match(String(error), /Servers are turned off on this platform/);
        assert.match(String(error), /--allow-unsandboxed-servers/);
        return true;
      });
    });
  });
}

Deno.test("servers run without the full sandbox if the operator allows it", async () => {
  await withServers({ support: NO_FILES, allowUnsandboxed: true }, async (platform) => {
    assert.ok(
      platform.logged.some((line) => /^warn .*without a full sandbox.*Landlock/.test(line)),
      platform.logged.join("\n"),
    );
    assert.equal((await health(platform)).sandbox, "unsandboxed");
    await createProject(platform, "shop");
    await deployServer(platform, "shop");
    assert.equal((await platform.get("shop.localhost", "/x")).text, "server: /x");
  });
});

Deno.test("health reports the running servers, and that the full sandbox is enforced", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withServers(undefined, async (platform) => {
    assert.deepEqual(platform.logged.filter((line) => /sandbox/.test(line)), []);
    await createProject(platform, "shop");
    await deployServer(platform, "shop");
    const { sandbox, missing, running, max } = await health(platform);
    assert.deepEqual([sandbox, missing, running], ["enforced", [], 1]);
    assert.ok(max >= 4);
  });
});
