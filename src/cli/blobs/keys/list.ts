import { listBlobKeys } from "../../../contract/blob_store.ts";
import { defineCommand } from "../../command/command.ts";
import { openProject, PROJECT_OPTION } from "../../projects/resolve_project.ts";
import { formatAge, printable } from "../../terminal/format.ts";

export default defineCommand({
  description: "The platform gives each environment its own key, for servers and signed URLs.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["blobs keys list", "list the keys of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "env" });
    const { items: keys } = await client.call(listBlobKeys, { params: { project: project.id } });
    if (keys.length === 0) ctx.ui.note("No access keys yet: `svc blobs keys create <name>`");
    const rows = keys.map(({ id, name, environment, isReadOnly, createdAt }) => [
      id,
      printable(name),
      environment,
      isReadOnly ? "read" : "read and write",
      formatAge(createdAt, ctx.now()),
    ]);
    ctx.ui.result({ keys }, ctx.ui.table(["ID", "NAME", "ENVIRONMENT", "ACCESS", "CREATED"], rows));
  },
});
