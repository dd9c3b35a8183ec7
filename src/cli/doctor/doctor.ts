import { defineCommand, definedOnly } from "../command/mod.ts";
import { cacheFolder, dataFolder } from "../session/mod.ts";
import { formatFacts } from "../terminal/mod.ts";

export default defineCommand({
  description:
    "Covers sandboxes, esbuild, git, free disk space, the data directory and its databases, and " +
    "shows what to do about each check that is not ok.",
  define: (command) =>
    command
      .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
      .option("--kv <place>", "postgres://… to look at as well: version, rights, standbys, clock")
      .option(
        "--postgres <server>",
        "server of databases to ask: postgres:// (or SVC_POSTGRES_URL)",
      )
      .option("--blobs <place>", "s3://… in which to store, read and delete an object as well"),
  examples: [
    ["doctor", "check this machine before it serves"],
    [
      "doctor --kv postgres://svc@pg1,pg2/svc --blobs 's3://files/svc?endpoint=https://s3.example.com'",
      "check what nodes will share, too",
    ],
  ],
  async run({ flags }, ctx) {
    const { examine } = await import("./examine.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const { kv, blobs, postgres = ctx.env.SVC_POSTGRES_URL || undefined } = flags;
    const points = await examine({
      ...{ dataDir, cacheDir: cacheFolder(ctx.env), env: ctx.env, now: ctx.now() },
      ...definedOnly({ kv, blobs, postgres }),
    });
    const ok = points.every(({ state }) => state === "ok");
    const facts = points.flatMap(({ name, state, found, advice = null }) => [
      [name, `${state}: ${found}`] as const,
      ["", advice] as const,
    ]);
    ctx.ui.result({ ok, points }, formatFacts(facts));
  },
});
