/** @module The commands in `cli/deploy/`, each with its loader. */
import type { CommandGroup, CommandLeaf } from "../command/command_entry.ts";

export const BUILD: CommandLeaf = {
  name: "build",
  section: "Projects and deployments",
  summary: "Build and validate the output and its manifest",
  load: () => import("./build.ts"),
};

export const DEPLOY: CommandLeaf = {
  name: "deploy",
  section: "Projects and deployments",
  summary: "Build and deploy, to a preview unless --prod is set",
  load: () => import("./deploy.ts"),
};

export const DEPLOYMENTS: CommandGroup = {
  name: "deployments",
  section: "Projects and deployments",
  summary: "List deployments",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List deployments",
      load: () => import("./list.ts"),
    },
  ],
};

export const PROMOTE: CommandLeaf = {
  name: "promote",
  section: "Projects and deployments",
  summary: "Promote a preview to production",
  load: () => import("./promote.ts"),
};

export const ROLLBACK: CommandLeaf = {
  name: "rollback",
  section: "Projects and deployments",
  summary: "Roll back production to an earlier deployment",
  load: () => import("./rollback.ts"),
};

export const STOP: CommandLeaf = {
  name: "stop",
  section: "Projects and deployments",
  summary: "Take a deployment offline",
  load: () => import("./stop.ts"),
};
