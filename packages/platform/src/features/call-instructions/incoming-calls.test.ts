import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { problem } from '../../kernel/problem.ts';
import { refused } from '../../kernel/result.ts';
import { answer, answering, openDocumentWorld, response } from './testing/document-world.ts';

const action = 'https://example.com/action';

onEmbeddedDatabase('Calls that come for an application', (open) => {
  async function calling(...elements: readonly string[]) {
    const world = await openDocumentWorld(open);
    world.customer.serve(answer, response(...elements));
    const taken = await world.phones.callIn({ leg: 'leg' });
    await world.pass(100);
    return { world, taken };
  }

  async function talking(...elements: readonly string[]) {
    const { world } = await calling(...elements);
    world.phones.pickUp('leg');
    await world.pass(0);
    return world;
  }

  test('are accepted with the application’s hangup_url, and answered by the first element that needs an answer', async () => {
    const { world, taken } = await calling('<Wait length="1" silence="true"/><Speak>Hello</Speak>');
    assert.deepEqual(taken, {
      owner: { kind: 'document', id: 'leg' },
      callbacks: { hangup: answering.hangup },
    });
    assert.deepEqual(world.phones.orders, []);
    await world.pass(1_000);
    assert.deepEqual(world.phones.orders, ['answer leg']);
    assert.equal(world.playing.size, 0);
    world.phones.pickUp('leg');
    await world.pass(0);
    assert.equal(world.playing.size, 1);
  });

  test('without an application are left to other features', async () => {
    const world = await openDocumentWorld(open);
    world.attach(undefined);
    assert.equal(await world.phones.callIn({ leg: 'leg' }), undefined);
    assert.equal(world.runs, 0);
  });

  test('branch on digits: GetDigits asks its action for the next document', async () => {
    const world = await talking(
      `<GetDigits action="${action}" numDigits="1"><Play>https://example.com/menu.mp3</Play></GetDigits>`,
    );
    world.customer.serve(action, ({ fields }) => response(`<Speak>You pressed ${fields.Digits}</Speak>`));
    world.phones.press('leg', '7');
    await world.pass(100);
    const [play] = world.playing.values();
    assert.deepEqual(play?.items[0], {
      kind: 'speech',
      text: 'You pressed 7',
      language: 'en-US',
      voice: 'woman',
      loop: 1,
    });
  });

  test('are recorded: the callback names the call, the action gets the URL of the file', async () => {
    const callback = 'https://example.com/recorded';
    const world = await talking(
      `<Record action="${action}" callbackUrl="${callback}" playBeep="false" finishOnKey="#" fileFormat="wav"/>`,
    );
    const [order] = world.recording.values();
    assert.equal(order?.callUuid, 'leg');
    assert.equal(order?.callback?.fields.CallUUID, 'leg');
    assert.equal(order?.callback?.resource, 'call/leg');
    world.phones.press('leg', '#');
    await world.pass(100);
    const fields = world.customer.requests.at(-1)?.fields;
    assert.equal(fields?.RecordUrl, `https://files.example/${order?.recording}.wav`);
    assert.deepEqual([fields?.Digits, fields?.RecordingDurationMs], ['#', '2400']);
  });

  test('whose caller hangs up during a recording send the action through the outbox', async () => {
    const world = await talking(`<Record action="${action}" playBeep="false"/>`);
    world.phones.leave('leg');
    await world.pass(100);
    const event = world.events.find(({ type }) => type === 'call.action');
    assert.deepEqual(event?.callback, { url: action, method: 'POST' });
    assert.deepEqual([event?.payload.CallStatus, event?.payload.CallUUID], ['completed', 'leg']);
    assert.deepEqual([world.runs, world.recording.size], [0, 0]);
  });

  test('are bridged by Dial: both hear each other until one leaves', async () => {
    const { world } = await calling(
      `<Dial action="${action}" callerId="+12025550111"><User>sip:bob@sip.example.com</User></Dial>`,
    );
    const [bLeg] = world.phones.dialled;
    assert.deepEqual([bLeg?.spec.from, bLeg?.parentLeg, bLeg?.owner.id], ['+12025550111', 'leg', 'leg']);
    world.phones.startRinging(bLeg?.leg ?? '');
    await world.pass(0);
    world.phones.pickUp(bLeg?.leg ?? '');
    await world.pass(0);
    assert.deepEqual(world.phones.orders, ['ring leg', 'answer leg']);
    world.phones.pickUp('leg');
    await world.pass(0);
    assert.deepEqual(
      world.sent.map((command) => command.do),
      ['open-mix', 'set-hearing'],
    );
    world.phones.leave(bLeg?.leg ?? '');
    await world.pass(100);
    assert.equal(world.sent.at(-1)?.do, 'close-mix');
    assert.equal(world.customer.requests.at(-1)?.fields.DialStatus, 'completed');
  });

  test('join a multiparty call and come back; a refusal is reported as a warning', async () => {
    const world = await talking('<MultiPartyCall role="customer">room</MultiPartyCall><Speak>Back</Speak>');
    assert.deepEqual([world.joins[0]?.leg, world.joins[0]?.instruction.name], ['leg', 'room']);
    world.phones.giveBack('leg', { kind: 'multiparty-call', id: 'x' }, {});
    await world.pass(0);
    assert.equal(world.playing.size, 1);

    const full = await calling('<MultiPartyCall role="customer">room</MultiPartyCall><Speak>Back</Speak>');
    full.world.joinWith(refused(problem('limit-reached', 'the multiparty call is full')));
    full.world.phones.pickUp('leg');
    await full.world.pass(0);
    assert.match(String(full.world.events[0]?.payload.Sentence), /room.*is full/);
    assert.equal(full.world.playing.size, 1);
  });

  test('whose document is not XML end with 8011, and the customer reads the line', async () => {
    const world = await openDocumentWorld(open);
    world.customer.serve(`${answer}`, '<Response>\n<Spaek>x</Spaek></Response>');
    world.attach({ ...answering, answer: { url: `${answer}?key=secret`, method: 'POST' } });
    await world.phones.callIn({ leg: 'leg' });
    await world.pass(100);
    assert.equal(world.phones.hungUp.get('leg'), '8011 Error');
    const [event] = world.events;
    assert.deepEqual([event?.type, event?.resource], ['call.document-failed', 'call/leg']);
    assert.deepEqual([event?.payload.CallUUID, event?.payload.Url], ['leg', answer]);
    assert.match(String(event?.payload.Sentence), /line 2/);
    assert.equal(world.runs, 0);
  });

  test('whose document cannot be fetched request the fallback', async () => {
    const world = await openDocumentWorld(open);
    const fallback = 'https://example.com/fallback';
    world.customer.serve(answer, { status: 500 });
    world.customer.serve(fallback, response('<Hangup reason="busy"/>'));
    world.attach({ ...answering, fallback: { url: fallback, method: 'GET' } });
    await world.phones.callIn({ leg: 'leg' });
    await world.pass(100);
    const asked = world.customer.requests.at(-1);
    assert.deepEqual([asked?.url, asked?.method, asked?.fields.FallbackCode], [fallback, 'GET', '7011']);
    assert.equal(world.phones.hungUp.get('leg'), '3010 Answer XML');
  });

  test('whose server never answers end after 15 s with 7011', async () => {
    const world = await openDocumentWorld(open);
    world.customer.serve(answer, undefined);
    await world.phones.callIn({ leg: 'leg' });
    await world.pass(14_900);
    assert.equal(world.phones.hungUp.size, 0);
    await world.pass(200);
    assert.equal(world.phones.hungUp.get('leg'), '7011 Error');
  });

  test('whose caller gives up while the document is fetched leave nothing behind', async () => {
    const world = await openDocumentWorld(open);
    world.customer.serve(answer, { status: 200, body: response('<Speak>x</Speak>'), afterMs: 5_000 });
    await world.phones.callIn({ leg: 'leg' });
    await world.pass(1_000);
    world.phones.leave('leg');
    await world.pass(10_000);
    assert.deepEqual([world.runs, world.playing.size, world.phones.hungUp.size], [0, 0, 0]);
    assert.equal(world.api.clock.pending, 0);
  });
});
