import { defineCommand } from "../command.ts";
import { buildProject } from "../deploy/build_project.ts";
import { prepareOutput } from "../deploy/prepare_output.ts";
import { readRulesFile } from "../deploy/read_rules_file.ts";
import { formatBytes, formatCount } from "../format.ts";
import { openProjectFolder, showPath } from "../project_folder.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("[dir]", "directory of the project; the nearest with a svc.toml if left out")
      .option("--skip-validation", "do not validate the manifest and the rules"),
  examples: [
    ["build", "build this project and validate the output"],
    ["build ./site --skip-validation", "only build"],
  ],
  answers:
    "{ command, framework, outputDirectory, manifest, manifestGenerated, rules, validated, files, bytes }",
  async run({ args: [dir], flags }, ctx) {
    const skipValidation = flags.skipValidation === true;
    const folder = await openProjectFolder(ctx, dir);
    const { command, detected, output } = await buildProject(ctx, { folder, skipBuild: false });
    const prepared = await prepareOutput(ctx, {
      output,
      projectRoot: folder.directory,
      detected,
      skipValidation,
    });
    const rules = skipValidation ? undefined : await readRulesFile(ctx, folder.directory);
    const bytes = prepared.files.reduce((sum, { size }) => sum + size, 0);
    ctx.ui.done(
      "build",
      `${skipValidation ? "Built" : "Built and validated"} ${showPath(output, ctx)}: ` +
        `${formatCount(prepared.files.length, "file")}, ${formatBytes(bytes)}`,
    );
    ctx.ui.result({
      command: command ?? null,
      framework: detected.framework ?? null,
      outputDirectory: output,
      manifest: prepared.manifest,
      manifestGenerated: prepared.generated,
      rules: rules?.ruleSet.rules.length ?? null,
      validated: !skipValidation,
      files: prepared.files.length,
      bytes,
    }, output);
  },
});
