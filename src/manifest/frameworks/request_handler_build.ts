/**
 * @module Code shared by React Router and Remix: routes in `server/index.js`, and files in
 * `client/`.
 */
import { candidatesOf, projectPlacements, readPackage } from "./project_server.ts";
import { serverCode } from "./server_code.ts";
import { parseStart } from "./start_script.ts";
import type { BuiltOutput, Found, FrameworkServer, Launch, ProjectReader } from "./types.ts";

const ENTRY = "server/index.js";
const CLIENT = "client";

/**
 * Returns the code of a module that serves a build's routes with a package's
 * `createRequestHandler`.
 */
function handlerLaunch(handlerFrom: string): Launch {
  return {
    wrapper: (file) =>
      `import { createRequestHandler } from ${JSON.stringify(handlerFrom)};
import * as build from ${JSON.stringify(`./${file}`)};
const handle = createRequestHandler(build, "production");
export default { fetch: (request) => handle(request) };
`,
  };
}

/** Finds the project's own server file, which loads the build. */
async function ownServer(project: ProjectReader): Promise<string | undefined> {
  const facts = await readPackage(project);
  const start = facts === undefined ? undefined : parseStart(facts.scripts, ["start"]);
  if (start === undefined || /-serve$/.test(start.program)) return undefined;
  for (const path of candidatesOf(start.file, facts?.main)) {
    const text = await project.readText(path);
    if (text !== undefined) return serverCode(text) === undefined ? undefined : path;
  }
  return undefined;
}

/** Matches the entry of a server bundle, for configs that split the routes into several bundles. */
const SPLIT = /^server\/[^/]+\/index\.js$/;

/**
 * Returns how to find and serve a framework's output. `handlerFrom` is the package that exports
 * `createRequestHandler`.
 */
export function requestHandlerServer(handlerFrom: string): FrameworkServer {
  const launch = handlerLaunch(handlerFrom);
  async function find({ paths, project }: BuiltOutput): Promise<Found> {
    const own = await ownServer(project);
    if (own !== undefined) {
      return {
        type: "server",
        launch: {},
        directory: ".",
        entry: own,
        clients: [],
        placements: projectPlacements(own),
      };
    }
    if (paths.includes(ENTRY)) {
      return {
        type: "server",
        launch,
        directory: "server",
        entry: ENTRY,
        clients: [CLIENT],
        alsoImports: [handlerFrom],
      };
    }
    if (paths.some((path) => SPLIT.test(path))) {
      return {
        type: "unusable",
        message: 'Build a single server: "serverBundles" in the config splits it',
        hint: 'Remove "serverBundles" from the config; it is for platforms with many small servers',
      };
    }
    const inClient = paths.some((path) => path.startsWith(`${CLIENT}/`));
    return { type: "static", directory: inClient ? CLIENT : "." };
  }
  return { find, layout: { entry: ENTRY, files: CLIENT } };
}
