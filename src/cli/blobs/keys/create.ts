import { createBlobKey } from "../../../contract/blob_store.ts";
import { defineCommand } from "../../command/command.ts";
import { printable } from "../../terminal/format.ts";
import { ENVIRONMENT_OPTION, openStore } from "../open_store.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Prints the variables that AWS SDKs, rclone and other S3 clients read. The secret is shown only once.",
  define: (command) =>
    command
      .argument("<name>", "name of the key, such as backup")
      .option("--read-only", "the key can only read")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["blobs keys create backup --read-only", "create a key that can only read"]],
  async run({ args: [name], flags }, ctx) {
    const { client, environment, params } = await openStore(ctx, flags);
    const key = await client.call(createBlobKey, {
      params,
      body: { environment, name, isReadOnly: flags.readOnly === true },
    });
    ctx.ui.done("env", `Created access key ${printable(key.name)} for ${environment}`);
    ctx.ui.note(`Bucket: ${key.bucket}, path-style. Copy the secret now. You won't see it again`);
    const lines = [
      `AWS_ENDPOINT_URL_S3=${key.endpoint}`,
      `AWS_REGION=${key.region}`,
      `AWS_ACCESS_KEY_ID=${key.id}`,
      `AWS_SECRET_ACCESS_KEY=${key.secret}`,
    ];
    ctx.ui.result({ key }, lines.join("\n"));
  },
});
