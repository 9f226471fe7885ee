import assert from 'node:assert/strict';
import type { Clock } from '@jackfield/ports';
import type { NetworkAddress, SimulatedNetwork } from './simulated-network.ts';
import { SimulatedPhone } from './simulated-phone.ts';
import type { ApiAnswer } from './simulated-platform.ts';

/** A phone of the world: its tone is the given one, or the next free one from 900 Hz up. */
export interface NewPhone {
  readonly toneHz?: number;
  readonly toneDb?: number;
  readonly isSecure?: boolean;
  /** Its ports receive only from those to which they have sent. */
  readonly isBehindNat?: boolean;
  /** The number of the node to which it is connected; a random one when absent. */
  readonly node?: number;
}

export interface NewRegisteredPhone extends NewPhone {
  /** The subaccount of its endpoint; the main account when absent. */
  readonly subaccount?: string;
}

export interface NewGateway extends NewPhone {
  /** The port of its signalling, 5060 when absent. */
  readonly port?: number;
  /** Its answer to challenges, with its name as username. */
  readonly password?: string;
}

export interface SimulatedPhonesDeps {
  readonly clock: Clock;
  readonly network: SimulatedNetwork;
  readonly random: () => number;
  readonly domain: string;
  /** The address of the node with this number, or that to which the next phone is connected. */
  registrar(node?: number): NetworkAddress;
  api(method: 'POST', path: string, body: object): Promise<ApiAnswer>;
  until(what: string, condition: () => boolean, limitMs: number): Promise<void>;
}

/** The phones of a simulated world, and the gateways of carriers. */
export interface SimulatedPhones {
  readonly all: readonly SimulatedPhone[];
  /** Creates an endpoint and a phone that is registered as it. */
  registered(name: string, options?: NewRegisteredPhone): Promise<SimulatedPhone>;
  /** A phone at this address that has no endpoint: it registers nowhere, and answers what is sent there. */
  unregistered(name: string, address: string, options?: NewGateway): SimulatedPhone;
  close(): void;
}

export function createSimulatedPhones(deps: SimulatedPhonesDeps): SimulatedPhones {
  const all: SimulatedPhone[] = [];

  function added(username: string, address: string, options: NewGateway): SimulatedPhone {
    const { toneHz = 900 + 350 * all.length, password = '', isBehindNat = false, node, ...rest } = options;
    if (isBehindNat) deps.network.putBehindNat(address);
    const phone = new SimulatedPhone({
      ...deps,
      ...rest,
      registrar: deps.registrar(node),
      address,
      username,
      password,
      toneHz,
    });
    all.push(phone);
    return phone;
  }

  return {
    all,
    async registered(name, { subaccount, ...options } = {}) {
      const password = `secret of ${name}`;
      const path = subaccount === undefined ? 'Endpoint/' : `/v1/Account/${subaccount}/Endpoint/`;
      const { status, body } = await deps.api('POST', path, { username: name, password, alias: name });
      assert.equal(status, 201, JSON.stringify(body));
      const phone = added(body.username, `10.0.1.${all.length + 1}`, { ...options, password });
      phone.register();
      await deps.until(`${name} is registered`, () => phone.registration !== undefined, 40_000);
      assert.equal(phone.registration, 200);
      return phone;
    },
    unregistered: (name, address, options = {}) => added(name, address, options),
    close() {
      for (const phone of all) phone.close();
    },
  };
}
