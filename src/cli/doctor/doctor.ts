import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { addSettingFlags, readServeSettings } from "../serve/setting_flags.ts";
import { cacheFolder } from "../session/user_folders.ts";
import { formatFacts } from "../terminal/table.ts";
import { VERSION } from "../version.ts";

export default defineCommand({
  description:
    "Checks this machine (sandboxes, esbuild, git, disk space, memory, ports, proxies), the data directory and its databases, the current platform with its nodes, your login, and new releases. Shows how to fix each failed check.",
  define: (command) =>
    addSettingFlags(command, ["config", "data-dir", "kv", "blobs", "keys-file", "postgres"])
      .option("--deep", "also read every record, blob, key and database page"),
  examples: [
    ["doctor --deep", "also read all stored data"],
    ["doctor", "check this machine, its platform and the login"],
    [
      "doctor --kv postgres://svc@pg1,pg2/svc --blobs 's3://files/svc?endpoint=https://s3.example.com'",
      "also check the shared store of several nodes",
    ],
  ],
  async run({ flags }, ctx) {
    const [{ examine }, { examineDeep }, { examineMachine }, { examinePlatform }, serve] =
      await Promise
        .all([
          import("./examine.ts"),
          import("./deep.ts"),
          import("./machine.ts"),
          import("./connections.ts"),
          import("../../serve/mod.ts"),
        ]);
    const { given: { dataDir, kv, blobs, keysFile, postgres } } = await readServeSettings(
      ctx,
      flags,
    );
    const isServed = await serve.isServed(dataDir).catch((error) => {
      // The check of the data directory reports this problem.
      if (error instanceof serve.DataDirUnusableError) return false;
      throw error;
    });
    const points = [
      ...await examineMachine(ctx, { own: VERSION, isServed }),
      ...await examine({
        dataDir,
        cacheDir: cacheFolder(ctx.env),
        env: ctx.env,
        now: ctx.now(),
        ...definedOnly({ kv, blobs, postgres }),
      }),
      ...flags.deep === true
        ? await examineDeep({
          dataDir,
          env: ctx.env,
          now: ctx.now(),
          ...definedOnly({ kv, blobs, keys: keysFile }),
        })
        : [],
      ...await examinePlatform(ctx, VERSION),
    ];
    const ok = points.every(({ state }) => state === "ok");
    const facts = points.flatMap(({ name, state, found, advice = null }) => [
      [name, `${state}: ${found}`] as const,
      ["", advice] as const,
    ]);
    ctx.ui.result({ ok, points }, formatFacts(facts));
  },
});
