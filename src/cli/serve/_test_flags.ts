/** @module For tests: the platform options that `svc serve` derives from its flags. */
import { Command } from "@commander-js/extra-typings";
import type { PlatformOptions } from "../../serve/mod.ts";
import type { Context } from "../session/context.ts";
import { addSettingFlags, readServeSettings } from "./setting_flags.ts";
import { readPlatformOptions } from "./start_on.ts";

/** Converts flags and variables to options. */
export async function optionsOf(
  argv: readonly string[] = [],
  env: Context["env"] = {},
): Promise<PlatformOptions> {
  // The part of a context that flags and environment variables need.
  const surroundings: Context["env"] = { HOME: "/home/user", ...env };
  const ctx = { env: surroundings, path: (given: string) => given } as Context;
  const flags = addSettingFlags(new Command()).parse(argv, { from: "user" }).opts();
  return await readPlatformOptions(ctx, await readServeSettings(ctx, flags));
}
