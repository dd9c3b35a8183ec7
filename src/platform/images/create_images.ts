/**
 * Composes the conversion of images.
 *
 * @module
 */
import { ownedPrefix } from "../../lib/owned_folders.ts";
import { join } from "node:path";
import type { ImageService } from "../../edge/mod.ts";
import {
  defaultImageProcesses,
  ImageEngine,
  type ImageEngineLimits,
  imageProcessCommand,
} from "../../runtime/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { ImageFiles, type ImageQuota } from "./image_files.ts";
import { PlatformImages } from "./image_service.ts";

const MIB = 1024 * 1024;

const DEFAULT_QUOTA: ImageQuota = { maxBytes: 2048 * MIB, maxProjectBytes: 512 * MIB };

/** How an operator sets up the conversion of images. */
export interface ImageOptions {
  readonly limits?: Partial<ImageEngineLimits>;
  readonly quota?: Partial<ImageQuota>;
}

export interface Images {
  readonly images: ImageService;
  readonly capability: Capability;
}

export function createImages(
  foundation: Pick<Foundation, "dataDir" | "env" | "now" | "onTrouble">,
  { limits, quota }: ImageOptions,
): Images {
  const { dataDir, env, now, onTrouble } = foundation;
  const files = new ImageFiles(join(dataDir.cache, "images"), { ...DEFAULT_QUOTA, ...quota });
  const engine = new ImageEngine({
    spawn: imageProcessCommand({ env }),
    folderPrefix: () => ownedPrefix("im", dataDir.root),
    limits: { maxProcesses: defaultImageProcesses(navigator.hardwareConcurrency), ...limits },
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
