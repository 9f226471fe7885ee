import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  createFailingCommits,
  createRecordedFiles,
  eachDatabase,
  type FailingCommits,
  incomingCall,
  openSimulatedWorld,
  worldOfSuite,
} from '@jackfield/testkit';
import { clipsOf, documentsOf, endOf, eventsOf, requestsTo, response, spoken } from './testing/documents.ts';

const action = 'https://example.com/action';

describe('Calls that come for an application', () => {
  const suite = worldOfSuite({ phones: 'none' });

  test('are answered by the first element that needs an answer, and report their end to the application’s hangup_url', async () => {
    const world = suite();
    const hangup_url = 'https://example.com/hangup';
    const document = response('<Wait length="1" silence="true"/><Speak loop="0">Hello</Speak>');
    const leg = await incomingCall(world, document, { hangup_url });
    const ordered = () => world.telephony.orders.filter((order) => order.endsWith(leg));
    assert.deepEqual(ordered(), []);
    await world.advance(1_000);
    assert.deepEqual(ordered(), [`answer ${leg}`]);
    assert.deepEqual(clipsOf(world), [[leg, spoken('Hello')]]);
    world.telephony.leave(leg);
    await world.advance(100);
    const [hangup] = requestsTo(world, hangup_url);
    assert.deepEqual([hangup?.fields.Event, hangup?.fields.CallUUID], ['Hangup', leg]);
  });

  test('without an application are left to other features', async () => {
    const world = suite();
    const dialled = world.telephony.dialled.length;
    world.telephony.callIn({ account: world.main.authId, to: '+12025550100' });
    await world.advance(0);
    assert.equal(world.telephony.dialled.length, dialled + 1);
    assert.equal(documentsOf(world), 0);
  });

  test('branch on digits: GetDigits asks its action for the next document', async () => {
    const world = suite();
    const menu = `<GetDigits action="${action}" numDigits="1"><Speak loop="0">Menu</Speak></GetDigits>`;
    const leg = await incomingCall(world, response(menu));
    world.customer.serve(action, ({ fields }) => response(`<Speak>You pressed ${fields.Digits}</Speak>`));
    world.telephony.press(leg, '7');
    await world.advance(100);
    assert.deepEqual(clipsOf(world), [[leg, spoken('You pressed 7')]]);
    const [asked] = requestsTo(world, action);
    assert.deepEqual([asked?.fields.Digits, asked?.fields.CallUUID], ['7', leg]);
  });

  test('are recorded: the callback names the call, the action gets the URL of the file', async () => {
    const world = suite();
    const callback = 'https://example.com/recorded';
    const next = 'https://example.com/after-recording';
    const leg = await incomingCall(
      world,
      response(
        `<Record action="${next}" callbackUrl="${callback}" playBeep="false" finishOnKey="#" fileFormat="wav"/>`,
      ),
    );
    const [recording] = world.node.media.orders.captures.keys();
    await world.advance(2_000);
    world.telephony.press(leg, '#');
    await world.advance(200);
    const [asked] = requestsTo(world, next);
    assert.match(asked?.fields.RecordUrl ?? '', new RegExp(`/Recording/${recording}\\.wav$`));
    assert.equal(asked?.fields.Digits, '#');
    const durationMs = Number(asked?.fields.RecordingDurationMs);
    assert.ok(durationMs > 1_900 && durationMs < 2_300, String(durationMs));
    const [hangupRequest] = requestsTo(world, callback);
    assert.equal(hangupRequest?.fields.CallUUID, leg);
    const { objects } = (await world.api('GET', `Callback/?resource=call/${leg}`)).body;
    assert.ok(objects.some((each: { url: string }) => each.url === callback));
  });

  test('whose caller hangs up during a recording send the action through the outbox', async () => {
    const world = suite();
    const ended = 'https://example.com/ended';
    const leg = await incomingCall(world, response(`<Record action="${ended}" playBeep="false"/>`));
    world.telephony.leave(leg);
    await world.advance(100);
    const [event] = (await eventsOf(world, leg)).filter(({ type }) => type === 'call.action');
    const [asked] = requestsTo(world, ended);
    assert.equal(asked?.eventId, event?.event_id);
    assert.deepEqual(
      [asked?.method, asked?.fields.CallStatus, asked?.fields.CallUUID],
      ['POST', 'completed', leg],
    );
    assert.deepEqual([documentsOf(world), world.node.media.orders.captures.size], [0, 0]);
  });

  test('are bridged by Dial: both hear each other until one leaves', async () => {
    const world = suite();
    const { orders } = world.node.media;
    const dialled = 'https://example.com/dialled';
    const dial = `<Dial action="${dialled}" callerId="+12025550111"><Number>+12025550102</Number></Dial>`;
    const leg = await incomingCall(world, response(dial));
    const bLeg = world.telephony.dialled.at(-1)!;
    assert.equal(bLeg.spec.from, '+12025550111');
    world.telephony.startRinging(bLeg.leg);
    await world.advance(0);
    world.telephony.pickUp(bLeg.leg);
    await world.advance(0);
    const ordered = world.telephony.orders.filter((order) => order.endsWith(leg));
    assert.deepEqual(ordered, [`ring ${leg}`, `answer ${leg}`]);
    const [mix = ''] = orders.mixes;
    assert.deepEqual(orders.hearing(mix), { [leg]: [bLeg.leg], [bLeg.leg]: [leg] });
    world.telephony.leave(bLeg.leg);
    await world.advance(100);
    assert.equal((await world.api('GET', `Call/${bLeg.leg}/`)).body.parent_call_uuid, leg);
    assert.equal(orders.hearing(mix), undefined);
    assert.equal(requestsTo(world, dialled)[0]?.fields.DialStatus, 'completed');
  });

  test('continue with DialStatus=cancel when a request hangs up the phone that rings, as its record says', async () => {
    const world = suite();
    const dialled = 'https://example.com/cancelled';
    const dial = `<Dial action="${dialled}"><Number>+12025550102</Number></Dial>`;
    const leg = await incomingCall(world, response(dial));
    const bLeg = world.telephony.dialled.at(-1)!.leg;
    world.telephony.startRinging(bLeg);
    await world.advance(0);
    assert.equal((await world.api('DELETE', `Call/${bLeg}/`)).status, 204);
    await world.advance(100);
    const { DialStatus, DialRingStatus, DialALegUUID } = requestsTo(world, dialled)[0]?.fields ?? {};
    assert.deepEqual([DialStatus, DialRingStatus, DialALegUUID], ['cancel', 'true', leg]);
    assert.equal((await world.api('GET', `Call/${bLeg}/`)).body.call_state, 'CANCEL');
  });

  test('whose caller hangs up send the action of their Dial through the outbox', async () => {
    const world = suite();
    const dialled = 'https://example.com/hung-up';
    const leg = await incomingCall(
      world,
      response(`<Dial action="${dialled}"><Number>+12025550102</Number></Dial>`),
    );
    world.telephony.startRinging(world.telephony.dialled.at(-1)!.leg);
    await world.advance(0);
    world.telephony.leave(leg);
    await world.advance(100);
    const [event] = (await eventsOf(world, leg)).filter(({ type }) => type === 'call.action');
    const [asked, ...others] = requestsTo(world, dialled);
    assert.deepEqual([asked?.eventId, others], [event?.event_id, []]);
    const { DialStatus, DialRingStatus, DialALegUUID, CallStatus } = asked?.fields ?? {};
    assert.deepEqual(
      [DialStatus, DialRingStatus, DialALegUUID, CallStatus],
      ['cancel', 'true', leg, 'completed'],
    );
  });

  test('join a multiparty call and come back; a refusal is reported as a warning', async () => {
    const world = suite();
    const join =
      '<MultiPartyCall role="customer" maxParticipants="2" stayAlone="true" enterSound="none" exitSound="none">room</MultiPartyCall>';
    const document = response(join, '<Speak loop="0">Back</Speak>');
    const participants = 'MultiPartyCall/name_room/Participant/';
    const leg = await incomingCall(world, document);
    const { objects } = (await world.api('GET', participants)).body;
    assert.deepEqual(
      objects.map(({ call_uuid }: { call_uuid: string }) => call_uuid),
      [leg],
    );
    await incomingCall(world, document);
    const refused = await incomingCall(world, document);
    const [warning] = (await eventsOf(world, refused)).filter(({ type }) => type === 'call.document-warning');
    assert.match(String(warning?.data.Sentence), /room.*is full/);
    assert.deepEqual(clipsOf(world), [[refused, spoken('Back')]]);
    assert.equal((await world.api('DELETE', `${participants}${objects[0].member_id}/`)).status, 204);
    await world.advance(20);
    assert.deepEqual(
      clipsOf(world),
      [refused, leg].map((each) => [each, spoken('Back')]),
    );
  });

  test('whose document is not XML end with 8011, and the customer reads the line', async () => {
    const world = suite();
    const answer_url = 'https://example.com/broken?key=secret';
    world.customer.serve('https://example.com/broken', '<Response>\n<Spaek>x</Spaek></Response>');
    const leg = await incomingCall(world, '', { answer_url });
    assert.equal(await endOf(world, leg), '8011 Error');
    const [event] = (await eventsOf(world, leg)).filter(({ type }) => type === 'call.document-failed');
    assert.deepEqual([event?.data.CallUUID, event?.data.Url], [leg, 'https://example.com/broken']);
    assert.match(String(event?.data.Sentence), /line 2/);
    assert.equal(documentsOf(world), 0);
  });

  test('whose document cannot be fetched request the fallback', async () => {
    const world = suite();
    const fallback = 'https://example.com/fallback';
    world.customer.serve(fallback, response('<Hangup reason="busy"/>'));
    const fields = { fallback_answer_url: fallback, fallback_method: 'GET' };
    const leg = await incomingCall(world, { status: 500 }, fields);
    const [asked] = requestsTo(world, fallback);
    assert.deepEqual([asked?.method, asked?.fields.FallbackCode], ['GET', '7011']);
    assert.equal(await endOf(world, leg), '3010 Answer XML');
  });

  test('whose server never answers end after 15 s with 7011', async () => {
    const world = suite();
    const leg = await incomingCall(world, undefined);
    await world.advance(14_800);
    assert.equal(documentsOf(world), 1);
    await world.advance(200);
    assert.equal(await endOf(world, leg), '7011 Error');
  });

  test('whose caller gives up while the document is fetched leave nothing behind', async () => {
    const world = suite();
    const late = { status: 200, body: response('<Speak>x</Speak>'), afterMs: 5_000 };
    const leg = await incomingCall(world, late);
    await world.advance(1_000);
    world.telephony.leave(leg);
    await world.advance(10_000);
    assert.deepEqual([documentsOf(world), clipsOf(world)], [0, []]);
    assert.deepEqual(
      world.telephony.orders.filter((order) => order.includes(leg)),
      [],
    );
  });
});

