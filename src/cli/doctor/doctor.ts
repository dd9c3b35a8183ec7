import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { postgresOf } from "../serve/postgres_place.ts";
import { cacheFolder, dataFolder } from "../session/user_folders.ts";
import { formatFacts } from "../terminal/table.ts";
import { VERSION } from "../version.ts";

export default defineCommand({
  description:
    "Covers this machine (sandboxes, esbuild, git, space, memory, ports, proxies), the data " +
    "directory and its databases, the platform that commands are sent to, the login there, its nodes, " +
    "and newer releases; shows what to do about each check that is not ok.",
  define: (command) =>
    command
      .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
      .option("--deep", "read every record, blob, key and page of a database as well")
      .option("--keys-file <path>", "keys to compare, if not those in the data directory")
      .option("--kv <place>", "postgres://… to look at as well: version, rights, standbys, clock")
      .option(
        "--postgres <server>",
        "server of databases to ask: postgres:// (with a password: SVC_POSTGRES_URL)",
      )
      .option("--blobs <place>", "s3://… in which to store, read and delete an object as well"),
  examples: [
    ["doctor --deep", "read everything that the platform stores"],
    ["doctor", "check this machine, its platform and the login"],
    [
      "doctor --kv postgres://svc@pg1,pg2/svc --blobs 's3://files/svc?endpoint=https://s3.example.com'",
      "check what nodes will share, too",
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
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const { kv, blobs } = flags;
    const keysFile = flags.keysFile === undefined ? undefined : ctx.path(flags.keysFile);
    const postgres = postgresOf(flags, ctx);
    const isServed = await serve.isServed(dataDir).catch((error) => {
      // What is wrong with it is a point of its own.
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
