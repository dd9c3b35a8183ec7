import { defineCommand } from "../command/mod.ts";
import { cacheFolder, dataFolder } from "../session/mod.ts";
import { formatFacts } from "../terminal/mod.ts";

export default defineCommand({
  description:
    "Covers sandboxes, esbuild, git, free disk space and the data directory, and shows " +
    "what to do about each check that is not ok.",
  define: (command) =>
    command.option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)"),
  examples: [["doctor", "check this machine before it serves"]],
  answers: "{ ok, points }",
  async run({ flags }, ctx) {
    const { examine } = await import("./examine.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const points = await examine({ dataDir, cacheDir: cacheFolder(ctx.env), env: ctx.env });
    const ok = points.every(({ state }) => state === "ok");
    const facts = points.flatMap(({ name, state, found, advice = null }) => [
      [name, `${state}: ${found}`] as const,
      ["", advice] as const,
    ]);
    ctx.ui.result({ ok, points }, formatFacts(facts));
  },
});
