import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { setTimeout as passed } from 'node:timers/promises';
import { createSystemClock } from '@jackfield/testkit/phones';
import { shownMs } from './duration.ts';
import type { Faults } from './faults.ts';
import type { Ground } from './ground.ts';
import type { ProgramRunner } from './program.ts';
import { openProgramServer } from './program-server.ts';
import { type AccountOfServer, createServerApi, type ServerApi } from './server-api.ts';
import { messagesOfServer } from './server-messages.ts';
import type { ServerAt } from './server-options.ts';
import { createServerPhones } from './server-phones.ts';
import { TestingError } from './testing-error.ts';
import { createUdpNetwork } from './udp-network.ts';

export interface ServerGroundOptions {
  readonly server: ServerAt;
  readonly program: ProgramRunner;
  /** The URL of a program that runs as a server. */
  readonly programUrl: string | undefined;
  /** The faults, once they exist. */
  readonly faults: () => Faults;
}

/** Longer waits are for a clock that can be moved. */
const longestWaitMs = 60_000;
const pollMs = 10;

/** A server that runs, over its HTTP interface and SIP. The world has a subaccount of its own, which its end deletes. */
export async function openServerGround(options: ServerGroundOptions): Promise<Ground> {
  const { server, program, programUrl, faults } = options;
  const main = createServerApi(server, server);
  const clock = createSystemClock({ keepsProcessAlive: true });
  const sip = { address: await addressOf(server.sip.host), port: server.sip.port };
  const host = server.host ?? (await ownAddress(sip.address, sip.port));
  const network = createUdpNetwork(host);
  const programServer = await openProgramServer({ program, programUrl, host, faults });
  const account = await subaccountOf(main).catch(async (error: unknown) => {
    await programServer.close();
    throw error;
  });
  const api = createServerApi(server, account);
  const numbers: string[] = [];
  const phones = createServerPhones({ api, clock, network, registrar: sip, addNumber });
  let apps = 0;

  /** Numbers belong to main accounts, which give them to subaccounts. */
  async function addNumber(number: string, fields: object): Promise<void> {
    const { status, body } = await main.send('POST', 'Number/', {
      number,
      alias: 'test world',
      subaccount: account.authId,
    });
    if (status === 409) {
      throw new TestingError(
        'bad-number',
        `${number} belongs to another world, which runs or did not end: use another number, or DELETE Number/${number}/.`,
      );
    }
    if (status >= 300)
      throw new TestingError(
        'api-refused',
        `POST Number/ was answered with ${status}: ${JSON.stringify(body)}`,
      );
    numbers.push(number);
    await api.done('POST', `Number/${number}/`, fields);
  }

  return {
    clock,
    account,
    programUrl: programServer.url,
    losePackets: (rate) => network.losePackets(rate),
    async wait(ms) {
      if (ms <= longestWaitMs) return passed(ms);
      throw new TestingError(
        'clock-not-virtual',
        `The wait is ${shownMs(ms)}, and the clock of a server cannot be moved: wait ${shownMs(longestWaitMs)} at most, or skip the test with skippedOnServer(reason).`,
      );
    },
    async until(condition, limitMs) {
      for (const limit = clock.now() + limitMs; !condition(); await passed(pollMs)) {
        if (clock.now() >= limit) return false;
      }
      return true;
    },
    api: (method, path, body) => api.send(method, path, body),
    listen: async () => server.url,
    openPhone: (number) => phones.openPhone(number),
    openEndpoint: (name) => phones.openEndpoint(name),
    async openApp(fields) {
      const { app_id: id } = await api.done('POST', 'Application/', { app_name: `app-${++apps}`, ...fields });
      const number = `+88210${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`;
      await addNumber(number, { app_id: id });
      return { id, number };
    },
    messages: (to) => messagesOfServer(api, to, { clock, faults: faults() }),
    async close() {
      phones.close();
      network.close();
      await programServer.close();
      for (const number of numbers) await main.send('DELETE', `Number/${number}/`);
      await main.done('DELETE', `Subaccount/${account.authId}/`, { cascade: true });
    },
  };
}

async function subaccountOf(main: ServerApi): Promise<AccountOfServer> {
  const made = await main.done('POST', 'Subaccount/', { name: 'test world', enabled: true });
  return { authId: made.auth_id, authToken: made.auth_token };
}

async function addressOf(host: string): Promise<string> {
  return isIP(host) === 0 ? (await lookup(host, { family: 4 })).address : host;
}

/** The address of this machine on the way to the server: connecting a UDP socket sends nothing, and chooses the route. */
async function ownAddress(address: string, port: number): Promise<string> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(port, address, resolve);
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
