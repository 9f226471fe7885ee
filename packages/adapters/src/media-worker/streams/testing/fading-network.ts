import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';

/** A network between the platform and a server that loses what goes one way without closing anything, as a NAT without its entry does. */
export interface FadingNetwork {
  readonly port: number;
  /** From now on; nothing is kept for later. */
  loses: 'nothing' | 'to-server' | 'to-platform';
}

export async function startFadingNetwork(context: TestContext, serverPort: number): Promise<FadingNetwork> {
  const network = { port: 0, loses: 'nothing' as FadingNetwork['loses'] };
  const proxy = createServer((platform) => {
    const server = connect(serverPort, '127.0.0.1');
    platform.on('data', (bytes) => network.loses !== 'to-server' && server.write(bytes));
    server.on('data', (bytes) => network.loses !== 'to-platform' && platform.write(bytes));
    for (const [one, other] of [
      [platform, server],
      [server, platform],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  context.after(() => proxy.close());
  network.port = (proxy.address() as AddressInfo).port;
  return network;
}
