import type { LiveEvent } from '@jackfield/contract';
import {
  type ApiAnswer,
  type Caller,
  createFailingCommits,
  eventStreamOf,
  type FailingCommits,
  type OpenDatabase,
  openSimulatedWorld,
  type SimulatedWorld,
  type SimulatedWorldOptions,
} from '@jackfield/testkit';
import { add, join, memberOf } from './rooms.ts';

/** A file or a text that the media engine plays now. */
export interface Playing {
  readonly to: readonly string[];
  /** The text, or the frequency of the file in Hz. */
  readonly sound: string | number;
  readonly loop: boolean;
  /** Its listeners hear nothing else. */
  readonly alone: boolean;
}

/** Requests about multiparty calls, and what their legs hear. */
interface Words {
  /** Adds over HTTP, and its phone is dialled; gives the call UUID. */
  add(name: string, fields?: object, as?: Caller): Promise<string>;
  /** Adds, and the phone answers. */
  join(name: string, fields?: object, as?: Caller): Promise<string>;
  get(path: string, as?: Caller): Promise<ApiAnswer>;
  post(path: string, body?: object, as?: Caller): Promise<ApiAnswer>;
  remove(path: string, as?: Caller): Promise<ApiAnswer>;
  /** member_id of a call UUID in a live call. */
  memberOf(name: string, callUuid: string): Promise<string>;
  /** Leg → the legs that it hears; undefined while the call has no mix. */
  hearing(mpcUuid: string): Readonly<Record<string, readonly string[]>> | undefined;
  /** In the order of their beginning. */
  playing(): readonly Playing[];
  /** Whether the platform has hung this leg up. */
  isHungUp(leg: string): boolean;
  /** `<code> <name>, <source>` of the end of a call; null while it lives, or was never dialled. */
  endOf(leg: string): Promise<string | null>;
  /** The events of the account and its subaccounts, the oldest first. */
  events(): Promise<readonly LiveEvent[]>;
  /** The next so many commits fail, as with a full disk, or those after the first that still succeed. */
  failCommits: FailingCommits['fail'];
}

export type MultipartyWorld = SimulatedWorld & Words;

/** The simulated world without phones, in which a test moves the legs of multiparty calls. */
export async function openMultipartyWorld(
  open: OpenDatabase,
  options: SimulatedWorldOptions = {},
): Promise<MultipartyWorld> {
  let failing: FailingCommits | undefined;
  const world = await openSimulatedWorld({
    database: open,
    phones: 'none',
    interpose(database) {
      failing = createFailingCommits(database);
      return failing.database;
    },
    ...options,
  });
  return withWords(world, (...which) => failing?.fail(...which));
}

/** `node` and `telephony` change with a restart, so the words inherit from the world. */
function withWords(world: SimulatedWorld, failCommits: Words['failCommits']): MultipartyWorld {
  const words: Words = {
    add: (...participant) => add(world, ...participant),
    join: (...participant) => join(world, ...participant),
    memberOf: (...participant) => memberOf(world, ...participant),
    get: (path, as = world.main) => world.call('GET', path, { as }),
    post: (path, body = {}, as = world.main) => world.call('POST', path, { body, as }),
    remove: (path, as = world.main) => world.call('DELETE', path, { as }),
    hearing: (mpcUuid) => world.node.media.orders.hearing(mpcUuid),
    playing: () => playingIn(world),
    isHungUp: (leg) => world.telephony.orders.some((order) => order.startsWith(`hang up ${leg}`)),
    async endOf(leg) {
      const { status, body } = await world.api('GET', `Call/${leg}/`);
      if (status === 404) return null;
      const { hangup_cause_code: code, hangup_cause_name: name, hangup_source: source } = body;
      return code === null ? null : `${code} ${name}, ${source}`;
    },
    events: () => eventStreamOf(world),
    failCommits,
  };
  return Object.assign(Object.create(world) as SimulatedWorld, words);
}

function playingIn({ node }: SimulatedWorld): readonly Playing[] {
  return node.media.orders.plays.flatMap(({ to, sound, loop, alone = false }) =>
    sound.kind === 'clip'
      ? [{ to, sound: node.speechIn(sound.name)?.text ?? hzOf(node, sound.name), loop, alone }]
      : [],
  );
}

/** Half of the changes of sign in a second, rounded to tens. */
function hzOf({ media }: SimulatedWorld['node'], name: string): number {
  const { samples, sampleRate } = media.clipOf(name) ?? { samples: new Int16Array(), sampleRate: 1 };
  const changes = samples.filter((sample, at) => at > 0 && sample < 0 !== samples[at - 1]! < 0).length;
  return Math.round((changes * sampleRate) / (2 * samples.length) / 10) * 10;
}
