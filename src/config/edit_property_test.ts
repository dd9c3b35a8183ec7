import assert from "node:assert/strict";
import fc from "fast-check";
import { editProjectConfig, type ProjectConfigChanges } from "./edit_project_config.ts";
import { parseProjectConfig, type ProjectConfig } from "./project_config.ts";

const text = fc.string({ unit: "binary", maxLength: 20 })
  .map((text) => `x${text.replaceAll("\0", "")}`);
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const variable = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });

const declaration = fc.oneof(
  fc.constantFrom("plain" as const, "sensitive" as const),
  fc.record({
    visibility: fc.constantFrom("plain" as const, "sensitive" as const),
    required: fc.boolean(),
  }),
);

const changes: fc.Arbitrary<ProjectConfigChanges> = fc.record({
  project: fc.record({ id: orNull(name), name: orNull(name) }, { requiredKeys: [] }),
  dev: fc.record({
    command: orNull(text),
    port: orNull(fc.integer({ min: 1, max: 65535 })),
    aliases: fc.dictionary(fc.stringMatching(/^[a-z][a-z.:-]{0,4}$/), orNull(text), { maxKeys: 3 }),
  }, { requiredKeys: [] }),
  build: fc.record({
    outputDirs: orNull(fc.array(name, { minLength: 1, maxLength: 4 })),
  }, { requiredKeys: [] }),
  env: fc.record({
    declarations: fc.dictionary(variable, orNull(declaration), { maxKeys: 3 }),
  }, { requiredKeys: [] }),
}, { requiredKeys: [] });

/** Different notations of the same tables, with comments that must be preserved. */
const documents = fc.constantFrom(
  "",
  "# only a comment",
  "# top\n[project] # who\nname = 'a' # name\n\n# dev\n[dev]\nport = 0x10 # port\n\n[dev.aliases]\na = '1' # one\nb = '2'\n\n[build]\noutput_dirs = [\n  'a', # A\n  'b', # B\n] # dirs\n[env.declarations]\nA = 'plain'\n# end\n",
  "project.name = 'a' # name\ndev.port = 1\ndev.aliases.a = 'x' # alias\nbuild.output_dirs = ['a'] # dirs\nenv.declarations.A = 'plain' # A\n",
  "project = { name = 'a', id = 'b' } # project\ndev = { port = 1, aliases = { a = 'x', b = 'y' } } # dev\nenv = { declarations.A.visibility = 'plain' } # env\nbuild = {}\n",
  "[env]\ndeclarations.A = 'plain' # A\n[dev]\naliases = { a = 'x' } # aliases\n[build]\noutput_dirs = ['a',\n 'b'] # dirs\n[project]\n# end",
  "[env.declarations.A] # A\nvisibility = 'plain' # v\n\n[env.declarations.B]\nvisibility = 'sensitive'\nrequired = false # r\n\n# aliases\n[dev.aliases]\na = '''\nmany\n# no comment\nlines''' # a\n[project]\n  name = 'a'\n",
);
const sources = fc.record({ source: documents, isWindows: fc.boolean(), isMarked: fc.boolean() })
  .map(({ source, isWindows, isMarked }) =>
    (isMarked ? "\uFEFF" : "") + (isWindows ? source.replaceAll("\n", "\r\n") : source)
  );

type Plain = Record<string, unknown>;

/** Sets each value of a change, or removes it if it is null. Other values stay unchanged. */
function overlay(before: Plain, change: Plain = {}): Plain {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  const merged = { ...before, ...Object.fromEntries(entries) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

const plain = (map: ReadonlyMap<string, unknown>): Plain => Object.fromEntries(map);

function expected(config: ProjectConfig, changes: ProjectConfigChanges): Plain {
  const { aliases, ...dev } = config.dev;
  const { aliases: changedAliases, ...changedDev } = changes.dev ?? {};
  const declarations = Object.entries(changes.env?.declarations ?? {}).map(([name, value]) =>
    [name, typeof value === "string" ? { visibility: value, required: true } : value] as const
  );
  return {
    project: overlay(config.project, changes.project),
    dev: {
      ...overlay(dev, changedDev),
      aliases: overlay(plain(aliases), changedAliases),
    },
    build: { outputDirs: [], ...overlay({ ...config.build }, withUniqueDirs(changes.build)) },
    server: config.server,
    cron: config.cron,
    queues: config.queues,
    db: config.db,
    env: {
      declarations: overlay(plain(config.env.declarations), Object.fromEntries(declarations)),
    },
  };
}

function withUniqueDirs(build: ProjectConfigChanges["build"] = {}): Plain {
  const { outputDirs } = build;
  return Array.isArray(outputDirs) ? { ...build, outputDirs: [...new Set(outputDirs)] } : build;
}

function parse(source: string): ProjectConfig {
  const { config, diagnostics } = parseProjectConfig(source);
  assert.ok(config !== undefined, JSON.stringify(diagnostics));
  return config;
}

Deno.test("editProjectConfig() changes exactly the given values", () => {
  fc.assert(fc.property(sources, changes, (source, changes) => {
    const { dev, env, ...rest } = parse(editProjectConfig(source, changes));
    const actual = {
      ...rest,
      dev: { ...dev, aliases: plain(dev.aliases) },
      env: { declarations: plain(env.declarations) },
    };
    const wanted = expected(parse(source), changes);
    assert.deepEqual(JSON.parse(JSON.stringify(actual)), JSON.parse(JSON.stringify(wanted)));
  }));
});

Deno.test("editProjectConfig() keeps lines without a changed key, in order", () => {
  fc.assert(fc.property(sources, changes, (source, { project, dev }) => {
    const edited = editProjectConfig(source, { project, db: { branch: "x" }, dev: { port: 9 } });
    const untouched = source.split("\n").filter((line) => !/project|name|id =|dev|port/.test(line));
    let from = 0;
    for (const line of untouched) {
      const at = edited.indexOf(line, from);
      assert.notEqual(at, -1, `${JSON.stringify(line)} is gone, ${JSON.stringify(dev)}`);
      from = at + line.length;
    }
  }));
});

Deno.test("editProjectConfig() changes nothing if the same changes are applied again", () => {
  fc.assert(fc.property(sources, changes, (source, changes) => {
    const once = editProjectConfig(source, changes);
    assert.equal(editProjectConfig(once, changes), once);
  }));
});

Deno.test("parseProjectConfig() never throws, for any text", () => {
  const fragments = fc.constantFrom(
    "[",
    "]",
    "project",
    "dev",
    ".",
    "=",
    "'",
    '"',
    "{",
    "}",
    "\n",
    "1",
  );
  const noise = fc.array(fc.oneof(fragments, fc.string({ unit: "binary", maxLength: 3 })));
  fc.assert(fc.property(noise, (parts) => {
    const { config, diagnostics } = parseProjectConfig(parts.join(""));
    assert.equal(config === undefined, diagnostics.length > 0);
  }));
});
