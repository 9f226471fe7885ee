import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '@jackfield/ports';
import {
  answeredCall,
  conversation,
  createFailingCommits,
  databaseUnavailable,
  eachDatabase,
  type FailingCommits,
  openSimulatedWorld,
  type SimulatedWorld,
  toneFile,
  worldOfSuite,
} from '@jackfield/testkit';
import { clipsOf, documentsOf, endOf, requestsTo, response, spoken } from './testing/documents.ts';

const answer = 'https://example.com/answer';
const order = { from: '+12025550199', to: '+12025550100', answer_url: answer };
const hold = '<Speak loop="0">Hello</Speak>';

/** Whether the platform hangs up the leg. */
const isHungUp = ({ telephony }: SimulatedWorld, leg: string) =>
  telephony.orders.some((each) => each.startsWith(`hang up ${leg}`));

eachDatabase('Calls that are made over HTTP', (open) => {
  test('a call is fired, and its document is fetched when it is answered', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const ring_url = 'https://example.com/ring';
    world.customer.serve(answer, response('<Speak>Hello</Speak>'));
    const fired = await world.api('POST', 'Call/', {
      ...order,
      caller_name: 'Desk',
      ring_url,
      ring_method: 'GET',
      send_digits: 'ww1',
      send_on_preanswer: 'True',
      sip_headers: 'Ticket=4711,X-PH-Queue=sales',
      time_limit: '60',
    });
    assert.equal(fired.status, 201);
    const { api_id, ...body } = fired.body;
    const { leg, spec } = world.telephony.dialled[0]!;
    assert.deepEqual(body, { message: 'call fired', request_uuid: leg });
    assert.deepEqual(spec, {
      from: '+12025550199',
      to: '+12025550100',
      callerName: 'Desk',
      ringTimeoutSeconds: 120,
      timeLimitSeconds: 60,
      sipHeaders: { Ticket: '4711', Queue: 'sales' },
      sendDigits: 'ww1',
      sendOnPreanswer: true,
    });
    world.telephony.startRinging(leg);
    await world.advance(100);
    assert.deepEqual(
      world.customer.requests.map(({ url, method }) => [url, method]),
      [[ring_url, 'GET']],
    );
    world.telephony.pickUp(leg);
    await world.advance(100);
    assert.deepEqual(requestsTo(world, answer)[0]?.fields, {
      CallUUID: leg,
      RequestUUID: leg,
      ALegUUID: leg,
      ALegRequestUUID: leg,
      From: '+12025550199',
      To: '+12025550100',
      CallerName: 'Desk',
      Direction: 'outbound',
      CallStatus: 'in-progress',
      Event: 'StartApp',
      ParentAuthID: world.main.authId,
      SessionStart: '2026-01-01 00:00:00.000000',
      BillRate: '0.00000',
    });
    assert.deepEqual(clipsOf(world), [[leg, spoken('Hello')]]);
    await world.advance(500);
    assert.equal(await endOf(world, leg), '4010 Answer XML');
    const [, hangup] = requestsTo(world, answer);
    assert.deepEqual([hangup?.method, hangup?.fields.Event], ['POST', 'Hangup']);
    assert.equal(documentsOf(world), 0);
  });

  test('a transfer replaces the running document', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const other = 'https://example.com/other';
    world.customer.serve(answer, response(hold));
    world.customer.serve(other, response('<Play>https://example.com/a.mp3</Play>'));
    world.customer.serve('https://example.com/a.mp3', { status: 200, body: toneFile(500, 400) });
    const leg = (await world.api('POST', 'Call/', order)).body.request_uuid;
    world.telephony.pickUp(leg);
    await world.advance(100);
    const moved = await world.api('POST', `Call/${leg}/`, { aleg_url: other, aleg_method: 'GET' });
    assert.equal(moved.status, 202);
    const { api_id: _, ...body } = moved.body;
    assert.deepEqual(body, { message: 'call transfered', call_uuids: [leg] });
    assert.deepEqual(clipsOf(world), []);
    await world.advance(100);
    const [asked] = requestsTo(world, other);
    assert.deepEqual([asked?.method, asked?.fields.Event, asked?.fields.CallUUID], ['GET', 'Redirect', leg]);
    assert.equal(requestsTo(world, 'https://example.com/a.mp3').length, 1);
    assert.deepEqual(clipsOf(world), [[leg, 'a file']]);
  });
});

