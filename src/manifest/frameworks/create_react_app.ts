/** @module Create React App: a single page in `build`. */
import type { Framework } from "./types.ts";

export const createReactApp: Framework = {
  id: "create-react-app",
  name: "Create React App",
  packages: ["react-scripts"],
  configFiles: [],
  build: "react-scripts build",
  dev: "react-scripts start",
  outputDirs: ["build"],
  isSinglePage: true,
};
