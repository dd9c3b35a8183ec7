/** @module Parcel: pages in `dist` or `--dist-dir`. */
import type { Framework } from "./types.ts";

export const parcel: Framework = {
  id: "parcel",
  name: "Parcel",
  packages: ["parcel"],
  configFiles: [".parcelrc"],
  build: "parcel build",
  dev: "parcel",
  outputDirs: ["dist"],
  isSinglePage: true,
  inspect: ({ buildScript }) => {
    const folder = /--dist-dir[= ]([\w./-]+)/.exec(buildScript ?? "")?.[1];
    return folder === undefined ? {} : { outputDirs: [folder] };
  },
};
