import { deleteBlobKey, listBlobKeys } from "../../../contract/blob_store.ts";
import { confirm } from "../../command/confirm.ts";
import { defineCommand } from "../../command/command.ts";
import { CliError } from "../../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../../projects/resolve_project.ts";
import { printable } from "../../terminal/format.ts";

export default defineCommand({
  description:
    "The key stops working immediately. If you revoke the platform's own key, the platform replaces it and restarts servers with the new key; existing signed URLs stop working.",
  define: (command) =>
    command
      .argument("<key>", "ID or name of the key")
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  examples: [["blobs keys revoke backup --force", "revoke a key without confirmation"]],
  async run({ args: [reference], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "env" });
    const params = { project: project.id };
    const { items } = await client.call(listBlobKeys, { params });
    const [key, another] = items.filter(({ id, name }) => id === reference || name === reference);
    if (key === undefined || another !== undefined) {
      const problem = key === undefined ? "No access key has" : "Several access keys have";
      throw new CliError("not_found", `${problem} the name "${printable(reference)}"`, {
        next: [ctx.lines.ofProject("blobs", "keys", "list")],
      });
    }
    const name = printable(key.name);
    await confirm(ctx, {
      force: flags.force,
      question: `Revoke access key ${name}? Anything that uses it will lose access`,
      wanted: `Confirm the revocation of access key ${name}`,
      declined: "Nothing revoked",
    });
    await client.call(deleteBlobKey, { params: { ...params, credential: key.id } });
    ctx.ui.done("env", `Revoked access key ${name}`);
    ctx.ui.result({ revoked: true, key }, "");
  },
});
