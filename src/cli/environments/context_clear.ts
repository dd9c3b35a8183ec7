import { clearContext, CONTEXT_PATH } from "../../config/context.ts";
import { defineCommand } from "../command/command.ts";
import { openProjectFolder } from "../projects/project_folder.ts";

export default defineCommand({
  define: (command) => command,
  examples: [["context clear", "clear this checkout's environment"]],
  async run(_, ctx) {
    const { directory } = await openProjectFolder(ctx);
    const cleared = await clearContext(directory);
    if (cleared) ctx.ui.done("env", `Removed ${CONTEXT_PATH}`);
    else ctx.ui.note("Nothing to clear: this checkout has no context");
    ctx.ui.result({ cleared }, "");
  },
});