describe('The rules of calls that are made over HTTP', () => {
  const suite = worldOfSuite({ phones: 'none' });

  test('several destinations are called at once, and each has a request of its own', async () => {
    const world = suite();
    const before = world.telephony.dialled.length;
    const { body } = await world.api('POST', 'Call/', {
      ...order,
      to: '+12025550100<+12025550101<+12025550102',
    });
    await world.advance(0);
    const dialled = world.telephony.dialled.slice(before);
    assert.deepEqual(
      dialled.map(({ spec }) => spec.to),
      ['+12025550100', '+12025550101', '+12025550102'],
    );
    assert.deepEqual(
      body.request_uuid,
      dialled.map(({ leg }) => leg),
    );
    for (const { leg } of dialled) world.telephony.leave(leg);
    await world.advance(0);
    assert.equal(documentsOf(world), 0);
  });

  test('parameters that are missing, wrong or not offered are refused', async () => {
    const world = suite();
    const before = world.telephony.dialled.length;
    const { answer_url: _, ...incomplete } = order;
    for (const [body, sentence] of [
      [incomplete, /answer_url parameter is missing/],
      [{ ...order, machine_detection: 'yes' }, /machine_detection must be true, false or hangup/],
      [{ ...order, machine_detection_silence: 400 }, /machine_detection_silence/],
      [{ ...order, machine_detection_url: order.answer_url }, /machine_detection_url must be left out where/],
      [{ ...order, to: '+12025550100<<alice261121120000' }, /to must be/],
      [{ ...order, to: '+12025550100,+12025550101' }, /to must be 1 to 1000 .*separated by </],
      [{ ...order, to: 'alice' }, /^to must be .*username that GET Endpoint\/ lists.*, not "alice"$/],
      [{ ...order, to: '+12025550100<alice<sip:bob@example.com' }, /, not "alice"$/],
      [{ ...order, sip_headers: 'a=1,X-PH-A=2' }, /each name occurs once/],
      [{ ...order, answer_url: 'file:///etc/passwd' }, /answer_url/],
      [{ ...order, answer_url: 'http://[::1' }, /answer_url must be a URL/],
      [{ ...order, hangup_url: 'http://example.com:99999/' }, /hangup_url must be a URL/],
    ] as const) {
      const answered = await world.api('POST', 'Call/', body);
      assert.equal(answered.status, 400);
      assert.match(answered.body.error, sentence);
    }
    assert.deepEqual([world.telephony.dialled.length, documentsOf(world)], [before, 0]);
  });

  test('a parent call that is not live is ignored, or refused with error_parent_not_found', async () => {
    const world = suite();
    const unknown = { ...order, parent_call_uuid: '11111111-1111-4111-8111-111111111111' };
    const parentOf = async (uuid: string) => {
      world.telephony.leave(uuid);
      await world.advance(0);
      return (await world.api('GET', `Call/${uuid}/`)).body.parent_call_uuid;
    };
    const strict = { error_parent_not_found: 'true' };
    assert.equal((await world.api('POST', 'Call/', { ...unknown, ...strict })).status, 404);
    const fired = await world.api('POST', 'Call/', unknown);
    assert.equal(fired.status, 201);
    assert.equal(await parentOf(fired.body.request_uuid), null);
    const parent = await answeredCall(world);
    const known = { ...order, parent_call_uuid: parent, error_parent_not_found: true };
    const child = await world.api('POST', 'Call/', known);
    assert.equal(await parentOf(child.body.request_uuid), parent);
    const stranger = await world.subaccount();
    assert.equal((await world.call('POST', 'Call/', { body: known, as: stranger })).status, 404);
  });

  test('a parent call is known by its UUID in capitals', async () => {
    const world = suite();
    const parent = await answeredCall(world);
    const known = { ...order, parent_call_uuid: parent.toUpperCase(), error_parent_not_found: true };
    const child = await world.api('POST', 'Call/', known);
    assert.equal(child.status, 201);
    const { body } = await world.api('GET', `Call/${child.body.request_uuid}/`);
    assert.equal(body.parent_call_uuid, parent);
  });

  test('hangup_on_ring ends a call that rings', async () => {
    const world = suite();
    const leg = (await world.api('POST', 'Call/', { ...order, hangup_on_ring: 2 })).body.request_uuid;
    await world.advance(0);
    world.telephony.startRinging(leg);
    await world.advance(1_900);
    assert.equal(isHungUp(world, leg), false);
    await world.advance(200);
    assert.equal(await endOf(world, leg), '6000 Service');
  });

  test('no call is made while the process shuts down', async () => {
    const world = await openSimulatedWorld({ phones: 'none' });
    world.node.platform.drain();
    const refused = await world.api('POST', 'Call/', order);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '10');
    await world.close();
  });

  test('of several destinations 201 names the calls that were made, and a warning the others', async () => {
    let commits: FailingCommits | undefined;
    const world = await openSimulatedWorld({
      phones: 'none',
      interpose: (database) => {
        commits = createFailingCommits(database);
        return commits.database;
      },
      loggedErrors: ['step not saved; it was undone', 'leg of a call not recorded'],
    });
    const to = '+12025550100<+12025550101<+12025550102';
    commits?.fail(2, { error: databaseUnavailable });
    const fired = await world.api('POST', 'Call/', { ...order, to });
    await world.advance(0);
    const dialled = world.telephony.dialled.map(({ leg, spec }) => [leg, spec.to]);
    assert.deepEqual(dialled, [[fired.body.request_uuid[0], '+12025550102']]);
    assert.deepEqual(
      [fired.status, fired.body.request_uuid.length, fired.body.warnings],
      [
        201,
        1,
        [
          'to: 2 of 3 calls were not made, because their records could not be written; request these destinations again: +12025550100<+12025550101',
        ],
      ],
    );
    commits?.fail(3, { error: databaseUnavailable });
    const refused = await world.api('POST', 'Call/', { ...order, to });
    assert.deepEqual([refused.status, refused.body.error_code], [503, 'unavailable']);
    world.telephony.leaveAll();
    await world.advance(0);
    assert.equal(documentsOf(world), 0);
    await world.close();
  });

  test('a call whose record cannot be written leaves no document that waits for it', async () => {
    let isFull = false;
    const interpose = (database: Database): Database => ({
      ...database,
      async transact(work) {
        if (isFull) throw new Error('the disk is full');
        return database.transact(work);
      },
    });
    const world = await openSimulatedWorld({ phones: 'none', interpose });
    isFull = true;
    await assert.rejects(world.api('POST', 'Call/', order), /the disk is full/);
    isFull = false;
    await world.advance(0);
    assert.equal(documentsOf(world), 0);
    await world.close();
  });
});

