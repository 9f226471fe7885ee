import assert from 'node:assert/strict';
import { before } from 'node:test';
import {
  type Caller,
  eventStreamOf,
  type OpenDatabase,
  openSimulatedWorld,
  type SimulatedMessageGateway,
  type SimulatedWorld,
  type SimulatedWorldOptions,
  worldOfSuite,
} from '@jackfield/testkit';

export const recipient = '+14155552671';

export interface VerifyWorldOptions extends Pick<SimulatedWorldOptions, 'interpose' | 'loggedErrors'> {
  /** Messages leave through this gateway; into the inbox of the sandbox when absent. */
  readonly gateway?: SimulatedMessageGateway;
}

const codesExpireMs = 10 * 60_000;
const receiptsWaitMs = 3_600_000;

export type VerifyWorld = ReturnType<typeof verifyAs>;

/** A simulated world of its own, with requests about verifications. */
export async function openVerifyWorld(
  open: OpenDatabase,
  options: VerifyWorldOptions = {},
): Promise<VerifyWorld> {
  open.beforeClose(async ({ passed }) => {
    if (passed) await assertAllClose(verify, options);
  });
  const world = await openSimulatedWorld(worldOptions(open, options));
  const verify = verifyAs(world, world.main, options);
  return verify;
}

/** One world for the tests of a suite: each call gives a new account in it. */
export function verifyOfSuite(
  open: OpenDatabase,
  options: VerifyWorldOptions = {},
): () => Promise<VerifyWorld> {
  before(() => {
    open.beforeClose(async ({ passed }) => {
      if (passed) await assertAllClose(verifyAs(world(), world().main, options), options);
    });
  });
  const world = worldOfSuite(worldOptions(open, options));
  return async () => {
    const lastEvent = (await eventStreamOf(world())).at(-1)?.id;
    return verifyAs(world(), await world().subaccount(), options, lastEvent);
  };
}

/**
 * Codes expire after 10 minutes; after that a session waits an hour for the receipts of its messages. To a platform on PostgreSQL an hour is
 * thousands of transactions, so only the tests over the embedded database take the census.
 */
async function assertAllClose(
  { world, sessions }: VerifyWorld,
  { gateway }: VerifyWorldOptions,
): Promise<void> {
  if (world.node.database.dialect === 'postgres') return;
  for (const index of gateway?.orders.keys() ?? []) {
    gateway?.receipt({ message: `m-${index + 1}`, status: 'delivered', errorCode: null });
  }
  for (const ms of [codesExpireMs, receiptsWaitMs]) if (sessions() > 0) await world.advance(ms);
  await world.assertNothingLeft();
}

function worldOptions(
  database: OpenDatabase,
  { gateway, ...options }: VerifyWorldOptions,
): SimulatedWorldOptions {
  const settings = gateway === undefined ? {} : { settings: { sms: [gateway.linked] } };
  return { ...options, ...settings, database, phones: 'none', census: 'by-test' };
}

/** Requests of an account, and what they bring about. */
function verifyAs(world: SimulatedWorld, account: Caller, { gateway }: VerifyWorldOptions, since = '0-0') {
  const dialledBefore = world.telephony.dialled.length;
  const start = (body: object = {}, as = account) =>
    world.call('POST', 'Verify/Session/', { body: { recipient, ...body }, as });
  const get = (path: string, as = account) => world.call('GET', path, { as });
  const sentTo = (to: string) => gateway?.orders.findLast((order) => order.to === to);

  return {
    world,
    account,
    start,
    get,
    /** Starts a session that must succeed; resolves with its UUID. */
    async begin(body?: object, as?: Caller): Promise<string> {
      const answer = await start(body, as);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body.session_uuid;
    },
    check: (session: string, otp: string | number, as = account) =>
      world.call('POST', `Verify/Session/${session}/`, { body: { otp }, as }),
    /** The code in the newest message to a number. */
    async codeFor(to = recipient): Promise<string> {
      const text =
        gateway === undefined
          ? (await get(`Sandbox/Message/?to=${encodeURIComponent(to)}`)).body.objects[0]?.text
          : sentTo(to)?.text;
      return /\d{4,8}/.exec(text ?? '')?.[0] ?? '';
    },
    /** Events of the verifications of this account, the oldest first. */
    async events() {
      const stream = await eventStreamOf(world, since);
      return stream.filter((each) => each.type.startsWith('verify.') && each.account === account.authId);
    },
    /** Calls to recipients, in the order of dialling. */
    dialled: () => world.telephony.dialled.slice(dialledBefore),
    /** Verifications of all accounts that have not closed. */
    sessions: () => world.node.platform.runner.census().verify?.sessions ?? 0,
  };
}
