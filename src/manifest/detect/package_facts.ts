/**
 * @module Reads package.json leniently: an invalid file is treated as missing, and an invalid field
 * as empty.
 */
import * as z from "zod";
import type { PackageFacts } from "./types.ts";

const texts = z.record(z.string(), z.unknown()).catch({});

const packageSchema = z.object({
  name: z.string().optional().catch(undefined),
  dependencies: texts,
  devDependencies: texts,
  scripts: texts,
  packageManager: z.unknown().optional(),
  devEngines: z.object({ packageManager: z.unknown().optional() }).optional().catch(undefined),
});

function textMap(record: Record<string, unknown>): Map<string, string> {
  return new Map(
    Object.entries(record).filter((entry): entry is [string, string] =>
      typeof entry[1] === "string"
    ),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}

/** Reads the text of a package.json. Returns `undefined` if the text is not valid. */
export function parsePackageFacts(text: string | undefined): PackageFacts | undefined {
  if (text === undefined) return undefined;
  const result = packageSchema.safeParse(parseJson(text));
  if (!result.success) return undefined;
  const { name, dependencies, devDependencies, scripts, packageManager, devEngines } = result.data;
  const runtime = textMap(dependencies);
  return {
    name,
    dependencies: new Map([...textMap(devDependencies), ...runtime]),
    hasRuntimePackages: runtime.size > 0,
    scripts: textMap(scripts),
    packageManager,
    devManager: devEngines?.packageManager,
  };
}
