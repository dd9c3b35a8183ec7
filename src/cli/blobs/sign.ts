import { Option } from "@commander-js/extra-typings";
import {
  DEFAULT_SIGNED_SECONDS,
  MAX_OBJECT_BYTES,
  MAX_SIGNED_SECONDS,
  signBlob,
  SIGNED_METHODS,
} from "../../contract/blob_store.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { ENVIRONMENT_OPTION, openStore } from "./open_store.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Anyone with the URL can download the object, or upload it with --method PUT, until it expires.",
  define: (command) =>
    command
      .argument("<key>", "key of the object")
      .addOption(
        new Option("--method <method>", "GET downloads, PUT uploads").choices(SIGNED_METHODS)
          .default("GET" as const),
      )
      .option(
        "--expires <seconds>",
        "seconds until the URL expires",
        wholeNumber({ min: 1, max: MAX_SIGNED_SECONDS }),
        DEFAULT_SIGNED_SECONDS,
      )
      .option(
        "--max-bytes <n>",
        "maximum size of the upload in bytes",
        wholeNumber({ min: 0, max: MAX_OBJECT_BYTES }),
      )
      .option("--type <type>", "media type of the upload, such as image/png or image/*")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["blobs sign report.pdf --expires 600", "share a download for ten minutes"],
    [
      "blobs sign avatars/7.png --method PUT --type 'image/*' --max-bytes 1000000",
      "let a visitor upload an image of up to 1 MB",
    ],
  ],
  async run({ args: [key], flags }, ctx) {
    const { client, environment, params } = await openStore(ctx, flags);
    const { method, expires: expiresIn, maxBytes, type: contentType } = flags;
    const signed = await client.call(signBlob, {
      params,
      body: { environment, key, method, expiresIn, maxBytes, contentType },
    });
    ctx.ui.result({ ...signed }, signed.url);
  },
});
