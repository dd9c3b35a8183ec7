/**
 * The search path of an environment. Pure.
 *
 * @module
 */
import { delimiter } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with a folder before all others of its search path, under the name it has there. */
export function withFolderFirst(env: Environment, folder: string): Environment {
  const name = Object.keys(env).find((each) => each.toUpperCase() === "PATH") ?? "PATH";
  const path = env[name];
  return { ...env, [name]: path === undefined ? folder : `${folder}${delimiter}${path}` };
}
