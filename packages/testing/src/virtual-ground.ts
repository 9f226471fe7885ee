import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CustomerRequest,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit/for-customers';
import type { Faults } from './faults.ts';
import type { Ground, Line } from './ground.ts';
import { type ProgramRunner, programRequest } from './program.ts';
import { TestingError } from './testing-error.ts';
import { createVirtualMessages } from './virtual-messages.ts';
import { virtualRecognition } from './virtual-recognition.ts';
import { fileNamed, virtualSounds } from './virtual-sounds.ts';

export interface VirtualGroundOptions {
  readonly seed: number;
  readonly program: ProgramRunner;
  /** The URL of a program that runs as a server. */
  readonly programUrl: string | undefined;
  /** The faults, once they exist. */
  readonly faults: () => Faults;
}

/** A platform of its own on a virtual clock. */
export async function openVirtualGround(options: VirtualGroundOptions): Promise<Ground> {
  const numbers = new Map<string, string>();
  const messages = createVirtualMessages({
    clock: () => world.clock,
    faults: options.faults,
    touched: () => void world.advance(0),
  });
  const world: SimulatedWorld = await openSimulatedWorld({
    seed: options.seed,
    carriers: [carrier],
    sounds: virtualSounds,
    recognition: virtualRecognition,
    numbers: {
      targetsFor(number) {
        const address = numbers.get(number);
        return address === undefined ? undefined : [{ uri: `sip:${number}@${address}` }];
      },
    },
    settings: { sms: messages.gateways, docs: false },
  });
  const { program, faults, programUrl = 'https://program.test' } = options;
  world.customer.serveOthers((request) => received(request, program, faults()));
  let apps = 0;
  let url: string | undefined;

  return {
    clock: world.clock,
    account: world.main,
    programUrl,
    losePackets: (lossRate) => world.network.impair({ lossRate }),
    wait: (ms) => world.advance(ms),
    async until(condition, limitMs) {
      await world.advance(0);
      for (const limit = world.now() + limitMs; !condition(); await world.advance(stepMs)) {
        if (world.now() >= limit) return false;
      }
      return true;
    },
    api: (method, path, body) => world.api(method, path, body),
    async listen() {
      const { http } = world.node.platform;
      if (url === undefined) {
        await http.listen({ host: '127.0.0.1', port: 0 });
        letProcessEnd(http.server);
        url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
      }
      return url;
    },
    async openPhone(number) {
      const address = `10.0.3.${numbers.size + 1}`;
      numbers.set(number, address);
      return { ...lineOf(world.gateway(number, address, silent)), to: number, isCarried: true };
    },
    async openEndpoint(name) {
      const phone = await world.phone(name, silent);
      return { ...lineOf(phone), to: `sip:${phone.username}@${domain}`, isCarried: false };
    },
    async openApp(fields) {
      const { app_id: id } = await made(world, 'Application/', { app_name: `app-${++apps}`, ...fields });
      const number = `+1202555${String(2000 + apps)}`;
      await made(world, 'Number/', { number, app_id: id });
      return { id, number };
    },
    messages: async (to) => messages.to(to),
    async close() {
      messages.close();
      await world.close();
    },
  };
}

/** Conditions are looked at this often: a step costs more than the time in it. */
const stepMs = 100;
const domain = 'sip.example.com';
const silent = { toneDb: -200 };

/** Phones of the public network call through this carrier; calls to them need none. */
const carrier = {
  name: 'world',
  host: '10.0.2.1',
  addresses: ['10.0.3.0/24'],
  prefixes: [{ prefix: '999999' }],
  caps: { concurrent_calls: 100_000 },
  probe_seconds: 0,
};

/** A test that forgets to close its world ends all the same: the server holds its process for a request alone. */
function letProcessEnd(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
  server.on('request', ({ socket }, response) => {
    socket.ref();
    response.once('close', () => socket.unref());
  });
}

function lineOf(phone: Line['phone']): Pick<Line, 'phone' | 'dial' | 'reachable'> {
  return { phone, dial: (user) => phone.dial(user), reachable: async () => {} };
}

async function made(world: SimulatedWorld, path: string, fields: object) {
  const { status, body } = await world.api('POST', path, fields);
  if (status < 300) return body;
  throw new TestingError('api-refused', `POST ${path} was answered with ${status}: ${JSON.stringify(body)}`);
}

/** A request of the platform: a fault of the receiver comes first, then the program. */
async function received(request: CustomerRequest, program: ProgramRunner, faults: Faults) {
  if (faults.isOn('receiver-down')) {
    const sentence = 'the receiver is down: its port is closed';
    return { problem: { kind: 'unreachable' as const, sentence } };
  }
  if (faults.isOn('receiver-error')) return { status: 500 };
  const { method, fullUrl, headers, body } = request;
  const answer = await program.answer(programRequest(method, fullUrl, headers, body));
  const afterMs = faults.lateMs('receiver-slow');
  const late = afterMs === 0 ? {} : { afterMs };
  const isSound = request.method === 'GET' && !('X-Service-Signature-V3' in headers);
  if (isSound && answer.status === 200) return { status: 200, body: fileNamed(fullUrl), ...late };
  return { status: answer.status, body: answer.body, ...late };
}
