import assert from "node:assert/strict";
import type { PlatformOptions } from "../../serve/mod.ts";
import { DEFAULTS } from "../../settings/mod.ts";
import { optionsOf } from "./_test_flags.ts";

const cases: readonly (readonly [argv: readonly string[], options: Partial<PlatformOptions>])[] = [
  [["--max-sockets", "40"], { serverSockets: { total: 40 } }],
  [["--max-sockets-per-server", "8"], { serverSockets: { perServer: 8 } }],
  [["--upstream-connect-timeout", "3"], {
    upstreamTimes: { ...DEFAULTS.upstreamTimes, connectMs: 3000 },
  }],
  [["--upstream-idle-timeout", "5"], {
    upstreamTimes: { ...DEFAULTS.upstreamTimes, idleMs: 5000 },
  }],
  [["--postgres", "local"], { postgres: "local" }],
  [["--postgres", "postgres://svc@db.example/svc"], { postgres: "postgres://svc@db.example/svc" }],
  [["--postgres-port", "none"], { postgresPort: "none" }],
  [["--postgres-port", "0"], { postgresPort: 0 }],
  [["--trigger-timeout", "20"], { resolveMs: 20_000 }],
  [["--housekeeping-minutes", "0.5"], { housekeepingMs: 30_000 }],
  [
    ["--build-file-mb", "100", "--build-cache-mb", "0"],
    {
      builds: {
        ...DEFAULTS.builds,
        limits: { ...DEFAULTS.builds.limits, fileBytes: 100_000_000, cacheBytes: 0 },
      },
    },
  ],
  [["--cache-size", "256MiB"], { caches: { responses: 268_435_456 } }],
  [["--static-cache-size", "0"], { caches: { files: 0 } }],
  [["--head-timeout", "7"], { connections: { ...DEFAULTS.connections, headMs: 7000 } }],
  [["--no-images"], { images: { ...DEFAULTS.images, off: true } }],
  [["--builds", "off"], { builds: { ...DEFAULTS.builds, here: "off" } }],
  [["--build-memory-mb", "2GiB"], {
    builds: { ...DEFAULTS.builds, limits: { ...DEFAULTS.builds.limits, memoryBytes: 2 ** 31 } },
  }],
  [["--git-root", "/a", "--git-root", "/b,/c"], { gitRoots: ["/a", "/b", "/c"] }],
  [["--trust-proxy", "10.0.0.0/8,::1"], { trustProxy: ["10.0.0.0/8", "::1"] }],
];

for (const [argv, wanted] of cases) {
  Deno.test(`svc serve accepts ${argv.join(" ")}`, async () => {
    const usual = await optionsOf();
    const options = await optionsOf(argv);
    assert.deepEqual({ ...options, log: usual.log }, { ...usual, ...wanted });
  });
}

Deno.test("a PostgreSQL password is read from the environment, and refused in a flag", async () => {
  const url = "postgres://svc:secret@db.example/svc";
  assert.equal((await optionsOf([], { SVC_POSTGRES_URL: url })).postgres, url);
  await assert.rejects(optionsOf(["--postgres", url]), (error: Error) => {
    assert.match(error.message, /in SVC_POSTGRES_URL/);
    assert.ok(!error.message.includes("secret"));
    return true;
  });
  await assert.rejects(optionsOf(["--postgres", "mysql://db.example"]), /begins with postgres:/);
});
