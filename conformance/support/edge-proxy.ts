import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kamailio } from './kamailio.ts';

export interface EdgeProxyOptions {
  readonly directory: string;
  readonly address: string;
  readonly port: number;
  /** SIP addresses of the servers, the first one preferred. */
  readonly nodes: readonly string[];
  readonly nodeTimeoutMs: number;
  /** The first server that answers, unless given. */
  readonly choice?: 'the first' | 'by Call-ID';
}

/** The shipped configuration with the addresses of a test. */
export async function startEdgeProxy(options: EdgeProxyOptions): Promise<Kamailio> {
  const { directory, nodes, choice = 'the first' } = options;
  const list = join(directory, 'nodes.list');
  await writeFile(list, nodes.map((node, index) => `1 sip:${node} 0 ${nodes.length - index}\n`).join(''));
  const values: Readonly<Record<string, string>> = {
    EDGE_ADDRESS: options.address,
    EDGE_PORT: String(options.port),
    NODES_FILE: list,
    NODE_TIMEOUT: String(options.nodeTimeoutMs),
    NODE_CHOICE: choice === 'the first' ? '8' : '0',
  };
  const shipped = await readFile(join(import.meta.dirname, '../../deploy/kamailio/kamailio.cfg'), 'utf8');
  const configuration = shipped.replace(
    /^(#!substdef "!(\w+)!).*(!g")$/gm,
    (_line, start: string, name: string, end: string) => `${start}${values[name]}${end}`,
  );
  return Kamailio.run(configuration.replace('log_stderror=no', 'log_stderror=yes'));
}