describe('Calls that are transferred over HTTP', () => {
  const suite = worldOfSuite({ phones: 'none' });
  const urls = { aleg_url: 'https://example.com/one', bleg_url: 'https://example.com/two' };

  /** A call whose document dials, and the ringing leg of the other phone. */
  async function ringing(world: SimulatedWorld) {
    world.customer.serve(urls.aleg_url, response('<Play loop="0">https://example.com/a.mp3</Play>'));
    world.customer.serve('https://example.com/a.mp3', { status: 200, body: toneFile(500, 400) });
    world.customer.serve(urls.bleg_url, response('<Speak loop="0">B</Speak>'));
    world.customer.serve(answer, response('<Dial><Number>+12025550102</Number></Dial>', hold));
    const leg: string = (await world.api('POST', 'Call/', order)).body.request_uuid;
    await world.advance(0);
    world.telephony.pickUp(leg);
    await world.advance(100);
    const bLeg = world.telephony.dialled.at(-1)!.leg;
    world.telephony.startRinging(bLeg);
    await world.advance(10);
    return { leg, bLeg };
  }

  /** The same after the answer of the other phone. */
  async function dialling(world: SimulatedWorld) {
    const legs = await ringing(world);
    world.telephony.pickUp(legs.bLeg);
    await world.advance(10);
    assert.equal(world.node.media.orders.mixes.length, 1);
    return legs;
  }

  test('a leg of a direct call is transferred out of it', async () => {
    const world = suite();
    const { caller } = await conversation(world);
    world.customer.serve(urls.aleg_url, response(hold));
    const moved = await world.api('POST', `Call/${caller}/`, { aleg_url: urls.aleg_url });
    assert.equal(moved.status, 202);
    await world.advance(100);
    // The leg is not answered a second time.
    const answers = world.telephony.orders.filter((each) => each === `answer ${caller}`);
    assert.equal(answers.length, 1);
    assert.deepEqual(clipsOf(world), [[caller, spoken('Hello')]]);
  });

  test('a call is transferred by its UUID in capitals, and answered with its UUID as it is', async () => {
    const world = suite();
    const { leg, bLeg } = await dialling(world);
    const body = { legs: 'both', ...urls };
    const moved = await world.api('POST', `Call/${leg.toUpperCase()}/`, body);
    assert.deepEqual([moved.status, moved.body.call_uuids], [202, [leg, bLeg]]);
    await world.advance(100);
    assert.deepEqual(Object.fromEntries(clipsOf(world)), { [leg]: 'a file', [bLeg]: spoken('B') });
  });

  test('both legs of a Dial are transferred to documents of their own', async () => {
    const world = suite();
    const { leg, bLeg } = await dialling(world);
    const mixes = [...world.node.media.orders.mixes];
    const moved = await world.api('POST', `Call/${leg}/`, { legs: 'both', ...urls });
    assert.deepEqual([moved.status, moved.body.call_uuids], [202, [leg, bLeg]]);
    await world.advance(100);
    assert.deepEqual([isHungUp(world, leg), isHungUp(world, bLeg)], [false, false]);
    assert.equal(world.node.media.orders.hearing(mixes[0] ?? ''), undefined);
    assert.deepEqual(Object.fromEntries(clipsOf(world)), { [leg]: 'a file', [bLeg]: spoken('B') });
    assert.deepEqual(
      [urls.aleg_url, urls.bleg_url].map((url) => requestsTo(world, url).at(-1)?.fields.CallUUID),
      [leg, bLeg],
    );
  });

  test('a transfer of both legs while the other phone rings is refused, and the Dial goes on', async () => {
    const world = suite();
    const { leg, bLeg } = await ringing(world);
    const before = requestsTo(world, urls.aleg_url).length;
    const moved = await world.api('POST', `Call/${leg}/`, { legs: 'both', ...urls });
    assert.equal(moved.status, 409);
    assert.match(moved.body.error, new RegExp(`call ${bLeg} has not been answered yet`));
    await world.advance(100);
    assert.equal(requestsTo(world, urls.aleg_url).length, before);
    world.telephony.pickUp(bLeg);
    await world.advance(10);
    const [mix = ''] = world.node.media.orders.mixes;
    assert.deepEqual(world.node.media.orders.hearing(mix), { [leg]: [bLeg], [bLeg]: [leg] });
  });

  test('a transfer of the B leg alone lets the document of the A leg continue', async () => {
    const world = suite();
    const { leg, bLeg } = await dialling(world);
    const moved = await world.api('POST', `Call/${leg}/`, { legs: 'bleg', bleg_url: urls.bleg_url });
    assert.deepEqual(moved.body.call_uuids, [bLeg]);
    await world.advance(100);
    assert.deepEqual(Object.fromEntries(clipsOf(world)), { [leg]: spoken('Hello'), [bLeg]: spoken('B') });
    assert.deepEqual([isHungUp(world, leg), isHungUp(world, bLeg)], [false, false]);
  });

  test('a transfer of a call that is unknown, unanswered or over is refused', async () => {
    const world = suite();
    const aleg = { aleg_url: urls.aleg_url };
    const leg = await answeredCall(world);
    const stranger = await world.subaccount();
    assert.equal((await world.call('POST', `Call/${leg}/`, { body: aleg, as: stranger })).status, 404);
    const unknown = 'Call/33333333-3333-4333-8333-333333333333/';
    assert.equal((await world.api('POST', unknown, aleg)).status, 404);
    for (const [body, sentence] of [
      [{}, /aleg_url parameter is missing/],
      [{ legs: 'both', ...aleg }, /bleg_url parameter is missing/],
      [{ legs: 'bleg', bleg_url: answer }, /legs must be aleg: call \S+ has no other leg at this moment$/],
    ] as const) {
      const refused = await world.api('POST', `Call/${leg}/`, body);
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, sentence);
    }
    const ringing = (await world.api('POST', 'Call/', order)).body.request_uuid;
    assert.equal((await world.api('POST', `Call/${ringing}/`, aleg)).status, 409);
    world.telephony.leave(leg);
    await world.advance(0);
    assert.equal((await world.api('POST', `Call/${leg}/`, aleg)).status, 404);
  });
});
