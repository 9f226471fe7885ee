import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { PlatformProcess } from '../platform-process.ts';
import type { BrowserPage, PageOptions } from './browser-page.ts';
import type { HeardPage } from './heard-page.ts';
import type { PhoneAccount } from './phone-account.ts';

/** The domain of the phones of pages. */
export const phoneDomain = 'sip.localhost';

/** A page whose phone is registered. */
export interface BrowserPhone<Page extends HeardPage = BrowserPage> {
  readonly page: Page;
  readonly username: string;
  readonly endpointId: string;
  readonly account: PhoneAccount;
}

/** Creates an endpoint and opens a page whose phone registers with it; `url` is another way to the platform's WebSocket. */
export async function browserPhone<Page extends HeardPage>(
  browser: { open(options: PageOptions): Promise<Page> },
  platform: PlatformProcess,
  name: string,
  options: PageOptions & { readonly url?: string },
): Promise<BrowserPhone<Page>> {
  const password = `secret-of-${name}`;
  const { username, endpointId } = await platform.createEndpoint(name, password);
  const account = { url: options.url ?? webSocketUrl(platform), username, password, domain: phoneDomain };
  const page = await browser.open(options);
  await page.run('start', account);
  await page.reports.until('the registration', ({ type }) => type === 'registered');
  return { page, username, endpointId, account };
}

export function webSocketUrl(platform: PlatformProcess): string {
  return `${platform.httpUrl.replace(/^http/, 'ws')}/sip`;
}

/** A port whose connections go on to the HTTP port of a platform until a test cuts them. */
export class CuttablePort {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The address that new connections seem to come from, all of loopback. */
  from = '127.0.0.1';
  /** What pages send from now on is lost, until their connections are cut. */
  isDeaf = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect({ port: target, host: '127.0.0.1', localAddress: this.from });
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('data', (chunk: Buffer) => {
          if (socket !== near || !this.isDeaf) other.write(chunk);
        });
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  static async open({ httpUrl }: Pick<PlatformProcess, 'httpUrl'>): Promise<CuttablePort> {
    const port = new CuttablePort(Number(new URL(httpUrl).port));
    port.#server.listen(0, '127.0.0.1');
    await once(port.#server, 'listening');
    return port;
  }

  /** Closed after the test. */
  static async openFor(t: TestContext, platform: Pick<PlatformProcess, 'httpUrl'>): Promise<CuttablePort> {
    const port = await CuttablePort.open(platform);
    t.after(() => port.close());
    return port;
  }

  /** Of the platform's WebSocket through this port. */
  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/sip`;
  }

  /** Ends all connections without a goodbye; new ones are accepted. */
  cut(): void {
    this.isDeaf = false;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
