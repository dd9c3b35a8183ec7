import assert from "node:assert/strict";
import { join } from "node:path";
import { flipBit, makeKeys, type Releases, startReleases } from "../../release/_test_releases.ts";
import { createPalette } from "../terminal/color.ts";
import { createUi } from "../terminal/ui.ts";
import { performRollback } from "./upgrade.ts";
import { performUpgrade, type UpgradeRequest } from "./perform_upgrade.ts";

/** Returns a program that only prints its version. `padding` makes it larger. */
const program = (version: string, padding = 0) =>
  new TextEncoder().encode(`#!/bin/sh\necho ${version}\n${"#".repeat(padding)}\n`);

interface Scene {
  readonly releases: Releases;
  readonly folder: string;
  readonly path: string;
  readonly output: string[];
  upgrade(
    request?: Partial<UpgradeRequest>,
    keys?: readonly string[],
  ): ReturnType<typeof performUpgrade>;
  rollback(stored?: number): ReturnType<typeof performRollback>;
  /** Returns the output of the installed program with `--version`. */
  says(): Promise<string>;
  files(): readonly string[];
}

/** Runs a test with version 1.0.0 of the program installed, which writes data in format 2. */
async function withProgram(test: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-upgrade-" }));
  await using releases = await startReleases();
  const path = join(folder, "svc");
  await Deno.writeFile(path, program("1.0.0"), { mode: 0o755 });
  const says = async () => {
    const { stdout } = await new Deno.Command(path).output();
    return new TextDecoder().decode(stdout).trim();
  };
  const output: string[] = [];
  const stream = { isTerminal: false, write: (text: string) => void output.push(text) };
  const colors = createPalette(false);
  const ui = createUi({
    json: false,
    stdout: stream,
    stderr: stream,
    colors,
    dataColors: colors,
    now: () => 0,
  });
  const target = Deno.build.target;
  const installed = async () => ({ path, version: await says(), target, dataFormat: 2 });
  try {
    await test({
      releases,
      folder,
      path,
      output,
      says,
      async upgrade({ version, force = false } = {}, keys = [releases.publicKey]) {
        const signal = new AbortController().signal;
        const from = { place: releases.place, keys, fetch, signal };
        return await performUpgrade({ installed: await installed(), from, ui }, { version, force });
      },
      rollback: async (stored) => await performRollback(await installed(), stored),
      files: () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const NEW = { version: "1.1.0", program: program("1.1.0", 100_000), dataFormat: 2 };
const KEPT = [".svc.upgrade.json", "svc", "svc.previous"];

Deno.test("performUpgrade() installs the latest release and keeps the old program", async () => {
  await withProgram(async ({ releases, path, upgrade, says, files, output }) => {
    await releases.publish(NEW);
    const outcome = await upgrade();
    assert.deepEqual(outcome, { version: "1.1.0", previous: "1.0.0", path, changed: true });
    assert.equal(await says(), "1.1.0");
    assert.deepEqual(files(), KEPT);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o755);
    assert.deepEqual(output, []);
    assert.equal((await upgrade()).changed, false);
  });
});

Deno.test("performRollback() swaps the programs, and swaps them back", async () => {
  await withProgram(async ({ releases, upgrade, rollback, says, files }) => {
    await releases.publish({ ...NEW, dataFormat: 3 });
    await upgrade();
    assert.equal((await rollback(2)).version, "1.0.0");
    assert.equal(await says(), "1.0.0");
    assert.equal((await rollback()).version, "1.1.0");
    assert.equal(await says(), "1.1.0");
    assert.deepEqual(files(), KEPT);
    await assert.rejects(
      rollback(3),
      /reads data format 2, but the data directory has format 3/,
    );
    assert.equal(await says(), "1.1.0");
  });
});

Deno.test("performRollback() does not restore unknown programs", async () => {
  await withProgram(async ({ releases, folder, upgrade, rollback, says }) => {
    await assert.rejects(rollback(), /Cannot roll back: .* does not exist/);
    await releases.publish(NEW);
    await upgrade();
    await Deno.writeTextFile(join(folder, "svc.previous"), "#!/bin/sh\necho evil\n");
    await assert.rejects(rollback(), /is not the program that the last upgrade replaced/);
    assert.equal(await says(), "1.1.0");
  });
});

Deno.test("performUpgrade() installs a specific version, even an older one", async () => {
  await withProgram(async ({ releases, upgrade, says }) => {
    await releases.publish({ ...NEW, version: "0.9.0", program: program("0.9.0") });
    await releases.publish(NEW);
    assert.equal((await upgrade({ version: "0.9.0" })).changed, true);
    assert.equal(await says(), "0.9.0");
  });
});

Deno.test("performUpgrade() does not replace a newer program unless forced", async () => {
  await withProgram(async ({ releases, upgrade, says }) => {
    await releases.publish({ ...NEW, version: "0.9.0", program: program("0.9.0") });
    assert.equal((await upgrade()).changed, false);
    assert.equal(await says(), "1.0.0");
    assert.equal((await upgrade({ force: true })).changed, true);
    assert.equal(await says(), "0.9.0");
  });
});

interface Refusal {
  readonly name: string;
  readonly arrange: (scene: Scene) => Promise<void> | void;
  readonly request?: Partial<UpgradeRequest>;
  readonly code: string;
  readonly says: RegExp;
}

const FILE = `svc-1.1.0-${Deno.build.target}.gz`;

const REFUSALS: readonly Refusal[] = [
  {
    name: "a program with one bit changed",
    arrange: ({ releases }) => releases.change(`/download/v1.1.0/${FILE}`, (b) => flipBit(b, 500)),
    code: "release_unusable",
    says: /Cannot trust .*\.gz/,
  },
  {
    name: "a program that is longer than the signed one",
    arrange: ({ releases }) =>
      releases.change(`/download/v1.1.0/${FILE}`, (b) => new Uint8Array([...b, 0])),
    code: "release_unusable",
    says: /it is larger than its signed size/,
  },
  {
    name: "a manifest with one bit changed",
    arrange: ({ releases }) =>
      releases.change("/download/v1.1.0/release.json", (b) => flipBit(b, -10)),
    code: "release_unusable",
    says: /it is not signed with a key that this program knows/,
  },
  {
    name: "a signature with one bit changed",
    arrange: ({ releases }) =>
      releases.change("/download/v1.1.0/release.json.sig", (b) => flipBit(b, 3)),
    code: "release_unusable",
    says: /it is not signed with a key that this program knows/,
  },
  {
    name: "a truncated signature",
    arrange: ({ releases }) =>
      releases.change(
        "/download/v1.1.0/release.json.sig",
        (b) => new Uint8Array(b.subarray(0, 63)),
      ),
    code: "release_unusable",
    says: /it is not signed with a key that this program knows/,
  },
  {
    name: "an older release under the name of a newer one",
    arrange: async ({ releases }) => {
      await releases.publish({ ...NEW, manifest: (release) => ({ ...release, version: "1.0.5" }) });
    },
    request: { version: "1.1.0" },
    code: "release_unusable",
    says: /it is the manifest of 1\.0\.5, not of 1\.1\.0/,
  },
  {
    name: "a release without a program for this platform",
    arrange: async ({ releases }) => {
      await releases.publish({ ...NEW, target: "aarch64-pc-windows-msvc" });
    },
    code: "release_unusable",
    says: /has no program for .*, only for aarch64-pc-windows-msvc/,
  },
  {
    name: "a program for a different platform than the one in the manifest",
    arrange: async ({ releases }) => {
      const elf = new Uint8Array(200_000).map((_, index) => index);
      await releases.publish({ ...NEW, program: elf });
    },
    code: "not_upgradable",
    says: /svc 1\.1\.0 does not start on this machine/,
  },
  {
    name: "a program that starts, but is another version",
    arrange: async ({ releases }) => {
      await releases.publish({ ...NEW, program: program("1.0.9") });
    },
    code: "not_upgradable",
    says: /svc 1\.1\.0 does not start on this machine/,
  },
  {
    name: "a connection that breaks",
    arrange: ({ releases }) => void (releases.cutAfter = 300),
    code: "release_unusable",
    says: /the connection failed/,
  },
  {
    name: "a missing version",
    arrange: () => {},
    request: { version: "7.0.0" },
    code: "release_unusable",
    says: /the server responded with 404/,
  },
  {
    name: "a downgrade of the data format",
    arrange: async ({ releases }) => await releases.publish({ ...NEW, dataFormat: 1 }),
    request: { force: true },
    code: "not_upgradable",
    says: /it reads data format 1, but svc 1\.0\.0 writes format 2/,
  },
  {
    name: "a manifest of a later schema",
    arrange: async ({ releases }) => {
      const manifest = (release: object) => ({ ...release, schemaVersion: "SVC_RELEASE_V2" });
      await releases.publish({ ...NEW, manifest });
    },
    code: "release_unusable",
    says: /Cannot read the release manifest: schemaVersion/,
  },
];

for (const { name, arrange, request, code, says } of REFUSALS) {
  Deno.test(`performUpgrade() refuses ${name}, without changing the program`, async () => {
    await withProgram(async (scene) => {
      await scene.releases.publish(NEW);
      await arrange(scene);
      await assert.rejects(scene.upgrade(request), (error: Error & { code?: string }) => {
        assert.match(error.message, says);
        assert.equal(error.code ?? "internal", code);
        return true;
      });
      assert.equal(await scene.says(), "1.0.0");
      assert.deepEqual(scene.files().filter((file) => !file.endsWith(".json")), ["svc"]);
    });
  });
}

Deno.test("performUpgrade() trusts only its own key", async () => {
  await withProgram(async ({ releases, upgrade, says }) => {
    await releases.publish(NEW);
    const { publicKey } = await makeKeys();
    await assert.rejects(upgrade({}, [publicKey]), /not signed with a key that this program knows/);
    await assert.rejects(upgrade({}, []), /not signed with a key that this program knows/);
    await upgrade({}, [publicKey, releases.publicKey]);
    assert.equal(await says(), "1.1.0");
  });
});

Deno.test("performUpgrade() lets only one process replace the program at a time", async () => {
  await withProgram(async ({ releases, upgrade, says, files }) => {
    await releases.publish(NEW);
    const [sending, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    releases.beforeProgram = () => {
      sending.resolve();
      return sent.promise;
    };
    const first = upgrade();
    await sending.promise;
    await assert.rejects(upgrade(), /Another svc upgrade is replacing this program/);
    sent.resolve();
    assert.equal((await first).changed, true);
    assert.equal(await says(), "1.1.0");
    assert.deepEqual(files(), KEPT);
  });
});
