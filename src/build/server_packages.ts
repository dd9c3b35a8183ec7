/**
 * Where the packages of an output's servers lie. They are bundled, not
 * deployed as files, and their links may run in circles.
 *
 * @module
 */
import { z } from "zod";
import { findFramework } from "../manifest/mod.ts";

const computeLayers = z.object({
  layers: z.array(z.unknown()).transform((layers) =>
    layers.flatMap((layer) => computeLayer.safeParse(layer).data ?? [])
  ),
});

const computeLayer = z.object({ target: z.literal("COMPUTE"), directory: z.string() });

/** Folders of packages, relative to the output: of a manifest's servers, else of the framework's. */
export function serverPackages(
  framework: string | undefined,
  manifest: unknown,
): ReadonlySet<string> {
  if (manifest === undefined) {
    const folder = findFramework(framework)?.server?.packages;
    return new Set(folder === undefined ? [] : [folder]);
  }
  const { layers } = computeLayers.safeParse(manifest).data ?? { layers: [] };
  return new Set(
    layers.map(({ directory }) => directory.replace(/^(?:\.\/)+|^\.$/, "").replace(/\/*$/, "")).map(
      (directory) => directory === "" ? "node_modules" : `${directory}/node_modules`,
    ),
  );
}
