/**
 * A package.json that cannot be read: detection takes it for missing, and would blame something
 * else.
 *
 * @module
 */
import { join } from "node:path";
import { messageOf } from "../lib/error_message.ts";
import { describeJsonFault } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { readOptionalText } from "./read_rules_file.ts";
import type { BuildHost } from "./types.ts";

const NAME = "package.json";

/** @throws {BuildError} where a folder's package.json is no JSON object */
export async function checkPackageJson(host: BuildHost, directory: string): Promise<void> {
  const path = join(directory, NAME);
  const text = await readOptionalText(path);
  if (text === undefined) return;
  const shown = host.showPath(path);
  const json = text.replace(/^\ufeff/, "");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const fault = describeJsonFault(json) ?? messageOf(cause);
    throw new BuildError("build_failed", `Correct ${shown}: it is not JSON: ${fault}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new BuildError("build_failed", `Correct ${shown}: it must hold a JSON object`);
}
