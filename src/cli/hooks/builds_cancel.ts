import { cancelBuild } from "../../contract/builds.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId } from "../command/option_values.ts";

export default defineCommand({
  description: "Also stops the build's deployment. The live deployment does not change.",
  define: (command) =>
    command.argument("<id>", "ID of the build (same as its deployment's)", deploymentId),
  offers: { id: "deployment" },
  examples: [["builds cancel 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "cancel a build"]],
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "build" });
    const build = await client.call(cancelBuild, { params: { build: id } });
    ctx.ui.done("build", `Cancelled the build of ${build.branch} of ${build.project}`);
    ctx.ui.result({ build }, "");
  },
});