test('A call is transferred while its first document is requested, also before the owner of its leg is saved', async (t) => {
  let failing: FailingCommits | undefined;
  const world = await openSimulatedWorld({
    phones: 'none',
    interpose: (database) => {
      failing = createFailingCommits(database);
      return failing.database;
    },
    loggedErrors: ['step not saved; it was undone'],
  });
  t.after(() => world.close());
  const answer_url = 'https://example.com/never-answers';
  const aleg_url = 'https://example.com/moved';
  world.customer.serve(answer_url, undefined);
  world.customer.serve(aleg_url, response('<Speak loop="0">Moved</Speak>'));
  const application = { app_name: 'slow', answer_url };
  const { app_id } = (await world.api('POST', 'Application/', application)).body;
  // The leg is saved; its owner is saved with the next attempt, a second later.
  failing?.fail(1, { after: 1 });
  const account = world.main.authId;
  const leg = world.telephony.callIn({ account, to: '+12025550100', application: app_id });
  await world.advance(100);
  assert.equal(requestsTo(world, answer_url).length, 1);
  const moved = await world.api('POST', `Call/${leg}/`, { aleg_url });
  assert.deepEqual([moved.status, moved.body.call_uuids], [202, [leg]]);
  await world.advance(2_000);
  assert.deepEqual(clipsOf(world), [[leg, spoken('Moved')]]);
});

