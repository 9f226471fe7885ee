import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { loadConfig } from '@jackfield/server/src/config.ts';
import type { ClusterServers } from './cluster.ts';
import type { Snippet } from './snippets.ts';

type Environment = Readonly<Record<string, string>>;

/** Stands in for npm, and prints the variables that `npm start` would get. */
const npm = `npm() { test "$*" = start; node -p 'JSON.stringify(process.env)'; }`;

/**
 * Pastes the block that starts two nodes into a shell, with the addresses of these servers, and gives the variables of each node. They are
 * those of the page but for ports and directories: the usual ones of a machine belong to no test.
 */
export async function nodesStartedBy(
  { text }: Snippet,
  { postgres, nats }: ClusterServers,
): Promise<readonly Environment[]> {
  const commands = text
    .replace(/(?<=DATABASE_URL=)\S+/, await postgres.createDatabase())
    .replace(/(?<=NATS_URL=)\S+/, `nats://${nats.address}`);
  // Two prints at once could mix their bytes: each begins when the one before has ended.
  const script = ['set -eu', npm, commands.replaceAll(/ &$/gm, ' & wait $!')].join('\n');
  const env = { PATH: process.env.PATH };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const nodes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Environment);
  assertApart(nodes);
  return nodes.map((node) => {
    const isShared = ([name]: [string, string]) => /^JACKFIELD_(?:DATABASE|NATS|SECRET|NODE)/.test(name);
    return Object.fromEntries(Object.entries(node).filter(isShared));
  });
}

/** Nodes of one machine have no port and no directory in common. */
function assertApart(nodes: readonly Environment[]): void {
  const used = nodes.flatMap((env) => {
    const loaded = loadConfig({ env, mode: 'dev' });
    assert.ok(loaded.ok, JSON.stringify(loaded.ok ? [] : loaded.problems));
    const { http, sip, rtpPorts, webrtcPort, dataDir } = loaded.config;
    return [http.port, sip.port, rtpPorts.first, webrtcPort, dataDir];
  });
  assert.equal(new Set(used).size, used.length, JSON.stringify(used));
}
