import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { noMounts } from './support/bare-system.ts';
import { missing } from './support/installed.ts';
import { KubernetesApiServer } from './support/kubernetes/api-server.ts';
import { KubernetesNode } from './support/kubernetes/node.ts';
import { enterOwnNetwork } from './support/own-network.ts';
import { blocksRunBy } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');
const [block] = blocksRunBy('docs/operate/kubernetes.md', import.meta.filename);
const [label = '', secret = '', apply = '', available = ''] = block!.text.split(/^(?=kubectl)/m);
const manifest = readFileSync(join(root, 'deploy/kubernetes/jackfield.yaml'), 'utf8');
/** The public address of the manifest is that of the node. Requests to it come from it, and not from loopback. */
const [, address = ''] = /JACKFIELD_PUBLIC_ADDRESS: (\S+)/.exec(manifest) ?? [];

const refusal =
  process.getuid?.() === 0
    ? missing('kubectl', 'openssl', 'setpriv', 'unshare', 'ip') || noMounts()
    : 'needs root';

describe('the commands for Kubernetes', { skip: refusal, timeout: 300_000 }, () => {
  /** An API server with the node `phones-1`, and a shell whose kubectl has it as its cluster. */
  async function createCluster(t: TestContext) {
    const directory = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    const api = await KubernetesApiServer.start();
    const node = new KubernetesNode(api, address, directory);
    t.after(async () => {
      await node.stop();
      await api.stop();
      rmSync(directory, { recursive: true });
    });
    api.create('nodes', { metadata: { name: 'phones-1' } });
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'own', cluster: { server: api.url } }],
      contexts: [{ name: 'own', context: { cluster: 'own', user: '' } }],
      'current-context': 'own',
    };
    writeFileSync(join(directory, 'config'), JSON.stringify(config));
    const env = { PATH: process.env.PATH, HOME: directory, KUBECONFIG: join(directory, 'config') };
    const run = async (commands: string) => {
      const { stdout } = await promisify(execFile)('sh', ['-euc', commands], {
        cwd: root,
        env,
        signal: node.failed,
      });
      return stdout.trim().split('\n');
    };
    return { api, node, run };
  }

  it('have a node of their own network, with the public address', () => {
    const own = enterOwnNetwork();
    assert.ok('ipv6' in own, JSON.stringify(own));
    const { status, stderr } = spawnSync('ip', ['address', 'add', `${address}/32`, 'dev', 'own'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('start a server that becomes available, answers the account of the secret and ends at SIGTERM', async (t) => {
    const { api, node, run } = await createCluster(t);
    const printed = await run(block!.text).catch((error: Error) => {
      error.message += `\n${node.log}`;
      throw error;
    });
    assert.deepEqual(printed, [
      'node/phones-1 labeled',
      'secret/jackfield created',
      'configmap/jackfield created',
      'persistentvolumeclaim/jackfield created',
      'deployment.apps/jackfield created',
      'service/jackfield created',
      'deployment.apps/jackfield condition met',
    ]);
    const { data } = api.get('secrets', 'jackfield')!;
    const secretOf = (name: string) => Buffer.from(data[name], 'base64').toString();
    const authId = secretOf('JACKFIELD_AUTH_ID');
    const url = node.endpointOf(api.get('services', 'jackfield')!, 'http');
    const statusWith = async (token: string) => {
      const authorization = `Basic ${Buffer.from(`${authId}:${token}`).toString('base64')}`;
      return (await fetch(`${url}/v1/Account/${authId}/`, { headers: { authorization } })).status;
    };
    assert.deepEqual(
      [await statusWith(secretOf('JACKFIELD_AUTH_TOKEN')), await statusWith('other')],
      [200, 401],
    );
    for (const { containerPort, protocol } of api.get('deployments', 'jackfield')!.spec.template.spec
      .containers[0].ports)
      if (protocol !== 'UDP') await assertOpen(containerPort);
    assert.equal(await node.stop(), 0, node.log);
  });

  it('start a pod whose service is there before it', async (t) => {
    const { api, node, run } = await createCluster(t);
    await run(`${secret}${apply}`);
    assert.ok(api.get('services', 'jackfield'));
    await run(`${label}${available}`).catch((error: Error) => {
      error.message += `\n${node.log}`;
      throw error;
    });
    assert.equal(await node.stop(), 0, node.log);
  });

  for (const [lacking, given] of [
    ['label of a node', secret],
    ['secret', label],
  ])
    it(`start nothing without the ${lacking}`, async (t) => {
      const { api, run } = await createCluster(t);
      await run(`${given}${apply}`);
      const wait = available.replace(/--timeout=\S+/, '--timeout=1s');
      await assert.rejects(run(wait), /timed out waiting for the condition/);
      assert.equal(api.get('deployments', 'jackfield')?.status, undefined);
    });

  it('are refused by kubectl with a misspelt field, and by the API server where kubectl does not look', async (t) => {
    const { api, run } = await createCluster(t);
    const misspelt = `sed s/readinessProbe/readynessProbe/ deploy/kubernetes/jackfield.yaml | kubectl apply -f -`;
    await assert.rejects(
      run(misspelt),
      /unknown field "readynessProbe" in io\.k8s\.api\.core\.v1\.Container/,
    );
    assert.deepEqual(api.list('deployments'), []);
    await assert.rejects(run(`${misspelt} --validate=false`), /BadRequest.*readynessProbe/s);
  });
});

/** Rejects unless a program listens there. */
async function assertOpen(port: number): Promise<void> {
  const socket = connect(port, address);
  await once(socket, 'connect');
  socket.destroy();
}