test('A call whose recording cannot be written: the action reads why, as the callback does', async (t) => {
  const files = createRecordedFiles();
  const world = await openSimulatedWorld({ phones: 'none', recorder: files });
  t.after(async () => {
    await world.close();
    await files.close();
  });
  const callback = 'https://example.com/not-recorded';
  rmSync(files.directory, { recursive: true });
  await incomingCall(
    world,
    response(`<Record action="${action}" callbackUrl="${callback}" playBeep="false"/>`),
  );
  await world.advance(1_000);
  const reasons = [action, callback].map((url) => {
    const { RecordingError, RecordingErrorCode } = requestsTo(world, url)[0]?.fields ?? {};
    return [RecordingError, RecordingErrorCode];
  });
  assert.equal(reasons[0]?.[1], 'disk-failed');
  assert.deepEqual(reasons[0], reasons[1]);
});

eachDatabase('Calls that come for an application whose process is killed', (open) => {
  test('report their end with the headers of their INVITE', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const answer_url = 'https://example.com/answer';
    const hangup_url = 'https://example.com/killed';
    world.customer.serve(answer_url, response('<Speak loop="0">Hello</Speak>'));
    world.customer.serve(hangup_url, '');
    const application = { app_name: 'killed', answer_url, hangup_url };
    const { app_id } = (await world.api('POST', 'Application/', application)).body;
    const headers = { 'SIP-H-To': '<sip:desk@sip.example.com>', 'X-PH-Ticket': '4711' };
    world.telephony.callIn({ account: world.main.authId, to: '+12025550100', application: app_id, headers });
    await world.advance(1_000);
    await world.restart();
    await world.advance(5_000);
    const [killed] = requestsTo(world, hangup_url);
    const { HangupCauseCode, 'SIP-H-To': to, 'X-PH-Ticket': ticket } = killed?.fields ?? {};
    assert.deepEqual([HangupCauseCode, to, ticket], ['5010', ...Object.values(headers)]);
  });
});
