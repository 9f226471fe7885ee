import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from './config.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const read = (name: string) => readFileSync(join(deploy, name), 'utf8');

interface Part {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
}

const { services, volumes } = parse(read('compose.yaml')) as {
  readonly services: Readonly<Record<string, Part>>;
  readonly volumes: Readonly<Record<string, null>>;
};

const given: Readonly<Record<string, string>> = {
  DOMAIN: 'calls.example.com',
  PUBLIC_ADDRESS: '198.51.100.7',
  POSTGRES_PASSWORD: 'a1b2',
  SECRET_KEY: '0'.repeat(64),
};

/** As the compose specification replaces variables that must be set. */
const filled = (text: string) =>
  text.replace(/\$\{([A-Z_]+):\?\}/g, (_, name: string) => given[name] ?? assert.fail(`${name} is unknown`));

describe('compose.yaml', () => {
  it('configures the server with variables and values that it accepts', () => {
    const environment = Object.entries(services.jackfield!.environment);
    const env = Object.fromEntries(environment.map(([name, value]) => [name, filled(String(value))]));
    const loaded = loadConfig({ env, mode: 'production' });
    assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
    assert.ok(loaded.ok && !loaded.config.sandbox);
    // The grace is longer than the drain, or the host would kill live calls.
    const grace = Number(/^(\d+)s$/.exec(services.jackfield!.stop_grace_period ?? '')?.[1]);
    assert.ok(grace > loaded.config.drainSeconds, `${grace} s`);
  });

  it('needs the variables of .env.example, and no other', () => {
    const used = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const listed = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(used)].sort(), listed.sort());
    assert.deepEqual(listed, Object.keys(given).sort());
  });

  it('keeps what is written in named volumes, and the rest read-only', () => {
    const { jackfield, proxy, database } = services;
    for (const part of [jackfield!, proxy!]) {
      assert.equal(part.read_only, true);
      assert.deepEqual(part.cap_drop, ['ALL']);
    }
    const named = [jackfield!, proxy!, database!]
      .flatMap((part) => part.volumes.map((volume) => volume.split(':')[0]!))
      .filter((name) => !name.startsWith('.'));
    assert.deepEqual(named.sort(), Object.keys(volumes).sort());
    assert.deepEqual(jackfield!.volumes, [`recordings:${dataDirectoryOfImage()}`]);
  });
});

function dataDirectoryOfImage(): string {
  return /JACKFIELD_DATA_DIR=(\S+)/.exec(read('Containerfile'))?.[1] ?? '';
}
