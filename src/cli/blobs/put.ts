import { basename } from "node:path";
import { openFileStream } from "../../client/file_stream.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { formatBytes, printable } from "../terminal/format.ts";
import { withPath } from "../../lib/file_fault.ts";
import { ENVIRONMENT_OPTION, openStore, requestObject } from "./open_store.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description: "The key defaults to the file name. A key that ends with / is a folder.",
  define: (command) =>
    command
      .argument("<file>", "file to upload; - for stdin")
      .argument("[key]", "key of the object")
      .option("--type <type>", "media type (default: from the key's extension)")
      .option("--cache-control <value>", "Cache-Control for responses with the object")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["blobs put kestrel.jpg photos/", "upload to photos/kestrel.jpg"],
    ["blobs put - notes.txt < notes", "upload from stdin"],
  ],
  async run({ args: [file, given = ""], flags }, ctx) {
    const isStdin = file === "-";
    if (isStdin && (given === "" || given.endsWith("/"))) {
      throw new CliError("usage", "Pass a key when you upload from stdin");
    }
    const key = given === "" || given.endsWith("/") ? given + basename(file) : given;
    const path = ctx.path(file);
    const info = isStdin
      ? undefined
      : await Deno.stat(path).catch((error) => Promise.reject(withPath(error, path)));
    if (info?.isDirectory) {
      throw new CliError("usage", `"${printable(file)}" is a directory: pass a file`, {
        hint: "To upload a directory, create a key with svc blobs keys create and use an S3 " +
          "client such as rclone",
      });
    }
    const store = await openStore(ctx, flags);
    const response = await requestObject(ctx, store, {
      key,
      method: "PUT",
      headers: {
        ...(flags.type === undefined ? {} : { "content-type": flags.type }),
        ...(flags.cacheControl === undefined ? {} : { "cache-control": flags.cacheControl }),
        ...(info === undefined ? {} : { "content-length": String(info.size) }),
      },
      body: isStdin ? ctx.stdin() : await openFileStream(path),
    });
    const etag = response.headers.get("etag")?.replaceAll('"', "") ?? "";
    const size = info === undefined ? "" : ` (${formatBytes(info.size)})`;
    ctx.ui.done("env", `Uploaded ${printable(key)} to ${store.environment}${size}`);
    ctx.ui.result({ key, environment: store.environment, etag }, "");
  },
});
