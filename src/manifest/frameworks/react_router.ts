/** @module React Router in framework mode: a server, unless `ssr: false` creates plain files. */
import { hasWord, textProperty } from "./config_text.ts";
import { requestHandlerServer } from "./request_handler_build.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config }: FrameworkFacts): FrameworkFinding {
  const text = config?.text ?? "";
  const folder = textProperty(text, "buildDirectory") ?? "build";
  const isStatic = hasWord(text, "ssr", "false");
  return {
    outputDirs: isStatic ? [`${folder}/client`] : [folder],
    ...(isStatic
      ? {}
      : { server: 'React Router renders on a server unless its config sets "ssr: false"' }),
  };
}

export const reactRouter: Framework = {
  id: "react-router",
  name: "React Router",
  packages: ["@react-router/dev"],
  configFiles: ["ts", "js", "mjs", "mts"].map((type) => `react-router.config.${type}`),
  build: "react-router build",
  dev: "react-router dev",
  outputDirs: ["build"],
  isSinglePage: true,
  server: requestHandlerServer("react-router"),
  // React Router writes about/index.html, but links to /about.
  urls: { trailingSlash: "never" },
  inspect,
};
