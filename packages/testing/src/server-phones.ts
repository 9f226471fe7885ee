import { randomBytes } from 'node:crypto';
import type { Clock } from '@jackfield/ports';
import { type NetworkAddress, SimulatedPhone } from '@jackfield/testkit/phones';
import type { Line } from './ground.ts';
import type { ServerApi } from './server-api.ts';
import { openTrunk, openWayTo, type WayOfNumbers } from './server-trunks.ts';
import { TestingError } from './testing-error.ts';
import type { UdpNetwork } from './udp-network.ts';

export interface ServerPhonesDeps {
  readonly api: ServerApi;
  readonly clock: Clock;
  readonly network: UdpNetwork;
  readonly registrar: NetworkAddress;
  addNumber(number: string, fields: object): Promise<void>;
}

/** Real phones of a world: those of the public network reach the server through trunks, the others register. */
export interface ServerPhones {
  openPhone(number: string): Promise<Line>;
  openEndpoint(name: string): Promise<Line>;
  close(): void;
}

interface Identity {
  readonly username: string;
  readonly password: string;
  readonly domain: string;
}

/** Each call takes one, and its successor is opened meanwhile. */
const freePorts = 8;
const registrationMs = 40_000;

export function createServerPhones(deps: ServerPhonesDeps): ServerPhones {
  const { api, clock, network } = deps;
  const all: SimulatedPhone[] = [];
  const free: number[] = [];
  let trunk: Promise<WayOfNumbers> | undefined;
  let isClosed = false;

  async function refill(): Promise<void> {
    const { port } = await network.reserve();
    if (isClosed) network.close();
    else free.push(port);
  }

  function rtpPort(): number {
    const port = free.shift();
    if (port === undefined)
      throw new TestingError('no-phone', `${freePorts} calls began at the same moment.`);
    // Without a port the next call fails with a sentence.
    void refill().catch(() => {});
    return port;
  }

  async function opened({ username, password, domain }: Identity): Promise<SimulatedPhone> {
    while (free.length < freePorts) await refill();
    const { address, port } = await network.reserve();
    const phone = new SimulatedPhone({
      clock,
      network,
      address,
      port,
      registrar: deps.registrar,
      domain,
      username,
      password,
      toneHz: 1000,
      toneDb: silentDb,
      random: Math.random,
      rtpPort,
    });
    all.push(phone);
    return phone;
  }

  return {
    async openPhone(number) {
      trunk ??= openTrunk(api);
      const way = await trunk;
      const phone = await opened(way);
      let reached: Promise<void> | undefined;
      return {
        phone,
        to: number,
        isCarried: true,
        dial: (user) => phone.dial(user, { ...way, from: number }),
        reachable() {
          reached ??= openWayTo(api, number, phone.signalsAt).then((fields) =>
            deps.addNumber(number, fields),
          );
          return reached;
        },
      };
    },
    async openEndpoint(name) {
      const password = randomBytes(12).toString('hex');
      const { username, endpoint_id } = await api.done('POST', 'Endpoint/', {
        username: name,
        password,
        alias: name,
      });
      const { sip_uri: uri } = await api.done('GET', `Endpoint/${endpoint_id}/`);
      const domain = uri.slice(uri.indexOf('@') + 1);
      const phone = await opened({ username, password, domain });
      phone.register();
      await registered(deps, name, phone);
      return {
        phone,
        to: uri,
        isCarried: false,
        dial: (user) => phone.dial(user),
        reachable: async () => {},
      };
    },
    close() {
      isClosed = true;
      for (const phone of all) phone.close();
    },
  };
}

const silentDb = -200;

async function registered(
  { clock, registrar }: ServerPhonesDeps,
  name: string,
  phone: SimulatedPhone,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const limit = clock.now() + registrationMs;
    const look = () => {
      if (phone.registration !== undefined || clock.now() > limit) resolve();
      else clock.startTimer(clock.now() + 10, look);
    };
    look();
  });
  if (phone.isRegistered) return;
  const { address, port } = registrar;
  throw new TestingError(
    'server-unreachable',
    `${name} could not register at ${address}:${port} over UDP (${phone.registration ?? 'no answer'}): correct the SIP address of the server, server.sip or JACKFIELD_TEST_SIP.`,
  );
}
