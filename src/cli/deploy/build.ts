import { Option } from "@commander-js/extra-typings";
import { FRAMEWORKS } from "../../manifest/mod.ts";
import { defineCommand } from "../command/command.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import { showPath } from "../session/paths.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("[dir]", "project directory (default: the nearest one with a svc.toml)")
      .addOption(
        new Option("--framework <name>", "framework to use instead of the detected one").choices(
          FRAMEWORKS.map(({ id }) => id),
        ),
      )
      .option("--skip-validation", "do not validate the manifest and the rules"),
  examples: [
    ["build", "build this project and validate the output"],
    ["build ./site --skip-validation", "only build"],
  ],
  async run({ args: [dir], flags }, ctx) {
    // Imported on demand, because help and completion do not need the build code.
    const [{ assembleProject }, { createBuildHost, explainBuild }] = await Promise.all([
      import("../../build/mod.ts"),
      import("./build_host.ts"),
    ]);
    const skipValidation = flags.skipValidation === true;
    const folder = await openProjectFolder(ctx, dir);
    const built = await explainBuild(
      ctx,
      assembleProject(createBuildHost(ctx), {
        directory: folder.directory,
        standing: dir === undefined ? ctx.cwd : undefined,
        config: folder.config,
        framework: flags.framework,
        skipValidation,
      }),
    );
    const { command, detected, output } = built;
    const bytes = built.files.reduce((sum, { size }) => sum + size, 0);
    ctx.ui.done(
      "build",
      `${skipValidation ? "Built" : "Built and validated"} ${showPath(output, ctx)}: ` +
        `${formatCount(built.files.length, "file")}, ${formatBytes(bytes)}`,
    );
    ctx.ui.result({
      command: command ?? null,
      framework: detected.framework ?? null,
      outputDirectory: output,
      manifest: built.manifest,
      manifestGenerated: built.generated,
      servers: built.servers,
      rules: built.rules?.rules.length ?? null,
      validated: !skipValidation,
      files: built.files.length,
      bytes,
    }, output);
  },
});
