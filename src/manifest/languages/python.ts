/**
 * @module Python: the project with its packages, run by the interpreter on the platform's machine.
 * The packages are stored as in a virtual environment, but Python finds them as a user's packages
 * (`PYTHONUSERBASE`). The environment's scripts contain the path of the build machine's
 * interpreter, so they are omitted.
 */
import type { Placement, ProjectReader } from "../frameworks/types.ts";
import {
  commandsOf,
  findIn,
  firstThere,
  procfileCommand,
  quote,
  readToml,
  tableOf,
  WHOLE_PROJECT,
} from "./parts.ts";
import type { Language, LanguagePlan } from "./types.ts";

const PYTHON = ".venv/bin/python";

const FILES = ["main", "app", "server", "api", "wsgi", "asgi", "application"] as const;
const CANDIDATES = [
  ...FILES.map((name) => `${name}.py`),
  ...["app", "src", "api", "server", "backend"].flatMap((folder) => [
    ...FILES.map((name) => `${folder}/${name}.py`),
    `${folder}/__init__.py`,
  ]),
];

const ASGI = /^(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart)\s*\(/m;
const WSGI = /^(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(Flask|Falcon|Bottle)\s*\(/m;
const FACTORY = /^def\s+(create_app|make_app)\s*\(/m;
/** Matches a server from the standard library, or from a package that listens by itself. */
const OWN_SERVER =
  /^\s*(?:from|import)\s+(http\.server|socketserver|wsgiref|aiohttp|tornado|sanic|bottle|waitress|gradio|dash|cherrypy)\b/m;

/** A project's packages, and how to install them. */
interface Packages {
  /** The file that lists the packages. */
  readonly file: string;
  readonly names: (name: string) => boolean;
  readonly install: string;
  readonly toolchains: readonly string[];
}

const VENV = "python3 -m venv .venv";
const PIP = `${PYTHON} -m pip install --quiet --disable-pip-version-check`;

async function packagesOf(reader: ProjectReader): Promise<Packages | undefined> {
  const project = await readToml(reader, "pyproject.toml");
  const requirements = await reader.readText("requirements.txt");
  const text = `${requirements ?? ""}\n${await reader.readText("pyproject.toml") ?? ""}`;
  const names = (name: string) =>
    new RegExp(`^[\\s"']*(?:[\\w.-]+\\s*=\\s*\\[\\s*["'])?${name}\\b`, "im").test(text) ||
    new RegExp(`["']${name}(?:["'\\s<>=~!\\[;]|$)`, "i").test(text);
  if (await reader.exists("uv.lock") && project !== undefined) {
    const install = "UV_PYTHON_PREFERENCE=only-system uv sync --frozen --no-dev --quiet";
    return { file: "pyproject.toml", names, install, toolchains: ["python", "uv"] };
  }
  const toolchains = ["python"];
  if (requirements !== undefined) {
    const install = `${VENV} && ${PIP} -r requirements.txt`;
    return { file: "requirements.txt", names, install, toolchains };
  }
  if (project === undefined) return undefined;
  const listed = tableOf(project, "project").dependencies;
  const what = Array.isArray(listed)
    ? listed.filter((each) => typeof each === "string").map(quote).join(" ")
    : ".";
  const install = what === "" ? VENV : `${VENV} && ${PIP} ${what}`;
  return { file: "pyproject.toml", names, install, toolchains };
}

/** Compiles to bytecode that remains valid when the files are copied. */
const COMPILE =
  `(${PYTHON} -m compileall -q --invalidation-mode unchecked-hash .venv/lib >/dev/null || true)`;

const PLACEMENTS: readonly Placement[] = [
  ...WHOLE_PROJECT,
  { from: ".venv/lib", to: ".venv/lib", optional: true },
];

/** How the project starts its server. */
interface Start {
  readonly reason: string;
  readonly entry: string;
  /** Arguments of the Python interpreter. */
  readonly run: string;
  /**
   * Interpreter arguments for commands that run to completion before the server starts, such as
   * migrations.
   */
  readonly first?: readonly string[];
  /** A package that the server needs but the project does not list. */
  readonly adds?: string;
  /** An additional build command, run with the environment's interpreter. */
  readonly builds?: string;
}

/** Returns a file's module name and search path. */
function moduleOf(path: string): { readonly module: string; readonly folder: string } {
  const plain = path.replace(/(?:\/__init__)?\.py$/, "");
  return plain.startsWith("src/")
    ? { module: plain.slice(4).replaceAll("/", "."), folder: "src" }
    : { module: plain.replaceAll("/", "."), folder: "." };
}

async function django(reader: ProjectReader, packages: Packages): Promise<Start | undefined> {
  const text = await reader.readText("manage.py");
  const settings = /DJANGO_SETTINGS_MODULE["'],\s*["']([\w.]+)["']/.exec(text ?? "")?.[1];
  if (settings === undefined) return undefined;
  const site = settings.replace(/\.settings(?:\..+)?$/, "");
  const file = `${settings.replaceAll(".", "/")}.py`;
  const collects = /^STATIC_ROOT\b/m.test(await reader.readText(file) ?? "");
  const isAsync = ["uvicorn", "daphne"].find((name) => packages.names(name));
  const run = isAsync === "uvicorn"
    ? `-m uvicorn ${site}.asgi:application --host "$HOST" --port "$PORT"`
    : isAsync === "daphne"
    ? `-m daphne -b "$HOST" -p "$PORT" ${site}.asgi:application`
    : `-m gunicorn ${site}.wsgi --bind "$HOST:$PORT"`;
  return {
    reason: `manage.py manages the Django project ${site}`,
    entry: "manage.py",
    run,
    ...(isAsync === undefined && !packages.names("gunicorn") ? { adds: "gunicorn" } : {}),
    ...(collects ? { builds: "manage.py collectstatic --noinput" } : {}),
  };
}

/**
 * Finds an app built with an asynchronous framework, and the server that the project lists for it.
 */
async function asgi(reader: ProjectReader, packages: Packages): Promise<Start | undefined> {
  const found = await findIn(reader, CANDIDATES, ASGI);
  if (found === undefined) return undefined;
  const { module, folder } = moduleOf(found.path);
  const app = `${module}:${found.match[1]}`;
  const isHypercorn = packages.names("hypercorn") && !packages.names("uvicorn");
  const run = isHypercorn
    ? `-m hypercorn ${app} --bind "$HOST:$PORT"`
    : `-m uvicorn ${app} --host "$HOST" --port "$PORT"`;
  return {
    reason: `${found.path} creates a ${found.match[2]} app`,
    entry: found.path,
    run: folder === "." || isHypercorn ? run : `${run} --app-dir ${folder}`,
    ...(isHypercorn || packages.names("uvicorn") ? {} : { adds: "uvicorn" }),
  };
}

async function wsgi(reader: ProjectReader, packages: Packages): Promise<Start | undefined> {
  const isFlask = packages.names("flask");
  const found = await findIn(reader, CANDIDATES, WSGI) ??
    (isFlask ? await findIn(reader, CANDIDATES, FACTORY) : undefined);
  if (found === undefined) return undefined;
  const { module, folder } = moduleOf(found.path);
  const [, name, framework = "Flask"] = found.match;
  const isFactory = FACTORY.test(found.match[0]);
  const app = quote(`${module}:${name}${isFactory ? "()" : ""}`);
  const isWaitress = packages.names("waitress") && !packages.names("gunicorn");
  const where = folder === "." ? "" : ` --chdir ${folder}`;
  return {
    reason: `${found.path} creates a ${framework} app`,
    entry: found.path,
    run: isWaitress
      ? `-m waitress --listen="$HOST:$PORT" ${isFactory ? `--call ${module}:${name}` : app}`
      : `-m gunicorn ${app} --bind "$HOST:$PORT"${where}`,
    ...(isWaitress || packages.names("gunicorn") ? {} : { adds: "gunicorn" }),
  };
}

async function streamlit(reader: ProjectReader): Promise<Start | undefined> {
  const found = await findIn(
    reader,
    ["streamlit_app.py", ...CANDIDATES],
    /^\s*import\s+(streamlit)\b/m,
  );
  if (found === undefined) return undefined;
  const options = '--server.address "$HOST" --server.port "$PORT" --server.headless true';
  return {
    reason: `${found.path} imports streamlit`,
    entry: found.path,
    run: `-m streamlit run ${found.path} ${options}`,
  };
}

async function ownServer(reader: ProjectReader): Promise<Start | undefined> {
  const found = await findIn(reader, CANDIDATES, OWN_SERVER);
  if (found === undefined) return undefined;
  const { path, match } = found;
  return { reason: `${path} imports ${match[1]}`, entry: path, run: path };
}

/** Packages of server programs, by the program name that a Procfile uses. */
const SCRIPTS: Readonly<Record<string, string>> = {
  gunicorn: "gunicorn",
  uvicorn: "uvicorn",
  hypercorn: "hypercorn",
  daphne: "daphne",
  flask: "flask",
  streamlit: "streamlit",
  "waitress-serve": "waitress",
};

/**
 * Returns the interpreter's arguments for a command, or `undefined` if the command does not run the
 * interpreter.
 */
function argumentsOf(command: string): string | undefined {
  const [, program = "", rest = ""] = /^(\S+)(.*)$/.exec(command) ?? [];
  const script = SCRIPTS[program];
  if (script !== undefined) return `-m ${script}${rest}`;
  return /^python3?$/.test(program) ? rest.trim() : undefined;
}

async function fromProcfile(reader: ProjectReader): Promise<Start | undefined> {
  const commands = commandsOf(await procfileCommand(reader) ?? "").map(argumentsOf);
  const known = commands.filter((command) => command !== undefined);
  const run = known.at(-1);
  if (run === undefined || known.length < commands.length) return undefined;
  // Server programs from packages listen on loopback, or on the address given in an option. $PORT
  // contains the port.
  return {
    reason: "Procfile specifies the command",
    entry: "Procfile",
    run,
    first: known.slice(0, -1),
  };
}

const NO_PACKAGES: Packages = { file: "", names: () => false, install: "", toolchains: ["python"] };

function planOf(start: Start, packages: Packages): LanguagePlan {
  const { reason, entry, run, first = [], adds, builds } = start;
  const command = [...first.map((each) => `python3 ${each}`), `exec python3 ${run}`].join(" && ");
  if (packages.install === "") {
    return {
      reason,
      entry,
      toolchains: packages.toolchains,
      placements: PLACEMENTS,
      start: command,
    };
  }
  const steps = [
    packages.install,
    ...(adds === undefined ? [] : [`${PIP} ${adds}`]),
    ...(builds === undefined ? [] : [`${PYTHON} ${builds}`]),
    COMPILE,
  ];
  return {
    reason,
    entry,
    toolchains: packages.toolchains,
    placements: PLACEMENTS,
    build: steps.join(" && "),
    start: `export PYTHONUSERBASE="$PWD/.venv" && ${command}`,
  };
}

export const python: Language = {
  id: "python",
  name: "Python",
  files: ["requirements.txt", "pyproject.toml"],
  async plan(reader) {
    const packages = await packagesOf(reader);
    const known = packages ?? NO_PACKAGES;
    const start = await fromProcfile(reader) ??
      (await firstThere(reader, ["manage.py"]) === undefined
        ? undefined
        : await django(reader, known)) ??
      (packages === undefined
        ? undefined
        : await asgi(reader, known) ?? await wsgi(reader, known) ?? await streamlit(reader)) ??
      await ownServer(reader);
    return start === undefined ? undefined : planOf(start, known);
  },
};
