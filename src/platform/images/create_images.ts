/** Wires up image conversion. @module */
import { ownedPrefix } from "../../lib/owned_folders.ts";
import { join } from "node:path";
import type { ImageService } from "../../edge/mod.ts";
import { defaultImageProcesses, ImageEngine, imageProcessCommand } from "../../runtime/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { ImageFiles } from "./image_files.ts";
import { PlatformImages } from "./image_service.ts";

/** Maximum fraction of the disk space that one project can use. */
const PROJECT_SHARE = 1 / 4;

/** The operator's settings for image conversion. */
interface ImageOptions {
  /** Maximum number of concurrent processes; by default, it depends on the number of processors. */
  readonly maxProcesses?: number;
  /** Maximum disk space for converted images, in bytes. */
  readonly cacheBytes: number;
}

export interface Images {
  readonly images: ImageService;
  readonly capability: Capability;
}

export function createImages(
  foundation: Pick<Foundation, "dataDir" | "env" | "now" | "onTrouble">,
  { maxProcesses, cacheBytes }: ImageOptions,
): Images {
  const { dataDir, env, now, onTrouble } = foundation;
  const files = new ImageFiles(join(dataDir.cache, "images"), {
    maxBytes: cacheBytes,
    maxProjectBytes: cacheBytes * PROJECT_SHARE,
  });
  const engine = new ImageEngine({
    spawn: imageProcessCommand({ env }),
    folderPrefix: () => ownedPrefix("im", dataDir.root),
    limits: {
      maxProcesses: maxProcesses ?? defaultImageProcesses(navigator.hardwareConcurrency),
    },
    onTrouble,
  });
  return {
    images: new PlatformImages({ engine, files, now, onTrouble }),
    capability: {
      name: "images",
      recover: () => files.recover(),
      close: () => engine.close(),
      removeProject: (projectId) => files.removeProject(projectId),
    },
  };
}
