/** @module Remix 2, built by Vite. Newer versions are called React Router. */
import { hasWord, textProperty } from "./config_text.ts";
import { requestHandlerServer } from "./request_handler_build.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

const CLASSIC = ["remix.config.js", "remix.config.mjs", "remix.config.cjs"] as const;

async function inspect({ config, reader }: FrameworkFacts): Promise<FrameworkFinding> {
  const text = config?.text ?? "";
  for (const path of CLASSIC) {
    if (config === undefined && await reader.exists(path)) {
      return {
        server: `${path} is a config of the classic compiler`,
        advice: {
          message: "Build Remix with Vite: svc cannot deploy the output of its classic compiler",
          hint:
            'See "Migrate to Vite" in the Remix 2 docs; React Router 7 is the successor to Remix',
        },
      };
    }
  }
  const folder = textProperty(text, "buildDirectory") ?? "build";
  if (hasWord(text, "ssr", "false")) return { outputDirs: [`${folder}/client`] };
  return {
    outputDirs: [folder],
    server: 'Remix renders on a server unless its config sets "ssr: false"',
  };
}

export const remix: Framework = {
  id: "remix",
  name: "Remix",
  packages: ["@remix-run/dev"],
  configFiles: ["ts", "js", "mjs", "mts"].map((type) => `vite.config.${type}`),
  build: "remix vite:build",
  dev: "remix vite:dev",
  outputDirs: ["build"],
  server: requestHandlerServer("@remix-run/node"),
  inspect,
};
